// A recording as a list of tasks: where each began, where and when it ran, and who stole from whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filch/base/ids.hpp>
#include <filch/base/units.hpp>
#include <filch/trace/recording.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace filch::tool {

struct seen_task {
  std::string name;                    // "task 7" for one without a name
  worker_id home = worker_id::none();  // the worker into whose queue it was put; none: the injector
  worker_id ran_on = worker_id::none();
  time_ns start_ns = 0;
  time_ns end_ns = 0;
  bool is_loader = false;

  [[nodiscard]] bool was_moved() const { return home.is_some() && ran_on.is_some() && home != ran_on; }
};

struct log_line {
  time_ns at_ns = 0;
  std::size_t place = 0;  // among lines of the same time
  std::string text;
};

// How many tasks each thief took from each victim. Only the pairs that occur take memory.
class steal_counts {
 public:
  void add(std::uint32_t thief, std::uint32_t victim, std::uint64_t tasks) { counts_[{thief, victim}] += tasks; }
  [[nodiscard]] std::uint64_t between(std::uint32_t thief, std::uint32_t victim) const {
    const auto found = counts_.find({thief, victim});
    return found == counts_.end() ? 0 : found->second;
  }
  // {thief, victim} → tasks, by thief and then by victim; no pair has 0.
  [[nodiscard]] const std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>& pairs() const {
    return counts_;
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> counts_;
};

struct run_view {
  std::vector<seen_task> tasks;  // in the order in which they came into being, per recorder
  steal_counts stolen;
  std::uint64_t dropped = 0;  // events that the recording has lost
  std::vector<log_line> log;  // by time

  [[nodiscard]] std::uint64_t stolen_sum() const;
};

[[nodiscard]] run_view view_of(const trace::recording& from);

}  // namespace filch::tool
