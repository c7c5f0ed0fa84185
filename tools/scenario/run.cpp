// Documents as runs of the simulator.
#include "scenario.hpp"

#include <filch/trace/binary.hpp>

#include <algorithm>
#include <fstream>
#include <ios>
#include <stdexcept>
#include <utility>

namespace filch::scenario {
namespace {

// A replay together with what it replays.
class owning_replay final : public sim::workload {
 public:
  owning_replay(std::shared_ptr<const sim::recorded_tasks> tasks, sim::join_mode how)
      : tasks_{std::move(tasks)}, inner_{*tasks_, how} {}

  bool next_arrival(sim::arrival& out) override { return inner_.next_arrival(out); }
  bool next_after_all(time_ns ended_ns, sim::arrival& out) override { return inner_.next_after_all(ended_ns, out); }
  sim::next_step resume(sim::task& self, sim::task_context& with) override { return inner_.resume(self, with); }

 private:
  std::shared_ptr<const sim::recorded_tasks> tasks_;
  sim::replay inner_;
};

using made = std::unique_ptr<sim::workload>;

struct maker {
  std::uint64_t seed;

  made operator()(const tasks_load& load) const { return std::make_unique<sim::grouped_tasks>(load.groups, seed); }
  made operator()(const branching_load& load) const {
    return std::make_unique<sim::branching_tasks>(load.options, seed);
  }
  made operator()(const tree_load& load) const { return std::make_unique<sim::fork_join_tree>(load.options); }
  made operator()(const graph_load& load) const {
    return std::make_unique<sim::graph_workload>(load.graph, load.ready_goes);
  }
  made operator()(const divisible_tasks_load& load) const {
    return std::make_unique<sim::divisible_load>(load.options);
  }
  made operator()(const sharing_load& /*load*/) const {
    throw std::logic_error{"work that is shared on request is no workload of the worker model"};
  }
  made operator()(const trace_load& load) const {
    return std::make_unique<owning_replay>(load.tasks ? load.tasks : read_trace(load.file), load.join);
  }
};

}  // namespace

std::shared_ptr<const sim::recorded_tasks> read_trace(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in) throw error{file.string(), 0, "", "there is no such file, or it cannot be read"};
  const trace::read_result got = trace::read_binary(in);
  if (got.error) throw error{file.string(), 0, "", "this recording cannot be read: " + got.error->text()};
  try {
    return std::make_shared<const sim::recorded_tasks>(sim::recorded_tasks::from(got.value));
  } catch (const std::invalid_argument& problem) {
    throw error{file.string(), 0, "", problem.what()};
  }
}

sim::machine_model make_machine(const document& what) { return make_machine(what.machine, what.worker_count()); }

std::unique_ptr<sim::workload> make_workload(const document& what, std::uint64_t seed) {
  return std::visit(maker{seed}, what.workload);
}

std::uint64_t most_tasks(const document& what) {
  const auto* const branching = std::get_if<branching_load>(&what.workload);
  const bool is_endless = branching != nullptr && sim::mean_children(branching->options) >= 1;
  return is_endless ? k_most_endless_tasks : k_most_tasks;
}

sim::run_options make_options(const document& what, std::uint64_t seed) {
  return {.seed = seed,
          .until_ns = std::min(what.until_ns, k_latest_ns),
          .deaf_waits = what.deaf_waits,
          .most_tasks = most_tasks(what) + 1,  // a run of as many tasks as are allowed completes
          .most_events = k_most_events};
}

sim::sharing_result run_sharing(const document& what, std::uint64_t seed, trace::recording* record) {
  const auto& load = std::get<sharing_load>(what.workload);
  const sim::run_options limits = make_options(what, seed);
  return sim::simulate_sharing(make_machine(what), what.policy, what.demand, load.program,
                               {.seed = seed,
                                .is_called_outside = load.is_called_outside,
                                .until_ns = limits.until_ns,
                                .most_events = limits.most_events,
                                .record = record});
}

sim::run_result run(const document& what, std::uint64_t seed, trace::recording* record) {
  if (std::holds_alternative<sharing_load>(what.workload)) return run_sharing(what, seed, record).run;
  const sim::machine_model machine = make_machine(what);
  const std::unique_ptr<sim::workload> load = make_workload(what, seed);
  sim::run_options options = make_options(what, seed);
  options.record = record;
  return sim::simulate(machine, what.policy, *load, options);
}

}  // namespace filch::scenario
