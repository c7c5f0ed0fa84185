// The analysis of a recording: figures, tasks by name, and verdicts as sentences.
//
//   const auto graph = dag::from(recording);
//   const findings found = findings_of(graph, recording);
//   for (const verdict& each : found.verdicts) std::puts(each.text.c_str());
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filch/base/units.hpp>
#include <filch/trace/recording.hpp>
#include <string>
#include <vector>

#include "dag.hpp"
#include "doubts.hpp"
#include "outside_time.hpp"
#include "thread_use.hpp"
#include "time_use.hpp"

namespace filch::analysis {

// The lengths of tasks by powers of ten: below 100 ns, below 1 µs, … below 1 s, longer.
inline constexpr std::size_t k_size_classes = 9;
using size_histogram = std::array<std::uint64_t, k_size_classes>;
[[nodiscard]] std::size_t size_class_of(time_ns length_ns);
// "< 10 µs"; "≥ 1 s" for the last.
[[nodiscard]] std::string size_class_text(std::size_t which);

// The tasks of one name.
struct task_group {
  std::string name;  // "tasks without a name" when they have none
  std::uint32_t name_id = trace::k_no_detail;
  std::uint64_t count = 0;
  time_ns work_ns = 0;
  time_ns median_ns = 0;
  time_ns least_ns = 0;
  time_ns most_ns = 0;
  time_ns path_ns = 0;      // on the critical path
  time_ns alone_ns = 0;     // the only task to run, and none ready
  time_ns handling_ns = 0;  // making them, and between tasks before one of these
  time_ns taken_ns = 0;     // of the work: their threads had no processor
  time_ns blocked_ns = 0;   // of the work: their threads slept in the kernel
  // The work as if no thread had lost its processor: as many medians, or what it is between spawns at most.
  time_ns usual_work_ns = 0;
  std::uint64_t merge =
      1;  // how many to merge into one task so that handling stays below k_handling_goal; 1: they are long enough

  [[nodiscard]] time_ns mean_ns() const { return count == 0 ? 0 : work_ns / static_cast<time_ns>(count); }
  [[nodiscard]] time_ns handling_per_task_ns() const {
    return count == 0 ? 0 : handling_ns / static_cast<time_ns>(count);
  }
};

enum class fault : std::uint8_t { none, program, scheduler, machine };

struct verdict {
  std::string id = {};  // serial-phase, …: see verdicts.hpp
  fault whose = fault::none;
  std::string subject = {};  // the name of the tasks, of the lock, …
  time_ns cost_ns = 0;       // worker time
  double share = 0;          // of all workers' time without the machine's part; of fine-tasks, of the busy time
  std::string text = {};     // what was seen
  std::string advice = {};   // what to do about it
};

struct findings {
  std::uint32_t workers = 0;
  std::uint64_t tasks = 0;  // that ended
  std::uint64_t strands = 0;
  std::uint64_t lost_events = 0;
  time_ns makespan_ns = 0;
  time_ns work_ns = 0;
  time_ns span_ns = 0;
  time_ns burdened_span_ns = 0;
  time_ns elapsed_span_ns = 0;
  outside_time outside;  // no part of the makespan
  usage spent;
  thread_use threads;
  time_ns spawn_cost_ns = 0;  // of one spawn: an estimate, from spawns that follow each other
  time_ns spawning_ns = 0;    // … and of all; a part of the work
  size_histogram sizes{};
  std::vector<task_group> groups;  // the most work first
  // The program's first, then the scheduler's, then the machine's, the most expensive first; `ok` or `no-work` when
  // there is none.
  std::vector<verdict> verdicts;
  std::vector<omission> not_looked_at;
  std::vector<doubt> doubts;  // of the span

  // How the workers' time went, with spawning as a part of `spawn` and not of `work`.
  [[nodiscard]] time_use shares() const {
    time_use out = spent.use;
    out.work_ns -= spawning_ns;
    out.spawn_ns += spawning_ns;
    return out;
  }

  [[nodiscard]] double parallelism() const { return ratio(work_ns, span_ns); }
  [[nodiscard]] double burdened_parallelism() const { return ratio(work_ns, burdened_span_ns); }
  [[nodiscard]] time_ns mean_task_ns() const { return tasks == 0 ? 0 : work_ns / static_cast<time_ns>(tasks); }

  [[nodiscard]] static double ratio(time_ns part_ns, time_ns whole_ns) {
    return whole_ns == 0 ? 0 : static_cast<double>(part_ns) / static_cast<double>(whole_ns);
  }
};

[[nodiscard]] findings findings_of(const dag& graph, const trace::recording& from);

// The work of the same tasks in two runs, without what was taken from their threads.
struct inflation {
  struct group {
    std::string name;
    time_ns before_ns = 0;
    time_ns now_ns = 0;
    [[nodiscard]] double factor() const { return findings::ratio(now_ns, before_ns); }
  };
  time_ns before_ns = 0;
  time_ns now_ns = 0;
  std::vector<group> groups;  // names that both have, the largest growth first

  [[nodiscard]] double factor() const { return findings::ratio(now_ns, before_ns); }
};
// How much more work `now` has than `before`. A verdict is added to `now` when it is k_inflated or more.
[[nodiscard]] inflation compare_work(findings& now, const findings& before);

}  // namespace filch::analysis
