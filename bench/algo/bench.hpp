// Measures variants of one piece of work in turn, so that a busy machine disturbs all alike, and prints medians.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace bench {

enum class clock_kind { cpu, wall };

struct variant {
  std::string name;
  std::function<void()> work;
  std::function<void()> prepare = [] {};  // before each, not measured
};

// The first variant is the one that the others are compared with. Each is repeated until it takes about a millisecond.
void compare(const std::string& what, const std::vector<variant>& variants, bool is_repeatable = true);

// What the whole program was asked for.
struct settings {
  std::string only;  // parts whose name contains it
  std::size_t rounds = 11;
  unsigned workers = 1;
  clock_kind clock = clock_kind::cpu;
};
extern settings chosen;

// The parts. They run on a worker.
void loops();
void splitting();
void sorts();

}  // namespace bench
