// Recorded tasks as they might be: what a change of the program would do to its run. Each function gives new tasks and
// leaves the old ones as they are; `name` is a place in recorded_tasks::names.
#pragma once

#include <cstdint>
#include <filch/base/units.hpp>
#include <filch/sim/replay.hpp>
#include <string>
#include <string_view>

namespace filch::inline v0::sim {

// The work of all tasks of that name takes this part of its time: a virtual speed-up. Rounded to whole nanoseconds.
// Throws std::invalid_argument when that is more than the simulator can count.
[[nodiscard]] recorded_tasks scaled(const recorded_tasks& tasks, std::uint32_t name, double factor);

// `count` siblings of that name in a row become one task with their work, one after the other. It is made where the
// last of them was, and every task that is no more spares the parent `spared_ns` of the work before its spawn, as far
// as there is any. In a row are those that one task makes, in the same way, between two of its waits.
[[nodiscard]] recorded_tasks coarsened(const recorded_tasks& tasks, std::uint32_t name, std::uint32_t count,
                                       time_ns spared_ns = 0);

// A task of that name whose work, with that of all its descendants, is less than `least_ns` is done by its parent where
// it was made: a cut-off. Families in which a task gives or awaits a signal stay as they are.
[[nodiscard]] recorded_tasks cut_off(const recorded_tasks& tasks, std::uint32_t name, time_ns least_ns,
                                     time_ns spared_ns = 0);

// One change in words: `scale name=parse 0.5`, `grain name=leaf 8` or `cutoff name=leaf 50us`.
struct change {
  enum class kind : std::uint8_t { scale, grain, cutoff };
  kind what = kind::scale;
  std::string name;
  double value = 1;  // the factor, the number of tasks, or nanoseconds

  // Throws std::invalid_argument, which says what is wrong with the text and what is allowed.
  [[nodiscard]] static change from(std::string_view text);
  [[nodiscard]] std::string text() const;
  // Throws std::invalid_argument when no task has that name; the text lists those there are.
  [[nodiscard]] recorded_tasks apply(const recorded_tasks& to, time_ns spared_ns) const;
};

}  // namespace filch::inline v0::sim
