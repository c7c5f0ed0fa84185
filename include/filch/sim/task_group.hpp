// Groups of tasks that come from outside: how many, how long, when and where to. Nothing is made before it arrives, so
// a group of a hundred million tasks takes no memory of its own.
#pragma once

#include <filch/base/random.hpp>
#include <filch/base/units.hpp>
#include <filch/sim/workload.hpp>

#include <cstdint>
#include <vector>

namespace filch::inline v0::sim {

// How long a task computes.
struct lengths {
  enum class kind : std::uint8_t { constant, uniform, exponential, listed };

  kind what = kind::constant;
  time_ns low_ns = 0;                // constant: the length; exponential: the mean
  time_ns high_ns = 0;               // uniform only; inclusive
  std::vector<time_ns> listed_ns{};  // listed only: one for each task

  [[nodiscard]] static lengths constant(time_ns each_ns) { return {kind::constant, each_ns, each_ns, {}}; }
  [[nodiscard]] static lengths uniform(time_ns least_ns, time_ns most_ns) {
    return {kind::uniform, least_ns, most_ns, {}};
  }
  [[nodiscard]] static lengths exponential(time_ns mean_ns) { return {kind::exponential, mean_ns, mean_ns, {}}; }

  // Of task number `which` of its group.
  [[nodiscard]] time_ns draw(std::uint64_t which, random_stream& random) const;

  friend bool operator==(const lengths&, const lengths&) = default;
};

// When the tasks of a group come.
struct arrival_times {
  enum class kind : std::uint8_t {
    at_once,  // all at first_ns
    every,    // the first at first_ns, then one every gap_ns
    poisson,  // after first_ns, with exponential gaps of this mean
    bursts,   // `size` at a time, at first_ns and then every gap_ns
    listed,   // at the times of `times_ns`, which do not decrease; the group has as many tasks
  };

  kind what = kind::at_once;
  time_ns first_ns = 0;
  time_ns gap_ns = 0;
  std::uint64_t size = 1;
  std::vector<time_ns> times_ns{};

  friend bool operator==(const arrival_times&, const arrival_times&) = default;
};

struct task_group {
  std::uint64_t count = 0;
  lengths length{};
  arrival_times arrives{};
  target where{};
  policy::priority band = policy::priority::normal;

  friend bool operator==(const task_group&, const task_group&) = default;
};

// The tasks of some groups, in the order of their times; at one time, in the order of the groups.
class grouped_tasks final : public workload {
 public:
  grouped_tasks(std::vector<task_group> groups, std::uint64_t seed);

  bool next_arrival(arrival& out) override;
  next_step resume(task& self, task_context& with) override;

 private:
  struct source {
    task_group group;
    random_stream random;
    std::uint64_t given = 0;
    time_ns next_ns = 0;  // when its next task comes; meaningless when all were given
  };
  static void schedule_next(source& of);

  std::vector<source> sources_;
};

// Work that can be cut anywhere. Its worker computes a grain at a time, and whenever its queue is empty it puts half of
// what is left there, for thieves or for itself (lazy binary splitting).
struct divisible_options {
  time_ns work_ns = k_ns_per_s;
  time_ns grain_ns = k_ns_per_us;  // at least 1

  friend bool operator==(const divisible_options&, const divisible_options&) = default;
};

class divisible_load final : public workload {
 public:
  explicit divisible_load(const divisible_options& options) : options_{options} {}

  bool next_arrival(arrival& out) override;
  next_step resume(task& self, task_context& with) override;

 private:
  divisible_options options_;
  bool has_come_ = false;
};

}  // namespace filch::inline v0::sim
