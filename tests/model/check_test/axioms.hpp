// The C++20 memory model as axioms, for tiny straight-line programs: the oracle of axioms_test.cpp.
//
// It shares nothing with the checker. It lists every choice of "reads from" and of modification orders, and keeps those
// that satisfy the standard's rules: coherence, atomicity of updates, and an order S of the seq_cst operations. Where
// the checker is stronger by design the oracle is so too: program order, reads-from and S together have no cycle.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace filch::check::litmus {

enum class step_kind : std::uint8_t { load, store, exchange, fence, compare_exchange };

// One operation. Values written are unique in the program and not 0, so that a value names its store.
struct program_step {
  step_kind kind;
  unsigned location;
  int value;
  std::memory_order order;
  int expected = 0;                                             // of a compare-exchange
  std::memory_order failure_order = std::memory_order_relaxed;  // of a compare-exchange
};

using listing = std::vector<std::vector<program_step>>;  // one list per thread

// What the loads and (compare-)exchanges read, thread by thread, then the last value of each location.
using final_state = std::vector<int>;

[[nodiscard]] std::set<final_state> allowed_by_axioms(const listing& p, unsigned locations);
[[nodiscard]] std::string to_text(const listing& p);

}  // namespace filch::check::litmus
