// The scenarios of the lesson from which filch began, repeated byte for byte: its log lines, its statistics, its random
// stream (CPython's) and its clock (floating-point seconds).
//
// This mode exists to compare with that lesson, whose figures are known. It keeps the lesson's faults: nothing but work
// takes time, idle workers poll every 0.1 s, and a run never ends by itself. Everything else uses the worker model.
//
//   basic            3 workers, 10 tasks of 0.5 to 2 s on random workers
//   spawning         4 workers, 5 tasks of 1 to 3 s, one every 0.5 s; a task has children in the middle, 3 times in 10
//   adaptive         4 workers, 15 tasks of 1 to 2 s, 12 of them on worker 0; thieves go to the longest queue
//   adaptive_random  the same tasks; thieves go to random queues
//   granularity      4 workers, 50 s of work in tasks of 0.1, 0.5 and 2 s; one run after the other
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>
#include <vector>

namespace filch::inline v0::sim::lesson {

// The seed with which the lesson printed its figures.
inline constexpr std::uint64_t k_seed = 192837;

// What a run came to.
struct figures {
  std::uint64_t executed = 0;
  std::uint64_t stolen = 0;
  double makespan_s = 0;  // when the last task ended
  double wall_s = 0;      // granularity: when the lesson's own poll, once a second, saw that nothing was left

  friend bool operator==(const figures&, const figures&) = default;
};

[[nodiscard]] std::span<const std::string_view> scenarios();

// Runs a scenario and prints what the lesson prints. One entry for each run that it consists of: three for granularity,
// one for the others. Throws std::invalid_argument for a name that is none of scenarios().
std::vector<figures> run(std::string_view scenario, std::uint64_t seed, std::ostream& out);

}  // namespace filch::inline v0::sim::lesson
