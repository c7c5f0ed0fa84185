#include "monitor.hpp"

#include "core.hpp"
#include "external_threads.hpp"
#include "share/visiting.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <sched.h>
#include <sys/prctl.h>

namespace filch::inline v0 {
namespace {

// How long a external thread may keep its work to itself (guess: a wake-up costs about as much).
constexpr time_ns k_first_pause_ns = 20 * k_ns_per_us;
// Who is asked and comes to a fork or a join soon has so much time for it before it is visited (guess).
constexpr time_ns k_soon_answered_ns = 10 * k_ns_per_us;
// Between two looks while external threads come and go and nothing is to be done.
constexpr time_ns k_longest_pause_ns = k_ns_per_ms;
// Who leaves an offer to the monitor thread does not wait longer than this (guess: a little longer than the pause of a throttled
// share point).
constexpr time_ns k_soon_ns = 70 * k_ns_per_us;
// So often it sees no join come where joins should answer, at pauses that double, before forks shall answer again
// (guess).
constexpr std::uint32_t k_most_waits = 4;
// An attempt to start a thread in vain costs some microseconds (guess).
constexpr time_ns k_between_attempts_ns = 100 * k_ns_per_ms;

}  // namespace

void monitor::stop() {
  const std::lock_guard lock{start_mutex_};
  if (is_stopping_.exchange(true, std::memory_order_relaxed)) return;  // owner-only: under the mutex
  if (!is_started_.load(std::memory_order_relaxed)) return;            // owner-only: under the mutex
  rest_.interrupt();
  thread_.join();
  preparing_.join();
}

// Called also by who has just started it: the thread may rest already, since before the change.
bool monitor::call_monitor() noexcept {
  if (!is_started_.load(std::memory_order_relaxed)) [[unlikely]]
    start();  // statistic: looked at again under the mutex
  if (!is_started_.load(std::memory_order_relaxed)) [[unlikely]]
    return false;  // statistic
  (void)rest_.call();
  return true;
}

bool monitor::is_watching() noexcept {
  if (!is_started_.load(std::memory_order_relaxed) || rest_.is_resting()) return false;              // statistic
  const time_ns until_look_ns = next_look_ns_.load(std::memory_order_relaxed) - monotonic_now_ns();  // statistic
  return until_look_ns <= k_soon_ns && until_look_ns >= -k_soon_ns;  // it may be looking, or have no CPU
}

bool monitor::start_thread() noexcept {
  try {
    return !thread_.start(name_, 0, [this] { run(); });
  } catch (const std::bad_alloc&) {  // a long name is copied
    return false;
  }
}

void monitor::start() noexcept {
  const time_ns now_ns = monotonic_now_ns();
  const time_ns failed_ns = failed_ns_.load(std::memory_order_relaxed);  // statistic
  if (failed_ns != 0 && now_ns - failed_ns < k_between_attempts_ns) return;
  const std::lock_guard lock{start_mutex_};
  // owner-only: under the mutex
  if (is_started_.load(std::memory_order_relaxed) || is_stopping_.load(std::memory_order_relaxed)) return;
  if (home_.is_forked_child()) return;
  // Without the thread a worker visits others only before it sleeps: what is kept after that is heard of at the next
  // fork, join or turn of a coroutine.
  if (!start_thread()) {
    failed_ns_.store(now_ns, std::memory_order_relaxed);  // statistic
    if (may_visit_ && !can_visit()) prepare_here();
    return;
  }
  is_started_.store(true, std::memory_order_relaxed);  // statistic
}

void monitor::prepare_here() noexcept {
  // [L37] release store: the process is registered → [L34].
  if (prepare_visits()) can_visit_.store(true, std::memory_order_release);
}

// In a process that has had several threads for a while the system takes 10 to 30 ms, in which the monitor thread asks others
// already: another thread waits for the system.
void monitor::prepare() {
  const auto register_process = [this] {
    prepare_here();
    is_prepared_.store(true, std::memory_order_relaxed);  // ordered by [K1], the parker's token
    rest_.interrupt();                                    // the monitor thread joins the thread
  };
  try {
    if (!std_atomics::is_heavy_fence_prepared() && !preparing_.start(name_, 0, register_process)) return;
  } catch (const std::bad_alloc&) {  // a long name is copied
  }
  register_process();
}

void monitor::run() noexcept {
  home_.unbind_thread();                                    // who started it may be bound itself
  (void)::prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul);  // nanoseconds; the default would add 50 µs to every pause
  if (may_visit_) prepare();
  time_ns pause_ns = k_first_pause_ns;
  while (!is_stopping_.load(std::memory_order_relaxed)) {                 // ordered by [K1], the parker's token
    if (is_prepared_.load(std::memory_order_relaxed)) preparing_.join();  // ordered by [K1], the parker's token
    const time_ns next_ns = monotonic_now_ns() + pause_ns;
    next_look_ns_.store(next_ns, std::memory_order_relaxed);  // statistic
    rest_.pause(next_ns);
    if (look()) {
      pause_ns = k_first_pause_ns;
    } else if (must_watch()) {
      pause_ns = std::min(2 * pause_ns, k_longest_pause_ns);
      if (due_ns_ != k_never_ns)
        pause_ns = std::clamp(due_ns_ - monotonic_now_ns(), k_first_pause_ns, k_longest_pause_ns);
    } else {
      rest_.rest([this] { return must_watch() || is_stopping_.load(std::memory_order_relaxed); });  // ordered by [G1]
      pause_ns = k_first_pause_ns;
    }
  }
}

// Is there somebody who could work, and somebody who keeps work to himself or could begin to?
bool monitor::must_watch() const {
  if (home_.idle().sleeping_hint() == 0) return false;
  // Who has put an offer there may have left the wake-up to the monitor thread.
  for (const worker& each : home_.workers) {
    if (each.point.withholds() || each.point.cell.has_offer() || each.point.has_deferred() || each.awaits_join())
      return true;
  }
  bool has_external = false;
  home_.external().for_each([&](const external_slot& slot) {
    const auto last = seen_.find(&slot.point);
    const std::uint64_t visits = slot.visits.load(std::memory_order_relaxed);  // ordered by [G1]
    has_external = has_external || visits % 2 != 0 || (last != seen_.end() && last->second.visits != visits);
  });
  return has_external;
}

// True: something was found that could not wait.
bool monitor::look() {
  if (home_.idle().sleeping_hint() == 0) return false;
  const bool has_place = home_.has_place_for_sleeper();
  bool has_acted = false;
  due_ns_ = k_never_ns;
  if (home_.keeps_apart) leave_crowded_cpu();
  try {
    for (worker& each : home_.workers) {
      if (has_place || each.point.has_coroutines())
        has_acted |= look_at(each.point, seen_[&each.point], each.awaits_join());
    }
    home_.external().for_each([&](external_slot& slot) {
      seen& before = seen_[&slot.point];
      const std::uint64_t visits = slot.visits.load(std::memory_order_relaxed);  // statistic
      const bool is_the_same = visits == before.visits && visits % 2 != 0;
      before.visits = visits;
      if (!has_place) return;
      if (!is_the_same) before.was_asked = false;
      else if (!slot.point.withholds()) ask_without_forks(slot.point);
      else has_acted |= look_at(slot.point, before, false);
    });
  } catch (const std::bad_alloc&) {
    // It looks again.
  }
  return has_acted;
}

// Where a worker runs, each look would take it some ten microseconds.
void monitor::leave_crowded_cpu() {
  constexpr time_ns k_seldom_ns = k_ns_per_ms;  // guess: as for workers
  const std::uint32_t here = worker::current_cpu();
  if (std::ranges::none_of(home_.workers, [&](const worker& each) { return each.works_at(here); })) return;
  const time_ns now_ns = monotonic_now_ns();
  if (now_ns - moved_ns_ < k_seldom_ns) return;
  moved_ns_ = now_ns;
  home_.leave_crowded_cpus(nullptr);
}

bool monitor::look_at(share_point& point, seen& before, bool awaits_join) {
  const time_ns now_ns = monotonic_now_ns();
  if (point.pay(now_ns) && point.pace.is_throttled() && point.withholds()) wait_for_aged_offer(point);
  if (point.has_aged_offer()) home_.notify(worker_id::none());
  else if (point.cell.has_offer()) due_ns_ = now_ns;
  if (point.has_deferred()) due_ns_ = std::min(due_ns_, point.pace.not_before_ns());
  if (!point.withholds() || !point.pace.may_wake(now_ns)) {
    before = {.visits = before.visits, .waits = awaits_join ? before.waits + 1 : 0};
    point.visits.forget();
    if (before.waits >= k_most_waits) {
      point.give_up_joins();
      before.waits = 0;
    }
    return false;
  }
  before.waits = 0;
  (void)point.ask();
  if (!std::exchange(before.was_asked, true) && is_answered_soon(point)) return true;
  if (!can_visit()) return false;
  // What are ready comes to its turn by itself where one stretch ends after the other.
  if (const std::uint64_t ended = point.stretches();
      ended != std::exchange(before.stretches, ended) && !point.withholds_forks()) {
    return false;
  }
  if (home_.is_exhausted() && !point.has_coroutines()) return false;
  if (!point.visits.may_begin(monotonic_now_ns())) return false;
  if (visit(point)) home_.notify(worker_id::none());
  return true;
}

// An external thread that has gone on for a while and has no open fork may be in a loop, which forks when it is asked.
void monitor::ask_without_forks(share_point& point) {
  const time_ns now_ns = monotonic_now_ns();
  if (point.has_aged_offer()) return home_.notify(worker_id::none());
  if (point.cell.has_offer()) due_ns_ = now_ns;
  else if (point.pace.may_wake(now_ns)) (void)point.ask();
  else due_ns_ = std::min(due_ns_, point.pace.not_before_ns());
}

bool monitor::is_answered_soon(const share_point& point) {
  const time_ns until_ns = monotonic_now_ns() + k_soon_answered_ns;
  while (point.withholds()) {
    if (monotonic_now_ns() >= until_ns) return false;
    for (int i = 0; i != 8; ++i) std_atomics::pause();
  }
  return true;
}

// Who has tiny children answers at once, and takes most offers back at once: it need not come again for that.
void monitor::wait_for_aged_offer(const share_point& point) {
  const time_ns until_ns = monotonic_now_ns() + 2 * share_point::k_aged_ns;
  bool was_offered = false;
  while (!point.has_aged_offer() && monotonic_now_ns() < until_ns) {
    const bool is_offered = point.cell.has_offer();
    if (was_offered && !is_offered) return;
    was_offered = is_offered;
    for (int i = 0; i != 8; ++i) std_atomics::pause();
  }
}

// True: something is offered now.
bool monitor::visit(share_point& point) noexcept {
  const bool is_offered = point.visit(home_);
  // A filter of system calls that the program has set meanwhile.
  if (!is_offered && !std_atomics::is_heavy_fence_prepared()) {
    can_visit_.store(false, std::memory_order_relaxed);  // hint: visits come back with nothing
  }
  point.visits.end(is_offered, monotonic_now_ns());
  return is_offered;
}

bool monitor::visit_for(const worker& who) noexcept {
  if (!can_visit()) return false;
  const bool has_place = home_.has_place_for_sleeper();
  const bool is_alone = !is_there();  // else what are ready is the monitor thread's affair
  const std::size_t count = home_.workers.size();
  for (std::size_t i = 1; i != count; ++i) {
    share_point& point = home_.workers[(who.self.value + i) % count].point;
    const time_ns now_ns = monotonic_now_ns();
    if (home_.idle().is_chosen(who.self)) return false;
    if ((!has_place || home_.is_exhausted()) && !point.has_coroutines()) continue;
    if (!point.withholds() || !(is_alone || point.withholds_forks())) continue;
    if (!point.pace.may_wake(now_ns) || !point.visits.may_begin(now_ns)) continue;
    if (visit(point)) return true;
  }
  return false;
}

}  // namespace filch::inline v0
