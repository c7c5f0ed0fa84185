// The kernels of the runtime under the model checker: the completion of a task, its reference count, the task counts,
// and the event count that wait_idle sleeps on.
//
// Properties: a task is run by exactly one of those who may claim it; whoever sees it finished sees its result and is
// woken; a listener is told once, or gives up; the last reference destroys it, after everything the others did;
// "everything is done" is said only when it is, and whoever waits for it is woken. Oracles: counts, plain data that the
// checker watches for races, and "no thread can run" for a wake-up that was lost. Conditions are read with relaxed
// operations, so that only the kernels order anything.
#include "scenario.hpp"

#include <filch/park/event_count.hpp>
#include <filch/runtime/completion.hpp>
#include <runtime/task_counts.hpp>

#include <array>
#include <cstdint>

namespace filch::check {
namespace {

constexpr auto k_relaxed_order = std::memory_order_relaxed;

// A worker takes the task out of a queue while the owner of its future waits for it, and may run it itself.
void one_of_two_runs_it(context& c, bool waiter_may_run, time_ns deadline_ns) {
  completion<atomics> state;
  atomics::var<int> result{0};
  int runs = 0;
  const auto run_if_claimed = [&] {
    if (!state.claim()) return;
    ++runs;
    result.set(7);
    state.finish(false);
  };
  c.thread("worker", run_if_claimed);
  if (waiter_may_run) run_if_claimed();
  if (state.block(deadline_ns)) {
    require(result.get() == 7, "who sees it finished sees the result");
    require(!state.is_cancelled(), "it was not cancelled");
  }
  c.join_all();
  require(runs == 1, "it is run once", runs);
}

void two_wait_for_it(context& c) {
  completion<atomics> state;
  atomics::var<int> result{0};
  require(state.claim(), "nobody else is there");
  for (int i = 0; i != 2; ++i) {
    c.thread("waiter", [&] {
      require(state.block(), "without a deadline it waits until the end");
      require(result.get() == 7 && state.is_cancelled(), "it sees what was written before the end");
    });
  }
  result.set(7);
  state.finish(true);
  c.join_all();
}

// What a listener wrote before it listened, and how it went on.
struct listening final : finish_listener {
  void finished() noexcept override {
    require(ready.get() == 1, "who tells sees what the listener wrote");
    go_on();
  }
  void go_on() {
    ++times;
    is_told.store(1, std::memory_order_release);
  }
  void wait() {
    while (is_told.load(std::memory_order_acquire) == 0) atomics::pause();
  }

  atomics::var<int> ready{0};
  atomics::atomic<int> is_told{0};
  int times = 0;
};

// A worker runs the task while a listener comes, and perhaps is asked to stop: whoever of the two comes first lets it
// go on, and nobody else does.
void a_listener_is_told_once(context& c, bool is_asked_to_stop) {
  completion<atomics> state;
  atomics::var<int> result{0};
  listening who;
  bool gave_up = false;
  bool was_cancelled = false;
  c.thread("worker", [&] {
    require(state.claim(), "nobody else claims it");
    const bool cancel = state.is_unwanted();
    was_cancelled = cancel;
    if (!cancel) result.set(7);
    state.finish(cancel);
  });
  if (is_asked_to_stop) {
    c.thread("who asks to stop", [&] {
      if (!state.give_up()) return;
      gave_up = true;
      require(who.ready.get() == 1, "what it wrote before it listened is known");
      who.go_on();
    });
  }
  who.ready.set(1);
  const bool listens = state.listen(who);
  if (listens) who.wait();
  if (!gave_up && state.is_finished() && !state.is_cancelled())
    require(result.get() == 7, "who is told sees the result");
  if (!is_asked_to_stop) require(state.is_finished(), "it goes on at the end, not before");
  c.join_all();
  require(who.times == (listens ? 1 : 0), "it is let go on once if it listens, and never otherwise", who.times);
  require(state.is_finished(), "it is finished in any case");
  require(is_asked_to_stop || !was_cancelled, "what is wanted is run");
}

// Who has given up before the claim is not run for; one that has not is.
void what_nobody_wants_is_known(context& c) {
  completion<atomics> state;
  require(!state.give_up(), "it does not listen yet");
  listening who;
  require(!state.listen(who), "who has given up does not listen");
  require(state.claim() && state.is_unwanted(), "who claims it knows");
  state.finish(true);
  require(state.is_finished() && state.is_cancelled() && who.times == 0, "nobody was told");
  c.join_all();
}

void finishing_what_was_not_claimed(context& c) {
  completion<atomics> state;
  state.finish(false);
  c.join_all();
}

// Each holder writes what only it may touch; whoever is last reads it all and destroys.
void the_last_reference_destroys(context& c) {
  auto* const count = atomics::make<reference_count<atomics>>(2u);
  auto* const parts = atomics::make<std::array<atomics::var<int>, 3>>();
  const auto hold = [=](std::size_t i) {
    (*parts)[i].set(1);
    if (!count->drop()) return;
    int sum = 0;
    for (auto& part : *parts) sum += part.get();
    require(sum == 3, "the last one sees what the others did", sum);
    atomics::destroy(parts);
    atomics::destroy(count);
  };
  count->add();
  for (std::size_t i = 0; i != 2; ++i) c.thread("holder", [=] { hold(i); });
  hold(2);
  c.join_all();
}

// Two workers; the body submits a task from outside that makes another one for the second worker. Whoever is told that
// everything is done must see everything that the tasks did.
void everything_done_is_noticed(context& c, bool with_second_waiter) {
  std::array<task_counts<atomics>, 2> books;
  task_counts<atomics> outside;
  park::event_count<atomics> became_idle;
  atomics::var<int> did[2];
  atomics::atomic<int> handed{0};
  const auto is_done = [&] {
    return is_balanced([&](auto&& visit) {
      visit(outside);
      for (const auto& each : books) visit(each);
    });
  };
  outside.add_made();
  c.thread("first worker", [&] {
    books[0].made();
    did[0].set(1);
    handed.store(1, std::memory_order_release);
    books[0].finished();
    became_idle.notify(is_done);
  });
  c.thread("second worker", [&] {
    while (handed.load(std::memory_order_acquire) == 0) atomics::pause();
    did[1].set(1);
    books[1].finished();
    became_idle.notify(is_done);
  });
  const auto wait = [&] {
    require(became_idle.wait(is_done), "without a deadline it waits until all is done");
    require(did[0].get() == 1 && did[1].get() == 1, "what was done is visible");
  };
  if (with_second_waiter) c.thread("other waiter", wait);
  wait();
  c.join_all();
}

// A submission that is refused is counted as made and finished; it must not hide one that is not finished.
void a_refusal_is_balanced(context& c) {
  task_counts<atomics> outside;
  task_counts<atomics> books;
  park::event_count<atomics> became_idle;
  const auto is_done = [&] {
    return is_balanced([&](auto&& visit) {
      visit(outside);
      visit(books);
    });
  };
  c.thread("refused", [&] {
    outside.add_made();
    outside.add_finished();
    became_idle.notify(is_done);
  });
  require(became_idle.wait(is_done), "a refusal holds nobody up");
  c.join_all();
}

// … and one that is refused while another is pending must not make the books look balanced.
void a_refusal_hides_nothing(context& c) {
  task_counts<atomics> outside;
  outside.add_made();
  c.thread("refused", [&] {
    outside.add_made();
    outside.add_finished();
  });
  require(!is_balanced([&](auto&& visit) { visit(outside); }), "one is pending all the time");
  c.join_all();
}

// Two parts of a condition, brought about by two threads: the later one must notice that it is complete.
void a_condition_in_two_parts(context& c, time_ns deadline_ns) {
  park::event_count<atomics> event;
  atomics::atomic<int> parts[2];
  const auto ready = [&] { return parts[0].load(k_relaxed_order) + parts[1].load(k_relaxed_order) == 2; };
  for (auto& part : parts) {
    c.thread("notifier", [&] {
      part.store(1, k_relaxed_order);
      event.notify(ready);
    });
  }
  const bool is_ready = event.wait(ready, deadline_ns);
  require(is_ready || deadline_ns != k_never_ns, "only a deadline ends the wait early");
  c.join_all();
}

// What a notifier did before is visible to who waited, through a condition that orders nothing itself.
void a_condition_brings_its_past(context& c) {
  park::event_count<atomics> event;
  atomics::atomic<int> flag{0};
  const auto ready = [&] { return flag.load(k_relaxed_order) == 1; };
  c.thread("notifier", [&] {
    flag.store(1, k_relaxed_order);
    event.notify(ready);
  });
  require(event.wait(ready), "it becomes true");
  require(event.wait(ready), "and stays true");
  c.join_all();
}

options strict(options how) {
  how.timeouts_rescue = false;
  return how;
}

}  // namespace

std::vector<scenario> all_scenarios() {
  return {
      {"a_worker_runs_it_while_its_owner_waits", bounded(3, 6),
       [](context& c) { one_of_two_runs_it(c, false, k_never_ns); }},
      {"one_of_worker_and_waiter_runs_it", bounded(3, 6), [](context& c) { one_of_two_runs_it(c, true, k_never_ns); }},
      {"a_waiter_with_a_deadline", bounded(3, 6), [](context& c) { one_of_two_runs_it(c, false, 1); }},
      {"two_wait_for_it", bounded(3, 5), two_wait_for_it},
      {"a_listener_is_told_of_the_end", bounded(3, 6), [](context& c) { a_listener_is_told_once(c, false); }},
      {"a_listener_is_told_or_gives_up", bounded(3, 5), [](context& c) { a_listener_is_told_once(c, true); }},
      {"what_nobody_wants_is_known", bounded(0, 0), what_nobody_wants_is_known},
      {"finishing_what_was_not_claimed_is_refused", bounded(0, 0), finishing_what_was_not_claimed, failure::assertion},
      {"the_last_reference_destroys", bounded(3, 5), the_last_reference_destroys},
      {"a_condition_brings_its_past", strict(bounded(3, 6)), a_condition_brings_its_past},
      {"a_condition_in_two_parts", strict(bounded(3, 4)), [](context& c) { a_condition_in_two_parts(c, k_never_ns); }},
      {"a_condition_in_two_parts_with_a_deadline", strict(bounded(2, 4)),
       [](context& c) { a_condition_in_two_parts(c, 1); }},
      {"a_refusal_is_balanced", strict(bounded(3, 5)), a_refusal_is_balanced},
      {"a_refusal_hides_nothing", bounded(3, 5), a_refusal_hides_nothing},
      {"everything_done_is_noticed", strict(bounded(2, 4)), [](context& c) { everything_done_is_noticed(c, false); }},
      {"everything_done_is_noticed_by_both", strict(sampled(20'000, 3'000'000)),
       [](context& c) { everything_done_is_noticed(c, true); }},
  };
}

}  // namespace filch::check
