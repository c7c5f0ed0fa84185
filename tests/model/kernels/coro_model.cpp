// The kernels of coroutines under the model checker: the count of children, and the depot of free memory.
//
// Properties: exactly one strand goes on with the parent, after all children, and sees what they did; a batch that was put is
// taken by at most one thread, complete, and is not lost. Oracles: counts, and plain data that the checker watches for races.
#include "scenario.hpp"

#include <filch/coro/join_count.hpp>
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

}  // namespace

std::vector<scenario> all_scenarios() {
  return {
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
