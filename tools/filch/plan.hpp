// What a scenario does, decided in full before it runs: every task with its duration, its children and where it begins.
//
// A plan depends on the seed alone, not on how threads interleave, so two runs with one seed do the same work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filch/base/ids.hpp>
#include <filch/base/random.hpp>
#include <filch/base/units.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace filch::tool {

struct planned_task {
  std::string name;
  time_ns cpu_ns = 0;                    // what it burns: half before its children are spawned, half afterwards
  worker_id home = worker_id::none();    // the worker into whose queue it is put; none: where the placement says
  time_ns arrival_ns = 0;                // of a root: how long after the beginning it is submitted
  std::vector<planned_task> children{};  // put into the queue of the worker that runs this task
  std::size_t number = 0;                // its place in the ledger, given by number_tasks
};

struct plan {
  std::vector<planned_task> roots;

  // Gives every task its number, parents before children; returns how many there are.
  std::size_t number_tasks();
  // Every task in the order of the numbers.
  [[nodiscard]] std::vector<const planned_task*> tasks() const;
  // The CPU time of all tasks.
  [[nodiscard]] time_ns work_ns() const;
  // The tasks that are put into each worker's queue; home = none is not counted.
  [[nodiscard]] std::vector<std::size_t> load(std::uint32_t workers) const;
};

// "T7" for ("T", 7).
[[nodiscard]] std::string numbered(std::string_view what, std::uint64_t number);

// A duration of `seconds`, shrunk by the time scale.
[[nodiscard]] time_ns scaled_ns(double seconds, double time_scale);

}  // namespace filch::tool
