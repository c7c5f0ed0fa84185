// What `filch run` can run. A workload is one file in workloads/, listed in workload.cpp.
#pragma once

#include <cstdint>
#include <filch/runtime/options.hpp>
#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "execute.hpp"
#include "plan.hpp"

namespace filch::tool {

// The inputs and outputs of a workload.
struct context {
  filch::options runtime;                       // the workload's defaults with the user's choices on top
  bool placement_is_given = false;              // by the user: then it replaces the workload's own distribution
  std::optional<filch::deques> given_deques{};  // none: the user did not choose
  double time_scale = 1;                        // real seconds per second of the scenario
  bool round_robin = false;
  std::uint64_t size = 0;  // of a kernel; 0: what it takes by itself
  std::string tree{};      // of uts; empty: its own choice
  bool log = false;
  bool gantt = false;
  bool is_detailed = true;    // later repetitions are shown by their numbers only
  std::string trace_file{};   // empty: none
  std::string report_file{};  // empty: none

  std::ostream& out;             // for people; swallows everything with --json
  nlohmann::ordered_json& json;  // this run's object
};

// One line of the summary over repetitions.
struct measurement {
  std::string label;  // the same in every repetition
  std::uint64_t tasks = 0;
  double wall_s = 0;
  double tasks_per_s = 0;
  std::optional<std::uint64_t> stolen{};
};

// What --size may be. `most` = 0: there is no size to choose.
struct size_limits {
  std::uint64_t standard = 0;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::string_view meaning{};  // "the number of queens"
};

struct workload {
  std::string_view name;
  std::string_view alias{};  // another name; empty: none
  std::string_view help;     // one line
  bool has_durations;        // --time-scale means something
  size_limits size{};
  bool is_recorded = true;                // --trace, --report and --log are possible
  void (*set_defaults)(filch::options&);  // before the user's choices
  std::vector<measurement> (*run)(context&);
  // Throws bad_usage for what the limits do not cover; null: they cover everything.
  void (*require)(std::uint64_t size, const std::string& tree) = nullptr;
};

[[nodiscard]] std::span<const workload> all_workloads();
// Also by an alias; nullptr when there is none of that name.
[[nodiscard]] const workload* find_workload(std::string_view name);
// Every name, aliases included.
[[nodiscard]] std::vector<std::string_view> workload_names();

// ---- for workloads that are plans -----------------------------------------------------------------------------------

// Writes the trace file, reports to people with `outcome` as the last lines, and fills `json`.
void report_executed(context& in, const executed_plan& done, const std::string& outcome, nlohmann::ordered_json& json);
// Executes and reports.
executed_plan run_and_report(context& in, std::string_view name, plan what, nlohmann::ordered_json& json);
[[nodiscard]] measurement measure(std::string label, const executed_plan& done);

// ---- the workloads --------------------------------------------------------------------------------------------------

extern const workload k_adaptive;
extern const workload k_basic;
extern const workload k_counter;
extern const workload k_demo;
extern const workload k_granularity;
extern const workload k_spawning;

extern const workload k_fib;
extern const workload k_mandelbrot;
extern const workload k_matmul;
extern const workload k_mergesort;
extern const workload k_nqueens;
extern const workload k_skynet;
extern const workload k_tree_sum;
extern const workload k_uts;

}  // namespace filch::tool
