// The keeper of the wait sources and the timer shard under the model checker.
//
// Properties: a deadline that somebody sets is seen by a worker that will wake up for it, whoever falls asleep, resigns
// or polls at the same time; a timer is fired or cancelled, once, and never both. Oracles: the checker reports "no
// thread can run" when a worker sleeps without a deadline although there is one; counts; plain data that the checker
// watches for races. Method: sleeps have no end here, so a worker that has seen the deadline leaves, and one that has
// not must be woken.
#include "scenario.hpp"

#include "time/timer_shard.hpp"
#include "time/timer_wheel.hpp"

#include <filch/park/idle.hpp>
#include <filch/park/keeper.hpp>

namespace filch::check {
namespace {

using park::keeper_call;
using time::timer_added;
using time::timer_state;

constexpr auto k_relaxed_order = std::memory_order_relaxed;
constexpr time_ns k_due_ns = 1024;
constexpr time_ns k_cancelled_ns = 1;  // the earliest, until somebody polls

// Workers and one source that has one deadline, as the runtime puts them together.
class office {
 public:
  explicit office(std::uint32_t workers) : idle{workers} {}

  // The source: somebody sets the deadline.
  void set_deadline(time_ns at_ns = k_due_ns) {
    noted_.store(at_ns, k_relaxed_order);
    answer(keeper.lower(at_ns));
  }
  // A worker has polled.
  void poll() {
    answer(keeper.raise([this] { return noted_.load(k_relaxed_order); }));
  }

  // A worker that finds no work; returns when it would wake up for the deadline.
  void sleep_until_due(worker_id self) {
    bool is_keeper = false;
    bool is_searching = false;
    while (true) {
#ifdef FILCH_MUTANT_KEEPER_FIRST
      if (!is_keeper) is_keeper = keeper.try_take(self);
      const time_ns until_ns = is_keeper ? keeper.announce_sleep() : k_never_ns;
      idle.announce_sleep(self, is_searching);
#else
      idle.announce_sleep(self, is_searching);
      if (!is_keeper) is_keeper = keeper.try_take(self);
      const time_ns until_ns = is_keeper ? keeper.announce_sleep() : k_never_ns;
#endif
      is_searching = true;
      if (until_ns != k_never_ns) {
        idle.retract_sleep(self);
        if (is_keeper) keeper.wake_up();
        if (until_ns == k_due_ns) break;
        atomics::pause();  // one that was cancelled: somebody polls
        continue;
      }
      (void)idle.sleep(self);
      if (is_keeper) keeper.wake_up();
    }
    (void)idle.stop_searching();
  }

  // The keeper, which counts as searching, has found work.
  void leave_for_work() {
    keeper.resign();
    if (idle.stop_searching() == park::duty::none) return;
#ifndef FILCH_MUTANT_NO_SUCCESSOR
    if (keeper.needs_keeper()) idle.notify();
#endif
  }

  park::idle<atomics> idle;
  park::keeper<atomics> keeper;

 private:
  void answer(keeper_call call) {
    if (call.what == keeper_call::kind::keeper) idle.notify_worker(call.who);
    if (call.what == keeper_call::kind::vacant) idle.notify();
  }

  atomics::atomic<time_ns> noted_{k_never_ns};
};

void a_deadline_against_falling_asleep(context& c) {
  office o{1};
  c.thread("worker", [&] { o.sleep_until_due({0}); });
  o.set_deadline();
  c.join_all();
}

void a_deadline_against_two_falling_asleep(context& c) {
  office o{2};
  for (std::uint32_t i = 0; i != 2; ++i) {
    c.thread("worker", [&o, i] {
      o.sleep_until_due({i});
      o.keeper.resign();  // the other sleeps on, as it may, until it is its turn
      o.idle.notify_all();
    });
  }
  o.set_deadline();
  c.join_all();
}

// The deadline is there, or comes, while the keeper leaves for a task that takes long and another falls asleep.
void a_keeper_that_resigns_against_one_that_falls_asleep(context& c, bool is_set_before) {
  office o{2};
  require(o.keeper.try_take({0}) && o.idle.try_start_searching(), "a keeper that searches");
  if (is_set_before) o.set_deadline();
  c.thread("worker", [&] { o.sleep_until_due({1}); });
  if (!is_set_before) c.thread("source", [&] { o.set_deadline(); });
  o.leave_for_work();
  c.join_all();
}

// Who polls raises the earliest deadline while another sets one, and a third falls asleep upon it.
void a_deadline_against_a_poll(context& c) {
  office o{1};
  require(o.keeper.lower(k_cancelled_ns).what == keeper_call::kind::vacant, "nobody keeps yet");
  c.thread("source", [&] { o.set_deadline(); });
  o.poll();
  c.join_all();
  require(o.keeper.earliest_ns() <= k_due_ns, "the deadline is not lost", o.keeper.earliest_ns());
}

void a_deadline_against_a_poll_and_falling_asleep(context& c) {
  office o{2};
  (void)o.keeper.lower(k_cancelled_ns);
  c.thread("poller", [&] { o.poll(); });
  c.thread("source", [&] { o.set_deadline(); });
  o.sleep_until_due({0});
  c.join_all();
}

// The role goes from one to the other; who reads the later one's announcement reads its name.
void a_name_goes_with_the_announcement(context& c) {
  park::keeper<atomics> keeper;
  require(keeper.try_take({7}), "the first keeper");
  c.thread("first", [&] {
    (void)keeper.announce_sleep();
    keeper.resign();
  });
  c.thread("second", [&] {
    if (keeper.try_take({8})) (void)keeper.announce_sleep();
  });
  const keeper_call call = keeper.lower(k_due_ns);
  c.join_all();
  if (call.what == keeper_call::kind::keeper) require(call.who.value == 7 || call.who.value == 8, "a keeper's name");
  const keeper_call later = keeper.lower(1);
  if (later.what == keeper_call::kind::keeper)
    require(later.who == worker_id{8}, "the last keeper's name", later.who.value);
}

void the_second_keepers_name(context& c) {
  park::keeper<atomics> keeper;
  c.thread("first", [&] {
    if (!keeper.try_take({7})) return;
    keeper.resign();
  });
  c.thread("second", [&] {
    while (!keeper.try_take({8})) atomics::pause();
    (void)keeper.announce_sleep();
  });
  keeper_call call;
  time_ns at_ns = 1'000'000;
  while (call.what != keeper_call::kind::keeper) {
    call = keeper.lower(--at_ns);
    if (call.what != keeper_call::kind::keeper) atomics::pause();
  }
  require(call.who == worker_id{8}, "only the second announces a sleep", call.who.value);
  c.join_all();
}

// ---- timers ---------------------------------------------------------------------------------------------------------

using node = time::basic_timer_node<atomics>;
using shard = time::timer_shard<time::timer_wheel<node>, atomics>;

// Who waits for it: woken once, by who took it out.
struct sleeper : node {
  sleeper() : node{[](node&, timer_state) noexcept {}} { at_ns = k_due_ns; }

  void wake() {
    woken.set(woken.get() + 1);
    place.unpark();
  }

  atomics::var<int> woken{0};
  park::parker<atomics> place;
};

void fire_what_is_due(shard& s) {
  for (node* due = s.take_due(k_due_ns, 8); due != nullptr;) {
    auto& mine = static_cast<sleeper&>(*due);
    due = due->next;
    mine.wake();
  }
}

void firing_against_cancelling(context& c) {
  shard s;
  sleeper one;
  require(s.add(one) == timer_added::earliest, "the first is the earliest");
  c.thread("poller", [&] { fire_what_is_due(s); });
  c.thread("canceller", [&] {
    if (s.cancel(one)) one.wake();
  });
  (void)one.place.park();
  require(one.woken.get() == 1, "woken once", one.woken.get());
  c.join_all();
  require(s.size() == 0 && one.woken.get() == 1, "fired or cancelled, not both", one.woken.get());
}

// The stop comes before, while or after the timer is started; nobody fires it.
void starting_against_cancelling(context& c) {
  shard s;
  sleeper one;
  c.thread("canceller", [&] {
    if (s.cancel(one)) one.wake();
  });
  if (s.add(one) != timer_added::refused) {
    (void)one.place.park();
    require(one.woken.get() == 1, "woken once");
  }
  c.join_all();
  require(s.size() == 0, "nothing is left");
}

void starting_against_the_end(context& c) {
  shard s;
  sleeper one;
  c.thread("end", [&] {
    for (node* each = s.close(); each != nullptr; each = each->next) static_cast<sleeper*>(each)->wake();
  });
  if (s.add(one) != timer_added::refused) (void)one.place.park();
  c.join_all();
  require(s.size() == 0 && one.state.get() == timer_state::cancelled, "nobody sleeps on");
}

// Two timers of two threads, one poller: the later of the two is told to the keeper only if it is earlier.
void two_start_and_one_polls(context& c) {
  shard s;
  sleeper early;
  sleeper late;
  late.at_ns = 2 * k_due_ns;
  c.thread("other", [&] { (void)s.add(late); });
  (void)s.add(early);
  fire_what_is_due(s);
  c.join_all();
  require(early.woken.get() == 1 && late.woken.get() == 0, "what is due and nothing else");
  require(s.earliest_ns() == 2 * k_due_ns, "the later one is the earliest now", s.earliest_ns());
}

options strict(options how) {
  how.timeouts_rescue = false;
  return how;
}

}  // namespace

std::vector<scenario> all_scenarios() {
  return {
      {"a_deadline_against_falling_asleep", strict(bounded(3, 5)), a_deadline_against_falling_asleep},
      {"a_deadline_against_two_falling_asleep", strict(sampled(10'000, 3'000'000)),
       a_deadline_against_two_falling_asleep},
      {"a_keeper_that_resigns_with_a_deadline", strict(bounded(3, 5)),
       [](context& c) { a_keeper_that_resigns_against_one_that_falls_asleep(c, true); }},
      {"a_keeper_that_resigns_while_a_deadline_comes", strict(bounded(2, 4)),
       [](context& c) { a_keeper_that_resigns_against_one_that_falls_asleep(c, false); }},
      {"a_deadline_against_a_poll", strict(bounded(3, 6)), a_deadline_against_a_poll},
      {"a_deadline_against_a_poll_and_falling_asleep", strict(bounded(2, 4)),
       a_deadline_against_a_poll_and_falling_asleep},
      {"a_name_goes_with_the_announcement", strict(bounded(2, 4)), a_name_goes_with_the_announcement},
      {"the_second_keepers_name", strict(sampled(20'000, 1'000'000)), the_second_keepers_name},
      {"firing_against_cancelling", strict(bounded(3, 6)), firing_against_cancelling},
      {"starting_against_cancelling", strict(bounded(3, 6)), starting_against_cancelling},
      {"starting_against_the_end", strict(bounded(3, 6)), starting_against_the_end},
      {"two_start_and_one_polls", strict(bounded(3, 6)), two_start_and_one_polls},
  };
}

}  // namespace filch::check
