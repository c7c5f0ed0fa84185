// Scenarios for the simulator: what runs, on which machine, under which policy. They are read from JSON; the format is
// scenarios/schema.json, and docs/guide/own_models.md shows it.
//
// A document is plain data: read one, change what an option of the command line changes, call require_valid, run it.
// The same document and seed give the same result everywhere.
//
//   scenario::document wanted = scenario::find("joining");      a built-in name, or a file
//   wanted.workers = 8;
//   scenario::require_valid(wanted);
//   const sim::run_result result = scenario::run(wanted, wanted.seed);
#pragma once

#include "machine_file.hpp"
#include "scenario_error.hpp"

#include <filch/base/units.hpp>
#include <filch/policy/demand.hpp>
#include <filch/policy/options.hpp>
#include <filch/sim/machine_model.hpp>
#include <filch/sim/replay.hpp>
#include <filch/sim/sharing_model.hpp>
#include <filch/sim/task_group.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>
#include <filch/trace/recording.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace filch::scenario {

// ---- what a scenario says -------------------------------------------------------------------------------------------

// workload.kind = "tasks"
struct tasks_load {
  std::vector<sim::task_group> groups;
};

// workload.kind = "branching"
struct branching_load {
  sim::branching_options options;
};

// workload.kind = "tree"
struct tree_load {
  sim::fork_join_options options;
};

// workload.kind = "graph"
struct graph_load {
  sim::task_graph graph;
  sim::graph_workload::ready_goes ready_goes = sim::graph_workload::ready_goes::to_the_worker;
};

// workload.kind = "divisible"
struct divisible_tasks_load {
  sim::divisible_options options;
};

// workload.kind = "trace"
struct trace_load {
  std::string file;                                  // a recording; read_trace reads it
  std::shared_ptr<const sim::recorded_tasks> tasks;  // what it holds; none: make_workload reads the file
  sim::join_mode join = sim::join_mode::continuation;
};

// Some phases of a program in a row: the same part, each time behind the same pause.
struct shared_phases {
  std::string name;
  sim::part_id what;
  time_ns pause_ns = 0;
  std::uint32_t first = 0;  // of the program's phases
  std::uint32_t count = 0;
};

// workload.kind = "sharing"
struct sharing_load {
  sim::sharing_program program;
  std::vector<shared_phases> groups;
  bool is_called_outside = false;
};

// In the order of workload_kinds().
using workload_description =
    std::variant<tasks_load, branching_load, tree_load, graph_load, divisible_tasks_load, trace_load, sharing_load>;

// "tasks", "branching", …
[[nodiscard]] std::vector<std::string_view> workload_kinds();

struct document {
  std::string name;   // of the file, unless it says otherwise
  std::string title;  // one line for people
  machine_description machine;
  std::uint32_t workers = 0;  // 0: as many as the machine has
  std::uint64_t seed = 1;
  std::uint32_t runs = 1;  // how often, with seeds seed, seed + 1, …
  policy::search_options policy;
  policy::demand demand;    // of work that is shared on request
  bool deaf_waits = false;  // sim::run_options::deaf_waits
  workload_description workload;
  time_ns until_ns = k_never_ns;

  // The number of workers of a run.
  [[nodiscard]] std::uint32_t worker_count() const { return workers != 0 ? workers : machine.workers; }
};

// ---- limits ---------------------------------------------------------------------------------------------------------

inline constexpr std::uint64_t k_most_bytes = 4u << 20;     // of a file
inline constexpr std::uint32_t k_most_depth = 16;           // of brackets
inline constexpr std::uint32_t k_most_values = 500'000;     // in a file
inline constexpr std::uint64_t k_most_tasks = 100'000'000;  // of a run
// … of a run whose tasks may never end, which is known beforehand: a few seconds.
inline constexpr std::uint64_t k_most_endless_tasks = 10'000'000;
inline constexpr std::uint64_t k_most_events = 2'000'000'000;         // of a run: a minute or two
inline constexpr std::uint32_t k_most_workers = sim::k_most_workers;  // of a run
// … of one that is recorded: what recordings can number.
inline constexpr std::uint32_t k_most_recorded_workers = trace::k_max_workers - 1;
inline constexpr std::uint32_t k_most_described_cpus = 4'096;  // of a machine with a topology: workers² distances
inline constexpr std::uint32_t k_most_runs = 1'000'000;
inline constexpr std::uint32_t k_most_phases = 100'000;             // of work that is shared on request
inline constexpr time_ns k_latest_ns = 1'000'000'000 * k_ns_per_s;  // every run stops there

// ---- reading --------------------------------------------------------------------------------------------------------

// Throws error. `origin` stands for the file in errors, and its folder is where files are looked for that it names.
[[nodiscard]] document parse(std::string_view text, std::string_view origin);
[[nodiscard]] document load(const std::filesystem::path& file);

// The scenarios that are part of the program (scenarios/*.json), by name in alphabetical order.
[[nodiscard]] std::vector<std::string_view> built_in_names();
// A text that ends in .json or names a folder is a file; everything else a built-in scenario. Throws error, which says
// what built-in names there are.
[[nodiscard]] document find(std::string_view name_or_file);

// The tasks of a recording. Throws error.
[[nodiscard]] std::shared_ptr<const sim::recorded_tasks> read_trace(const std::filesystem::path& file);

// Throws error when a run of it cannot work: a policy that does not fit the number of workers, a task for a worker that
// does not exist. parse has called it; call it again after a change.
void require_valid(const document& what);

// ---- running --------------------------------------------------------------------------------------------------------

[[nodiscard]] sim::machine_model make_machine(const document& what);
// For one run. What is random in it comes from `seed`. The document outlives it. Throws std::logic_error for work that
// is shared on request, which is no workload of the worker model.
[[nodiscard]] std::unique_ptr<sim::workload> make_workload(const document& what, std::uint64_t seed);
// The number of tasks at which a run is cut off. Only tasks that have children at random can reach it.
[[nodiscard]] std::uint64_t most_tasks(const document& what);
// The limits and the seed of one run.
[[nodiscard]] sim::run_options make_options(const document& what, std::uint64_t seed);
// One run. `record` gets everything that happens, if it is not null.
[[nodiscard]] sim::run_result run(const document& what, std::uint64_t seed, trace::recording* record = nullptr);
// One of work that is shared on request: std::get_if<sharing_load>(&what.workload) is not null.
[[nodiscard]] sim::sharing_result run_sharing(const document& what, std::uint64_t seed,
                                              trace::recording* record = nullptr);

}  // namespace filch::scenario
