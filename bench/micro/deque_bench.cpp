// The work-stealing deque against the locked one. crossbeam/src/main.rs has the same loops over crossbeam-deque: a
// change here needs the same change there.
//
// Every benchmark adds up the items it got and compares with what it put in, so that nothing can be optimised away and
// a wrong deque does not get a time. A time is per pair, per item or per steal, as the name says in
// `bench/run_micro.py`.
#include "team.hpp"

#include <filch/queue/deque.hpp>
#include <filch/queue/locked_deque.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace filch_bench {
namespace {

using item = std::uint64_t;
using lock_free = filch::queue::deque<item>;
using locked = filch::queue::locked_deque<item>;
using filch::std_atomics;

constexpr std::uint64_t k_batch = 1024;      // operations between two looks at the clock
constexpr std::uint64_t k_fill = 1024;       // items in a victim
constexpr std::size_t k_robberies = 1001;    // of one run
constexpr std::uint32_t k_batch_limit = 32;  // items a thief takes at once: what crossbeam takes
constexpr std::uint64_t k_sum_of_batch = k_batch * (k_batch - 1) / 2;

void expect(benchmark::State& state, std::uint64_t got, std::uint64_t wanted) {
  if (got != wanted) state.SkipWithError("an item was lost or came twice");
}

// Owner alone: push one, pop one. `state.range(0)` items lie below.
template <class Deque>
void pair(benchmark::State& state) {
  const auto queue = std::make_unique<Deque>();
  auto owner = queue->owner();
  for (std::int64_t i = 0; i != state.range(0); ++i) owner.push(0);
  std::uint64_t sum = 0;
  std::uint64_t batches = 0;
  while (state.KeepRunningBatch(k_batch)) {
    for (item i = 0; i != k_batch; ++i) {
      owner.push(i);
      sum += owner.pop().value_or(~item{0});
    }
    ++batches;
  }
  expect(state, sum, batches * k_sum_of_batch);
}

// Owner alone: push n, pop n. Per pair.
template <class Deque>
void fill_drain(benchmark::State& state) {
  const auto queue = std::make_unique<Deque>();
  auto owner = queue->owner();
  const auto n = static_cast<item>(state.range(0));
  std::uint64_t sum = 0;
  std::uint64_t batches = 0;
  while (state.KeepRunningBatch(state.range(0))) {
    for (item i = 0; i != n; ++i) owner.push(i);
    for (item i = 0; i != n; ++i) sum += owner.pop().value_or(~item{0});
    ++batches;
  }
  expect(state, sum, batches * (n * (n - 1) / 2));
}

// Fills a victim whose owner then rests, and times `rob(thief)` alone. The median of many such robberies, per item.
template <class Deque, class Rob>
void robbery(benchmark::State& state, Rob rob) {
  const auto queue = std::make_unique<Deque>();
  auto owner = queue->owner();
  auto thief = queue->thief();
  for (auto _ : state) {
    std::vector<double> times_s(k_robberies);
    for (double& time_s : times_s) {
      for (item i = 0; i != k_fill; ++i) owner.push(i);
      const auto begin = clock::now();
      const std::uint64_t sum = rob(thief);
      time_s = seconds_since(begin);
      expect(state, sum, k_fill * (k_fill - 1) / 2);
    }
    std::nth_element(times_s.begin(), times_s.begin() + k_robberies / 2, times_s.end());
    state.SetIterationTime(times_s[k_robberies / 2] / static_cast<double>(k_fill));
  }
}

// One by one.
template <class Deque>
void steal(benchmark::State& state) {
  robbery<Deque>(state, [](auto& thief) {
    std::uint64_t sum = 0;
    for (item i = 0; i != k_fill; ++i) sum += thief.steal().item;
    return sum;
  });
}

// In batches of up to half of the victim's items, which the thief pops from its own deque.
template <class Deque>
void steal_half(benchmark::State& state) {
  const auto loot = std::make_unique<Deque>();
  auto robber = loot->owner();
  robbery<Deque>(state, [&](auto& thief) {
    std::uint64_t sum = 0;
    while (true) {
      const auto batch = thief.steal_half(robber, k_batch_limit);
      if (!batch.is_taken()) break;
      sum += batch.item;
      while (const auto further = robber.pop()) sum += *further;
    }
    return sum;
  });
}

struct alignas(128) tally {
  std::uint64_t items = 0;
  std::uint64_t sum = 0;
};

// The owner pushes `range(1)` items and pops until it finds none, over and over for a fixed real time, while `range(0)`
// thieves steal without a rest. The thieves share the CPUs that the owner does not use. Per item that came out again,
// by whomever: the owner's pairs and the thieves' steals together.
template <class Deque>
void contended(benchmark::State& state) {
  const auto thieves = static_cast<std::uint32_t>(state.range(0));
  const auto burst = static_cast<item>(state.range(1));
  const std::uint32_t others = usable_cpu_count() > 1 ? usable_cpu_count() - 1 : 1;
  for (auto _ : state) {
    const auto queue = std::make_unique<Deque>();
    std::vector<tally> stolen(thieves);
    team helpers;
    for (std::uint32_t n = 0; n != thieves; ++n) {
      helpers.start(1 + n % others, [&, n] {
        auto thief = queue->thief();
        tally mine;
        while (!helpers.is_stopped()) {
          const auto got = thief.steal();
          if (got.is_taken()) {
            mine.sum += got.item;
            ++mine.items;
          } else {
            std_atomics::pause();
          }
        }
        stolen[n] = mine;
      });
    }
    auto owner = queue->owner();
    tally popped;
    item next = 0;
    helpers.go();
    const auto begin = clock::now();
    do {
      for (std::uint64_t done = 0; done < k_batch; done += burst) {
        for (item i = 0; i != burst; ++i) owner.push(next++);
        while (const auto got = owner.pop()) {
          popped.sum += *got;
          ++popped.items;
        }
      }
    } while (seconds_since(begin) < run_time_s());
    const double elapsed_s = seconds_since(begin);
    helpers.stop();

    tally all = popped;
    for (const tally& one : stolen) all.items += one.items, all.sum += one.sum;
    expect(state, all.items, next);
    expect(state, all.sum, next * (next - 1) / 2);
    state.SetIterationTime(elapsed_s / static_cast<double>(next));
    state.counters["stolen_share"] = static_cast<double>(all.items - popped.items) / static_cast<double>(all.items);
  }
}

template <class Deque>
void register_all(const std::string& who) {
  using benchmark::RegisterBenchmark;
  const auto name = [&](const char* what) { return what + ("/" + who); };
  RegisterBenchmark(name("pair_empty").c_str(), pair<Deque>)->Arg(0);
  RegisterBenchmark(name("pair_deep").c_str(), pair<Deque>)->Arg(16);
  RegisterBenchmark(name("fill_drain_64").c_str(), fill_drain<Deque>)->Arg(64);
  RegisterBenchmark(name("fill_drain_1024").c_str(), fill_drain<Deque>)->Arg(1024);
  RegisterBenchmark(name("steal").c_str(), steal<Deque>)->UseManualTime()->Iterations(1);
  RegisterBenchmark(name("steal_half").c_str(), steal_half<Deque>)->UseManualTime()->Iterations(1);
  const auto pressed = [&](const char* what, std::int64_t thieves, std::int64_t burst) {
    RegisterBenchmark(name(what).c_str(), contended<Deque>)->Args({thieves, burst})->UseManualTime()->Iterations(1);
  };
  pressed("contended_pairs_1_thief", 1, 1);
  pressed("contended_pairs_2_thieves", 2, 1);
  pressed("contended_bursts_1_thief", 1, 64);
  pressed("contended_bursts_2_thieves", 2, 64);
}

const bool k_registered = (register_all<lock_free>("filch"), register_all<locked>("locked"), true);

}  // namespace
}  // namespace filch_bench
