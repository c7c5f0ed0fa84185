#include <filch/sync/mutex.hpp>

#include <filch/base/units.hpp>

#include "runtime/port.hpp"

#include <chrono>
#include <thread>

namespace filch::inline v0 {
namespace {

// A worker that finds a lock held looks at it for so long, naps, to which the system adds about 50 µs, and looks again;
// so many times. To suspend a stack and to wake it elsewhere takes 15 µs, and more where many wait. The naps are for a
// holder that has lost its processor: docs/decisions/0022-called-waiters.md has the measurements.
constexpr time_ns k_look_ns = 5 * k_ns_per_us;
constexpr std::chrono::microseconds k_nap{20};
constexpr std::uint32_t k_looks = 8;
// The number of looks is halved for each wait in turn that was in vain, so often at most: two looks are left.
constexpr std::uint32_t k_halvings = 2;

// How a worker waits for a lock before it suspends its stack.
struct patience {
  bool is_any = false;
  time_ns look_ns = 0;
};

// None for a thread that is no worker, for a worker that is the only one, and for one that shall not wait awake for
// work either (`idle::eco`). Workers that share processors nap only.
patience patience_here() {
  const port::home* const home = port::current_home();
  if (home == nullptr) return {};
  const port::facts facts = port::facts_of(*home);
  return {facts.workers > 1 && facts.waits_awake, facts.has_cpu_each ? k_look_ns : 0};
}

}  // namespace

template <class Try>
bool mutex::try_shortly(const Try& try_it) {
  const patience mine = patience_here();
  if (!mine.is_any) return false;
  const std::uint32_t vain = vain_.load(std::memory_order_relaxed);  // hint
  for (std::uint32_t look = 0; look != k_looks >> vain; ++look) {
    if (look != 0) std::this_thread::sleep_for(k_nap);
    const time_ns until_ns = monotonic_now_ns() + mine.look_ns;
    do {
      if (try_it()) {
        if (vain != 0) vain_.store(0, std::memory_order_relaxed);  // hint
        return true;
      }
      for (int i = 0; i != 8; ++i) std_atomics::pause();  // between two looks at the clock
    } while (monotonic_now_ns() < until_ns);
  }
  if (vain != k_halvings) vain_.store(vain + 1, std::memory_order_relaxed);  // hint
  return false;
}

// Where a stack or a thread waits.
struct mutex::plain_place {
  mutex* of;

  bool enter(entry& self) const { return of->state_.lock_or_queue(self); }
  void cancel(entry& self) const noexcept {
    if (entry* const next = of->state_.cancel(self)) wake(*next);
  }
  // It was woken. True: in vain, and it is woken again.
  bool try_again(entry& self, coro::waiter& who) const {
    using arrival = sync::fair_lock<>::arrival;
    if (of->state_.come(self, true) == arrival::served) return false;
    const auto comes = [&] {
      return !of->state_.is_held_by_another() && of->state_.come(self, true) == arrival::served;
    };
    if (of->try_shortly(comes)) return false;
    who.renew();
    return of->state_.come(self, false) == arrival::queued;
  }
};

void mutex::wait(const std::stop_token& stop) {
  if (try_shortly([this] { return state_.try_lock(); })) return;
  sync::line_wait<plain_place, entry> self{plain_place{this}, place::k_reason, sync::lock_turn::called};
  self.wait(stop);
}

void mutex::wake(entry& next) noexcept { sync::wake_entry<entry>(next); }

}  // namespace filch::inline v0
