#include <filch/sync/mutex.hpp>

#include <filch/base/units.hpp>

#include "runtime/port.hpp"

#include <chrono>
#include <thread>

namespace filch::inline v0 {
namespace {

// A worker that finds the lock held spins for k_look_ns, naps for k_nap, to which the system adds about 50 µs, and
// spins again, k_looks times in all. Suspending a stack and waking it elsewhere takes 15 µs, and more where many stacks
// wait. The naps are for a holder that was preempted: docs/decisions/0022-called-waiters.md has the measurements.
constexpr time_ns k_look_ns = 5 * k_ns_per_us;
constexpr std::chrono::microseconds k_nap{20};
constexpr std::uint32_t k_looks = 8;
// Each consecutive failure halves the number of looks, at most k_halvings times: two looks are left.
constexpr std::uint32_t k_halvings = 2;

// How a worker waits for a lock before it suspends its stack.
struct spin_limits {
  bool is_any = false;
  time_ns look_ns = 0;
};

// An external thread does not spin, nor does the only worker of a runtime, nor a worker that does not spin for work
// either (`idle::eco`). Workers that share processors only nap.
spin_limits spin_limits_here() {
  const port::home* const home = port::current_home();
  if (home == nullptr) return {};
  const port::facts facts = port::facts_of(*home);
  return {facts.workers > 1 && facts.waits_awake, facts.has_cpu_each ? k_look_ns : 0};
}

}  // namespace

template <class Try>
bool mutex::try_before_suspending(const Try& try_it) {
  const spin_limits mine = spin_limits_here();
  if (!mine.is_any) return false;
  const std::uint32_t vain = failed_tries_.load(std::memory_order_relaxed);  // hint
  for (std::uint32_t look = 0; look != k_looks >> vain; ++look) {
    if (look != 0) std::this_thread::sleep_for(k_nap);
    const time_ns until_ns = monotonic_now_ns() + mine.look_ns;
    do {
      if (try_it()) {
        if (vain != 0) failed_tries_.store(0, std::memory_order_relaxed);  // hint
        return true;
      }
      for (int i = 0; i != 8; ++i) std_atomics::pause();  // between two looks at the clock
    } while (monotonic_now_ns() < until_ns);
  }
  if (vain != k_halvings) failed_tries_.store(vain + 1, std::memory_order_relaxed);  // hint
  return false;
}

// The target of the wait of a stack or a thread.
struct mutex::plain_target {
  mutex* of;

  bool enter(entry& self) const { return of->state_.lock_or_queue(self); }
  void cancel(entry& self) const noexcept {
    if (entry* const next = of->state_.cancel(self)) wake(*next);
  }
  // The waiter was woken. True: the retry has failed, and it will be woken again.
  bool try_again(entry& self, coro::waiter& who) const {
    using retry_result = sync::fair_lock<>::retry_result;
    if (of->state_.retry(self, true) == retry_result::served) return false;
    const auto comes = [&] {
      return !of->state_.is_held_by_another() && of->state_.retry(self, true) == retry_result::served;
    };
    if (of->try_before_suspending(comes)) return false;
    who.renew();
    return of->state_.retry(self, false) == retry_result::queued;
  }
};

void mutex::wait(const std::stop_token& stop) {
  if (try_before_suspending([this] { return state_.try_lock(); })) return;
  sync::line_wait<plain_target, entry> self{plain_target{this}, target::k_reason, sync::lock_turn::called};
  self.wait(stop);
}

void mutex::wake(entry& next) noexcept { sync::wake_entry<entry>(next); }

}  // namespace filch::inline v0
