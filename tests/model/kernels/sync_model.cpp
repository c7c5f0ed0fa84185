// The kernel of the mutex under the model checker.
//
// Properties: one at a time holds it and sees what the one before did; whoever waits gets it. Oracles: plain data that the
// checker watches for races, and deadlock.
#include "scenario.hpp"

#include <filch/park/parker.hpp>
#include <filch/sync/fair_lock.hpp>

namespace filch::check {
namespace {

struct waiter : sync::lock_waiter {
  park::parker<atomics> got;
};

void hold_and_count(sync::fair_lock<atomics>& lock, atomics::var<int>& count, waiter& self) {
  if (!lock.lock_or_queue(self)) (void)self.got.park();
  count.set(count.get() + 1);
  if (sync::lock_waiter* const next = lock.unlock()) static_cast<waiter*>(next)->got.unpark();
}

void each_counts(context& c, int threads, int turns) {
  sync::fair_lock<atomics> lock;
  atomics::var<int> count{0};
  waiter selves[3];
  for (int i = 1; i != threads; ++i) {
    c.thread("other", [&, i] {
      for (int k = 0; k != turns; ++k) hold_and_count(lock, count, selves[i]);
    });
  }
  for (int k = 0; k != turns; ++k) hold_and_count(lock, count, selves[0]);
  c.join_all();
  require(count.get() == threads * turns, "no turn is lost");
}

void who_tries_only(context& c) {
  sync::fair_lock<atomics> lock;
  atomics::var<int> count{0};
  waiter self;
  c.thread("other", [&] {
    if (!lock.try_lock()) return;
    count.set(count.get() + 1);
    if (sync::lock_waiter* const next = lock.unlock()) static_cast<waiter*>(next)->got.unpark();
  });
  hold_and_count(lock, count, self);
  c.join_all();
  require(count.get() >= 1, "who waits gets it");
}

}  // namespace

std::vector<scenario> all_scenarios() {
  return {
      {"two_hold_it_in_turn", bounded(3, 6), [](context& c) { each_counts(c, 2, 1); }},
      {"two_hold_it_twice", bounded(2, 4), [](context& c) { each_counts(c, 2, 2); }},
      {"three_hold_it_in_turn", bounded(2, 4), [](context& c) { each_counts(c, 3, 1); }},
      {"one_tries_only", bounded(3, 6), who_tries_only},
  };
}

}  // namespace filch::check
