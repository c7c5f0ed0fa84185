// The checker against the axioms of the standard.
//
// Property: for a straight-line program the checker reaches exactly the final states that the axioms allow. Oracle:
// axioms.cpp, which lists candidate executions and shares nothing with the checker. Method: random programs of two or
// three threads on two locations with every kind of operation and order, searched exhaustively without bounds.
#include "axioms.hpp"
#include "litmus.hpp"

#include <filch/base/random.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace filch::check::litmus {
namespace {

constexpr unsigned k_locations = 2;
#ifdef FILCH_MODEL_DEEP
constexpr int k_programs = 20'000;
#else
constexpr int k_programs = 2'000;
#endif

std::set<final_state> seen_by_checker(const listing& p) {
  std::set<final_state> seen;
  const result r = run({.mode = exhaustive{.preemptions = k_unbounded}, .stale_reads = 100}, [&](context& c) {
    A::atomic<int> words[k_locations];
    std::vector<std::vector<int>> read(p.size());
    for (std::size_t t = 0; t != p.size(); ++t) {
      c.thread("thread", [&, t] {
        for (const program_step& s : p[t]) {
          switch (s.kind) {
            case step_kind::load:
              read[t].push_back(words[s.location].load(s.order));
              break;
            case step_kind::store:
              words[s.location].store(s.value, s.order);
              break;
            case step_kind::exchange:
              read[t].push_back(words[s.location].exchange(s.value, s.order));
              break;
            case step_kind::fence:
              A::fence(s.order);
              break;
            case step_kind::compare_exchange: {
              int value = s.expected;
              words[s.location].compare_exchange(value, s.value, s.order, s.failure_order);
              read[t].push_back(value);
              break;
            }
          }
        }
      });
    }
    c.join_all();
    final_state state;
    for (const auto& values : read) state.insert(state.end(), values.begin(), values.end());
    for (const auto& word : words) state.push_back(word.load(memory_order_relaxed));
    seen.insert(state);
  });
  EXPECT_FALSE(r.failed) << r.report;
  EXPECT_TRUE(r.exhausted);
  return seen;
}

listing random_program(random_stream& random) {
  constexpr std::memory_order k_loads[] = {memory_order_relaxed, memory_order_acquire, memory_order_seq_cst};
  constexpr std::memory_order k_stores[] = {memory_order_relaxed, memory_order_release, memory_order_seq_cst};
  constexpr std::memory_order k_updates[] = {memory_order_relaxed, memory_order_acquire, memory_order_release,
                                             memory_order_acq_rel, memory_order_seq_cst};
  constexpr std::memory_order k_fences[] = {memory_order_acquire, memory_order_release, memory_order_seq_cst,
                                            memory_order_seq_cst};
  const std::size_t threads = 2 + random.below(2);
  listing p(threads);
  int value = 0;
  for (auto& steps : p) {
    const std::size_t length = threads == 2 ? 2 + random.below(3) : 1 + random.below(3);
    while (steps.size() != length) {
      const auto location = static_cast<unsigned>(random.below(k_locations));
      switch (random.below(8)) {
        case 0:
        case 1:
        case 2:
          steps.push_back({step_kind::load, location, 0, k_loads[random.below(3)]});
          break;
        case 3:
        case 4:
          steps.push_back({step_kind::store, location, ++value, k_stores[random.below(3)]});
          break;
        case 5:
          steps.push_back({step_kind::exchange, location, ++value, k_updates[random.below(5)]});
          break;
        case 6: {
          const int expected = static_cast<int>(random.below(4));
          steps.push_back({step_kind::compare_exchange, location, ++value, k_updates[random.below(5)], expected,
                           k_loads[random.below(3)]});
          break;
        }
        default:
          steps.push_back({step_kind::fence, 0, 0, k_fences[random.below(4)]});
          break;
      }
    }
  }
  return p;
}

std::uint64_t seed_of_this_run() {
  const char* text = std::getenv("FILCH_SEED");
  return text == nullptr ? 2026 : std::strtoull(text, nullptr, 10);
}

TEST(axioms, and_checker_agree_on_random_programs) {
  const std::uint64_t seed = seed_of_this_run();
  std::size_t states = 0;
  for (int i = 0; i != k_programs; ++i) {
    random_stream random = random_stream{seed}.split(static_cast<std::uint64_t>(i));
    const listing p = random_program(random);
    const auto allowed = allowed_by_axioms(p, k_locations);
    const auto seen = seen_by_checker(p);
    states += seen.size();
    if (allowed == seen) continue;
    std::vector<final_state> missed, invented;
    std::set_difference(allowed.begin(), allowed.end(), seen.begin(), seen.end(), std::back_inserter(missed));
    std::set_difference(seen.begin(), seen.end(), allowed.begin(), allowed.end(), std::back_inserter(invented));
    std::string lists;
    for (const auto& s : missed) lists += "  allowed, not seen: " + text(s) + "\n";
    for (const auto& s : invented) lists += "  seen, not allowed: " + text(s) + "\n";
    FAIL() << "FILCH_SEED=" << seed << ", program " << i << ":\n" << to_text(p) << lists;
  }
  RecordProperty("seed", std::to_string(seed));
  EXPECT_GT(states, static_cast<std::size_t>(k_programs)) << "programs have several outcomes";
}

// The oracle itself, on shapes whose answer is known.
TEST(axioms, know_store_buffering) {
  const auto shape = [](std::memory_order store, std::memory_order load) {
    return listing{{{step_kind::store, 0, 1, store}, {step_kind::load, 1, 0, load}},
                   {{step_kind::store, 1, 2, store}, {step_kind::load, 0, 0, load}}};
  };
  const final_state both_old = {0, 0, 1, 2};
  EXPECT_TRUE(allowed_by_axioms(shape(memory_order_release, memory_order_acquire), 2).contains(both_old));
  EXPECT_FALSE(allowed_by_axioms(shape(memory_order_seq_cst, memory_order_seq_cst), 2).contains(both_old));
}

}  // namespace
}  // namespace filch::check::litmus
