#include <filch/time/sleep.hpp>

#include "runtime/port.hpp"
#include "time/timers.hpp"

#include <condition_variable>
#include <mutex>

namespace filch::inline v0 {
namespace time {

one_sleep::node::node(time_ns until_ns)
    : timer_node{[](timer_node& self, timer_state) noexcept { static_cast<node&>(self).sleeper.wake(); }} {
  at_ns = until_ns;
}

// False: the sleep is already over or cancelled.
bool one_sleep::arm(std::stop_token&& stop) {
  if (stop.stop_requested()) {
    timer_.state.set(timer_state::cancelled);
    return false;
  }
  if (timer_.at_ns <= monotonic_now_ns()) return false;
  shard_ = &timers::of(port::here()).own_shard();
  // From here on cancel() may be called, also before the timer is started.
  if (stop.stop_possible()) on_stop_.emplace(std::move(stop), canceller{*this});
  return true;
}

bool one_sleep::start(std::coroutine_handle<> who, std::stop_token stop) {
  if (!arm(std::move(stop))) return false;
  timer_.sleeper.arm(who);
  return timers::of(port::here()).start(timer_, *static_cast<timers::shard*>(shard_));
}

void one_sleep::sleep_here(std::stop_token stop) {
  if (!arm(std::move(stop))) return;
  if (!timers::of(port::here()).start(timer_, *static_cast<timers::shard*>(shard_))) return;
  timer_.sleeper.wait_here();
}

void one_sleep::cancel() noexcept {
  if (static_cast<timers::shard*>(shard_)->cancel(timer_)) timer_.sleeper.wake();
}

void one_sleep::end() {
  on_stop_.reset();  // waits for a concurrent cancel()
  if (timer_.state.get() != timer_state::cancelled) return;
  port::note_cancelled_wait();
  throw task_cancelled{};
}

namespace {

// For an external thread.
void sleep_on_thread(time_ns until_ns, std::stop_token&& stop) {
  const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds{until_ns}};
  std::mutex mutex;
  std::unique_lock lock{mutex};
  std::condition_variable_any stopped;
  if (stopped.wait_until(lock, stop, until, [&] { return stop.stop_requested(); })) throw task_cancelled{};
  if (stop.stop_requested()) throw task_cancelled{};
}

}  // namespace
}  // namespace time

void wait(time::sleep what, std::stop_token stop) {
  if (!this_worker().is_some()) return time::sleep_on_thread(what.until_ns(), std::move(stop));
  time::one_sleep here{what.until_ns()};
  here.sleep_here(std::move(stop));
  here.end();
}

}  // namespace filch::inline v0
