// The kernels of coroutines under the model checker: the count of children, the depot of free memory, requests to stop.
//
// Properties: exactly one strand goes on with the parent, after all children, and sees what they did; a batch that was
// put is taken by at most one thread, complete, and is not lost; a request to stop reaches who wants to be told, before
// or after, with what was done before it. Oracles: counts, and plain data that the checker watches for races.
#include "scenario.hpp"

#include <filch/coro/hand_over.hpp>
#include <filch/coro/join_count.hpp>
#include <filch/coro/stop_word.hpp>
#include <coro/depot.hpp>

#include <array>

namespace filch::check {
namespace {

// Strands of so many children each. The parent's state is plain: two that go on would race.
void strands_end(context& c, std::array<std::uint32_t, 3> strands) {
  coro::join_count<atomics> unfinished{strands[0] + strands[1] + strands[2]};
  std::array<atomics::var<int>, 3> results;
  atomics::var<int> parent{0};
  const auto run = [&](std::size_t i) {
    results[i].set(7);
    if (!unfinished.end(strands[i])) return;
    for (std::size_t k = 0; k != 3; ++k) require(strands[k] == 0 || results[k].get() == 7, "results are visible");
    parent.set(parent.get() + 1);
  };
  for (std::size_t i = 1; i != 3; ++i) {
    if (strands[i] != 0) c.thread("strand", [&run, i] { run(i); });
  }
  run(0);
  c.join_all();
  require(parent.get() == 1, "the parent goes on once");
}

struct batch {
  atomics::var<int> contents{0};
};

// Both put what they have and take what they find; what is left is counted.
void batches_are_exchanged(context& c, int turns) {
  coro::depot<batch, 2, atomics> shared;
  std::array<batch, 2> batches;
  atomics::atomic<int> kept{0};
  const auto exchange = [&](batch& own) {
    batch* held = &own;
    for (int i = 0; i != turns; ++i) {
      if (held != nullptr) {
        held->contents.set(held->contents.get() + 1);
        if (shared.put(held)) held = nullptr;
      }
      if (held == nullptr) held = shared.take();
      if (held != nullptr) held->contents.set(held->contents.get() + 1);
    }
    if (held != nullptr) kept.fetch_add(1, std::memory_order_relaxed);
  };
  c.thread("other", [&] { exchange(batches[1]); });
  exchange(batches[0]);
  c.join_all();
  int left = 0;
  while (shared.take() != nullptr) ++left;
  require(kept.load(std::memory_order_relaxed) + left == 2, "no batch is lost or doubled");
}

// One slot and two who put: one is refused and keeps its batch.
void a_full_depot_refuses(context& c) {
  coro::depot<batch, 1, atomics> shared;
  std::array<batch, 2> batches;
  atomics::atomic<int> refused{0};
  const auto put = [&](batch& own) {
    own.contents.set(7);
    if (shared.put(&own)) return;
    own.contents.set(8);
    refused.fetch_add(1, std::memory_order_relaxed);
  };
  c.thread("other", [&] { put(batches[1]); });
  put(batches[0]);
  c.join_all();
  require(refused.load(std::memory_order_relaxed) == 1, "one slot holds one");
  batch* const held = shared.take();
  require(held != nullptr && held->contents.get() == 7 && shared.take() == nullptr, "the one that was not refused");
}

// Two who take what a third has put.
void one_of_two_takes_it(context& c) {
  coro::depot<batch, 1, atomics> shared;
  batch only;
  atomics::atomic<int> taken{0};
  const auto take = [&] {
    batch* const held = shared.take();
    if (held == nullptr) return;
    require(held->contents.get() == 7, "what is taken is complete");
    held->contents.set(8);
    taken.fetch_add(1, std::memory_order_relaxed);
  };
  c.thread("taker", take);
  c.thread("taker", take);
  only.contents.set(7);
  require(shared.put(&only), "there is room");
  c.join_all();
  take();
  require(taken.load(std::memory_order_relaxed) <= 1, "it is taken once");
}

// Who is told of a request to stop. What it holds is plain: who tells it must see it complete.
struct listener {
  atomics::var<int> contents{0};
  atomics::atomic<int> told{0};

  void request_stop() {
    require(contents.get() == 5, "the node is complete");
    told.store(1, std::memory_order_release);
  }
  [[nodiscard]] bool is_told() const { return told.load(std::memory_order_acquire) == 1; }
};

// One requests a stop after it has written something, one wants to be told, one only looks.
void a_stop_is_requested(context& c, bool is_watched) {
  coro::stop_word<listener, atomics> word;
  listener made;
  atomics::var<int> before{0};
  c.thread("requester", [&] {
    before.set(7);
    if (listener* const node = word.request()) node->request_stop();
  });
  if (is_watched) {
    c.thread("watcher", [&] {
      const auto seen = word.look();
      if (seen.is_requested) require(before.get() == 7, "what was done before the request is visible");
      if (seen.node != nullptr) require(seen.node->contents.get() == 5, "the node is complete");
    });
  }
  made.contents.set(5);
  require(word.publish(made) == &made, "nobody else has a node");
  if (made.is_told()) require(before.get() == 7, "what was done before the request is visible");
  c.join_all();
  require(made.is_told(), "the request arrives");
}

// Two want to be told: both hold on to the same node.
void two_want_to_be_told(context& c) {
  coro::stop_word<listener, atomics> word;
  std::array<listener, 2> made;
  std::array<listener*, 2> holds{};
  const auto ask = [&](std::size_t i) {
    made[i].contents.set(5);
    holds[i] = word.publish(made[i]);
    require(holds[i] != nullptr && holds[i]->contents.get() == 5, "the node is complete");
  };
  c.thread("other", [&] { ask(1); });
  ask(0);
  c.join_all();
  require(holds[0] == holds[1], "there is one node");
}

// One ends, one waits or looks: exactly one of them goes on with the waiter, and sees what was done.
void a_task_ends_while_it_is_waited_for(context& c, bool looks_first) {
  struct waiter {
    atomics::var<int> contents{0};
  };
  coro::hand_over<waiter, atomics> ending;
  waiter who;
  atomics::var<int> result{0};
  atomics::var<int> continued{0};
  c.thread("ending", [&] {
    result.set(7);
    const auto after = ending.end();
    require(!after.is_left, "the owner is there");
    if (after.waiter != nullptr) {
      require(after.waiter->contents.get() == 5, "the waiter is complete");
      continued.set(continued.get() + 1);
    }
  });
  who.contents.set(5);
  if ((looks_first && ending.has_ended()) || ending.wait(who)) {
    require(result.get() == 7, "what was done is visible");
    continued.set(continued.get() + 1);
  }
  c.join_all();
  require(continued.get() == 1, "who waits goes on once");
}

// One ends, its owner leaves: exactly one of them destroys the task, and knows what the other did with it.
void a_task_ends_while_its_owner_leaves(context& c) {
  struct none {};
  struct record {
    coro::hand_over<none, atomics> ending;
    atomics::var<int> result{0};
    atomics::var<int> of_owner{0};
  };
  auto* const made = atomics::make<record>();
  const auto destroy = [=] {
    require(made->result.get() == 7 && made->of_owner.get() == 5, "both are done with it");
    atomics::destroy(made);
  };
  c.thread("ending", [=] {
    made->result.set(7);
    const auto after = made->ending.end();
    require(after.waiter == nullptr, "nobody waits");
    if (after.is_left) destroy();
  });
  made->of_owner.set(5);
  if (made->ending.leave()) destroy();
  c.join_all();
}

}  // namespace

std::vector<scenario> all_scenarios() {
  return {
      {"a_task_ends_while_it_is_waited_for", bounded(3, 6),
       [](context& c) { a_task_ends_while_it_is_waited_for(c, false); }},
      {"a_task_ends_while_it_is_looked_at", bounded(3, 6),
       [](context& c) { a_task_ends_while_it_is_waited_for(c, true); }},
      {"a_stop_is_requested", bounded(3, 6), [](context& c) { a_stop_is_requested(c, false); }},
      {"a_stop_is_requested_and_watched", bounded(3, 5), [](context& c) { a_stop_is_requested(c, true); }},
      {"two_want_to_be_told_of_a_stop", bounded(3, 6), two_want_to_be_told},
      {"a_task_ends_while_its_owner_leaves", bounded(3, 6), a_task_ends_while_its_owner_leaves},
      {"one_strand_with_all_children", bounded(2, 4), [](context& c) { strands_end(c, {3, 0, 0}); }},
      {"two_strands_of_one_child_each", bounded(3, 6), [](context& c) { strands_end(c, {1, 1, 0}); }},
      {"three_strands_of_different_length", bounded(3, 6), [](context& c) { strands_end(c, {1, 3, 2}); }},
      {"batches_are_exchanged", bounded(3, 6), [](context& c) { batches_are_exchanged(c, 1); }},
      {"batches_are_exchanged_twice", bounded(2, 4), [](context& c) { batches_are_exchanged(c, 2); }},
      {"a_full_depot_refuses", bounded(3, 6), a_full_depot_refuses},
      {"one_of_two_takes_a_batch", bounded(3, 6), one_of_two_takes_it},
  };
}

}  // namespace filch::check
