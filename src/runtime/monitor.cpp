#include "monitor.hpp"

#include "share/thief.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <sys/prctl.h>

namespace filch::inline v0 {
namespace {

// An attempt to start a thread in vain costs some microseconds (guess).
constexpr time_ns k_between_attempts_ns = 100 * k_ns_per_ms;

// Is work there, or was it taken or offered, within the time? The owner comes to a fork or a join soon, or not at all.
[[nodiscard]] bool is_answered_soon(const share_point& at) {
  const time_ns until_ns = monotonic_now_ns() + at.rules.answer_ns() / 2;
  while (withholds(at)) {
    if (monotonic_now_ns() >= until_ns) return false;
    for (int i = 0; i != 8; ++i) std_atomics::pause();
  }
  return true;
}

// An owner of tiny children answers at once, and takes most offers back at once: the monitor need not come again for
// that.
void wait_for_aged_offer(const share_point& at) {
  const time_ns until_ns = monotonic_now_ns() + 2 * at.rules.transfer_ns;
  bool was_offered = false;
  while (!has_offer_worth_taking(at) && monotonic_now_ns() < until_ns) {
    const bool is_offered = at.offers.is_filled();
    if (was_offered && !is_offered) return;
    was_offered = is_offered;
    for (int i = 0; i != 8; ++i) std_atomics::pause();
  }
}

}  // namespace

void monitor::stop() {
  const std::lock_guard lock{start_mutex_};
  if (is_stopping_.exchange(true, std::memory_order_relaxed)) return;  // owner-only: under the mutex
  if (!is_started_.load(std::memory_order_relaxed)) return;            // owner-only: under the mutex
  rest_.interrupt();
  thread_.join();
  preparing_.join();
}

// Also right after start(): the thread may already be parked, since before the change.
bool monitor::call() noexcept {
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
  return policy::monitor_pace::is_soon(until_look_ns, board_.rules());
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
  if (fork_generation_ != fork_generation()) return;
  // Without the thread a worker visits others only before it sleeps: what is withheld after that is noticed at the next
  // fork, join or turn of a coroutine.
  if (!start_thread()) {
    failed_ns_.store(now_ns, std::memory_order_relaxed);  // statistic
    if (visits_.may_visit() && !visits_.can_visit()) visits_.prepare();
    return;
  }
  is_started_.store(true, std::memory_order_relaxed);  // statistic
}

// In a process that has had several threads for a while the system takes 10 to 30 ms, in which the monitor requests
// from others already: another thread waits for the system.
void monitor::prepare_visits() {
  const auto register_process = [this] {
    visits_.prepare();
    is_prepared_.store(true, std::memory_order_relaxed);  // ordered by [K1], the parker's token
    rest_.interrupt();                                    // the monitor joins the thread
  };
  try {
    if (!std_atomics::is_heavy_fence_prepared() && !preparing_.start(name_, 0, register_process)) return;
  } catch (const std::bad_alloc&) {  // a long name is copied
  }
  register_process();
}

void monitor::run() noexcept {
  // Its starter may be bound itself.
  if (const std::string problem = cpus_.unbind_thread(); !problem.empty()) report_to(chosen_, problem);
  (void)::prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul);  // nanoseconds; the default would add 50 µs to every pause
  if (visits_.may_visit()) prepare_visits();
  policy::monitor_pace pace{board_.rules()};
  while (!is_stopping_.load(std::memory_order_relaxed)) {                 // ordered by [K1], the parker's token
    if (is_prepared_.load(std::memory_order_relaxed)) preparing_.join();  // ordered by [K1], the parker's token
    const time_ns next_ns = monotonic_now_ns() + pace.pause_ns();
    next_look_ns_.store(next_ns, std::memory_order_relaxed);  // statistic
    rest_.pause(next_ns);
    const bool has_acted = look();
    if (!has_acted && !must_watch()) {
      rest_.rest([this] { return must_watch() || is_stopping_.load(std::memory_order_relaxed); });  // ordered by [G1]
      pace = policy::monitor_pace{board_.rules()};
    } else {
      pace.after(has_acted, due_ns_, monotonic_now_ns(), board_.rules());
    }
  }
}

// True if a worker sleeps while a thread holds unshared work, or may begin to.
bool monitor::must_watch() const {
  if (board_.wakes().sleeping_hint() == 0) return false;
  // An owner that has offered something may have left the wake-up to the monitor.
  if (std::ranges::any_of(board_.workers(), concerns_sleepers)) return true;
  bool has_external = false;
  board_.external().for_each([&](const external_slot& slot) {
    const auto last = seen_.find(&slot.point);
    const std::uint64_t sections = slot.sections.load(std::memory_order_relaxed);  // ordered by [G1]
    has_external = has_external || sections % 2 != 0 || (last != seen_.end() && last->second.sections != sections);
  });
  return has_external;
}

// True: something was found that could not wait.
bool monitor::look() {
  if (board_.wakes().sleeping_hint() == 0) return false;
  const bool has_place = board_.has_place_for_sleeper();
  bool has_acted = false;
  due_ns_ = k_never_ns;
  if (cpus_.keeps_apart()) leave_crowded_cpu();
  try {
    for (worker& each : board_.workers()) {
      if (has_place || has_coroutines(each.point))
        has_acted |= look_at(each.point, seen_[&each.point], each.awaits_join());
    }
    board_.external().for_each([&](external_slot& slot) {
      seen& before = seen_[&slot.point];
      const std::uint64_t sections = slot.sections.load(std::memory_order_relaxed);  // statistic
      const bool is_the_same = sections == before.sections && sections % 2 != 0;
      before.sections = sections;
      if (!has_place) return;
      if (!is_the_same) before.was_asked = false;
      else if (!withholds(slot.point)) look_at_loop(slot.point);
      else has_acted |= look_at(slot.point, before, false);
    });
  } catch (const std::bad_alloc&) {
    // It looks again.
  }
  return has_acted;
}

// Where a worker runs, each look would take it some ten microseconds.
void monitor::leave_crowded_cpu() {
  const std::uint32_t here = worker::current_cpu();
  if (std::ranges::none_of(board_.workers(), [&](const worker& each) { return each.works_at(here); })) return;
  cpus_.leave_crowded_cpus(nullptr, moved_ns_);
}

bool monitor::look_at(share_point& at, seen& before, bool awaits_join) {
  const time_ns now_ns = monotonic_now_ns();
  if (share_thief{at}.flush(now_ns) && at.throttle.value().is_throttled() && withholds(at)) wait_for_aged_offer(at);
  if (has_offer_worth_taking(at)) board_.wakes().notify(worker_id::none(), nullptr);
  else if (at.offers.is_filled()) due_ns_ = now_ns;
  if (at.requests.has_deferred()) due_ns_ = std::min(due_ns_, at.throttle.value().not_before_ns());
  if (!withholds(at) || !at.throttle.value().may_wake(now_ns)) {
    before = {.sections = before.sections, .waits = awaits_join ? before.waits + 1 : 0};
    at.visits.reset();
    if (before.waits >= policy::join_answers::k_patience) {
      at.requests.return_to_forks();
      before.waits = 0;
    }
    return false;
  }
  before.waits = 0;
  (void)share_thief{at}.request();
  if (!std::exchange(before.was_asked, true) && is_answered_soon(at)) return true;
  if (!visits_.can_visit()) return false;
  // Ready coroutines come to their turn by themselves where one task or part of a coroutine ends after the other.
  if (const std::uint64_t begun = begun_at(at); begun != std::exchange(before.begun, begun) && !withholds_forks(at)) {
    return false;
  }
  if (board_.is_exhausted() && !has_coroutines(at)) return false;
  if (!at.visits.may_begin(monotonic_now_ns())) return false;
  if (visits_.visit(at)) board_.wakes().notify(worker_id::none(), nullptr);
  return true;
}

// An external thread that has been inside for a while and has no open fork may be in a loop, which forks when
// work is requested.
void monitor::look_at_loop(share_point& at) {
  const time_ns now_ns = monotonic_now_ns();
  if (has_offer_worth_taking(at)) return board_.wakes().notify(worker_id::none(), nullptr);
  if (at.offers.is_filled()) due_ns_ = now_ns;
  else if (at.throttle.value().may_wake(now_ns)) (void)share_thief{at}.request();
  else due_ns_ = std::min(due_ns_, at.throttle.value().not_before_ns());
}

}  // namespace filch::inline v0
