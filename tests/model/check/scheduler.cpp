// The scheduler: which thread goes on, and what it means when none can.
#include "engine.hpp"

#include <filch/base/assert.hpp>

namespace filch::check {
namespace {

constexpr unsigned k_nobody = k_max_threads;

// After so many operations in a row that neither wrote nor saw a store for the first time, a thread gives way as if it
// had paused: it is spinning.
constexpr unsigned k_idle_limit = 8;

// A thread that could run while others gave way so often runs next: two spinners must not starve a third thread.
constexpr unsigned k_patience = 4;

}  // namespace

// A scheduling point: the chosen thread runs, and the caller goes on when it is chosen again.
void engine::step(const std::source_location& where, bool is_yielding) {
  if (++steps_ > how_.max_steps) {
    fail(failure::livelock, "no end after " + std::to_string(how_.max_steps) + " operations; " +
                                threads_[current_]->name + " is at " + format_where(where));
  }
  strand& me = *threads_[current_];
  if (me.is_unstarted) {
    me.is_unstarted = false;
    return;
  }
  if (me.idle_operations >= k_idle_limit) is_yielding = true;
  if (is_yielding) {
    me.idle_operations = 0;
    me.gave_way_at = writes_ + 1;
    for (unsigned i = 0; i != thread_count_; ++i) {
      if (i != current_ && threads_[i]->now == state::ready) ++threads_[i]->passed_over;
    }
  }
  const unsigned next = pick(true, is_yielding);
  if (next != current_) {
    continue_with(next, false);
  } else {
    me.gave_way_at = 0;
  }
}

// The running thread waits for `what`; returns when somebody made it ready and it was chosen.
void engine::block_until_ready(state as, const void* what, const std::source_location& where) {
  strand& me = *threads_[current_];
  me.now = as;
  me.waits_for = what;
  me.waits_at = where;
  unsigned next = pick(false, false);
  if (next == k_nobody) {
    if (!rescue_by_timeout()) report_deadlock();
    next = pick(false, false);
  }
  if (next != current_) continue_with(next, false);
}

void engine::finish_thread() {
  record(event_kind::finish, std::source_location{});
  threads_[current_]->now = state::finished;
  if (current_ == 0) {
    (void)fiber::switch_to(threads_[0]->runs, main_, true);
  }
  bool is_all_finished = true;
  for (unsigned i = 1; i != thread_count_; ++i) is_all_finished &= threads_[i]->now == state::finished;
  if (is_all_finished && threads_[0]->now == state::joining) threads_[0]->now = state::ready;
  unsigned next = pick(false, false);
  if (next == k_nobody) {
    if (!rescue_by_timeout()) report_deadlock();
    next = pick(false, false);
  }
  continue_with(next, true);
}

void engine::continue_with(unsigned next, bool last) {
  strand& from = *threads_[current_];
  strand& to = *threads_[next];
  current_ = next;
  to.gave_way_at = 0;
  to.passed_over = 0;
  (void)fiber::switch_to(from.runs, to.runs, last);
}

// The next thread, in the order that paths count in: the running one first unless it gives way, then the others in
// turn, then the running one if it gives way. k_nobody: no thread can run.
unsigned engine::pick(bool is_current_ready, bool is_yielding) {
  std::uint8_t threads[k_max_threads];
  unsigned count = 0;
  if (is_current_ready && !is_yielding) threads[count++] = static_cast<std::uint8_t>(current_);
  for (unsigned i = 1; i != thread_count_; ++i) {
    const unsigned other = (current_ + i) % thread_count_;
    if (threads_[other]->now == state::ready) threads[count++] = static_cast<std::uint8_t>(other);
  }
  const bool is_current_late = !(is_current_ready && !is_yielding) && threads_[current_]->now == state::ready;
  if (is_current_late) threads[count++] = static_cast<std::uint8_t>(current_);
  if (count == 0) return k_nobody;
  if (count == 1) return threads[0];
  thread_choice among{{threads, count}, 0, is_current_ready && !is_yielding, is_yielding};
  among.permitted = permitted(among);
  const unsigned chosen = chooser_.choose_thread(among);
  charge(among, chosen);
  return threads[chosen];
}

// Which of the threads an exhaustive search may choose: see `exhaustive` for the bounds.
std::uint64_t engine::permitted(const thread_choice& among) const {
  const std::size_t count = among.threads.size();
  std::uint64_t fresh = 0;
  for (std::size_t i = 0; i != count; ++i) {
    const strand& t = *threads_[among.threads[i]];
    if (among.is_yielding && t.passed_over >= k_patience) return std::uint64_t{1} << i;
    if (is_fresh(t)) fresh |= std::uint64_t{1} << i;
  }
  if (fresh == 0) return 1;
  const std::uint64_t all = (std::uint64_t{1} << count) - 1;
  std::uint64_t out = spins_ < chooser_.spin_bound() ? all : fresh;
  if (among.is_current_first && preemptions_ >= chooser_.preemption_bound()) out = 1;
  return out;
}

void engine::charge(const thread_choice& among, unsigned chosen) {
  if (among.is_current_first && chosen != 0) ++preemptions_;
  if (!is_fresh(*threads_[among.threads[chosen]])) ++spins_;
}

// When nothing else can run, a deadline passes: the earliest sleeper's, as threads are numbered.
bool engine::rescue_by_timeout() {
  if (!how_.timeouts_rescue) return false;
  for (unsigned i = 0; i != thread_count_; ++i) {
    if (threads_[i]->now != state::sleeping_with_deadline) continue;
    threads_[i]->now = state::ready;
    threads_[i]->is_timed_out = true;
    return true;
  }
  return false;
}

void engine::report_deadlock() {
  std::string text = "no thread can run:";
  for (unsigned i = 0; i != thread_count_; ++i) {
    const strand& t = *threads_[i];
    if (t.now == state::finished) continue;
    const char* waits = t.now == state::locking                  ? " waits for a mutex"
                        : t.now == state::joining                ? " waits for the others"
                        : t.now == state::sleeping_with_deadline ? " sleeps until a deadline"
                                                                 : " sleeps";
    text += (i == 0 ? " " : ", ") + t.name + waits + " at " + format_where(t.waits_at);
  }
  fail(failure::deadlock, text);
}

}  // namespace filch::check
