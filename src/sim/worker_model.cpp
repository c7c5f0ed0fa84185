#include <filch/sim/worker_model.hpp>

#include "model.hpp"
#include "model_clock.hpp"
#include "model_search.hpp"
#include "model_stuck.hpp"
#include "model_tasks.hpp"
#include "recorded_run.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace filch::inline v0::sim {
namespace {

void require_valid(const run_options& options) {
  if (options.until_ns >= 0) return;
  throw std::invalid_argument{"until_ns = " + std::to_string(options.until_ns) + ": allowed is a time from 0 ns on"};
}

// "0 0 1 1": the node of each worker, numbered in the order of the workers. Workers of one node are no farther apart
// than those that share it.
std::string nodes_text(const machine_model& machine) {
  std::vector<worker_id> first_of_node;
  std::string out;
  for (std::uint32_t w = 0; w != machine.workers; ++w) {
    const auto at = std::ranges::find_if(first_of_node, [&](worker_id first) {
      return first.value == w || machine.distance(first, worker_id{w}) <= topology::k_distance_node;
    });
    if (w != 0) out += ' ';
    out += std::to_string(at - first_of_node.begin());
    if (at == first_of_node.end()) first_of_node.push_back(worker_id{w});
  }
  return out;
}

}  // namespace

void describe_run(trace::recording& out, const machine_model& machine, const policy::search_options& policy,
                  std::uint64_t seed) {
  if (machine.workers >= trace::k_max_workers) {
    throw std::invalid_argument{"machine.workers = " + std::to_string(machine.workers) +
                                ": allowed in a recording are 1 to " + std::to_string(trace::k_max_workers - 1)};
  }
  out = {};
  out.about.workers = machine.workers;
  out.about.seed = seed;
  out.about.source = "simulation";
  out.about.policy = policy::describe(policy);
  out.about.machine = machine.name;
  out.about.clock = "virtual";
  out.names = {{std::string{trace::k_fork_reason}}};
  out.workers.resize(machine.workers);
  if (machine.distances.workers() != 0) out.about.extra = {{"numa_nodes", nodes_text(machine)}};
}

time_use& time_use::operator+=(const time_use& other) {
  work_ns += other.work_ns;
  overhead_ns += other.overhead_ns;
  steal_ns += other.steal_ns;
  wait_ns += other.wait_ns;
  park_ns += other.park_ns;
  block_ns += other.block_ns;
  return *this;
}

std::string to_string(const stuck_join& what) {
  const auto number = [](auto id) { return std::to_string(id.value); };
  std::string text = "worker " + number(what.worker) + " sits in the join of task " + number(what.task) +
                     ", which waits for " + (what.child.is_some() ? "task " + number(what.child) : "a child") +
                     ", which ";
  switch (what.where) {
    case stuck_join::place::queue:
      return text + "lies in the queue of worker " + number(what.holder);
    case stuck_join::place::pinned:
      return text + "only worker " + number(what.holder) + " may run";
    case stuck_join::place::injector:
      return text + "lies in the injector";
    case stuck_join::place::join:
      return text + "sits in its join on worker " + number(what.holder);
    case stuck_join::place::left:
      break;
  }
  return text + "waits for its own children";
}

time_use run_result::total_use() const {
  time_use sum;
  for (const time_use& one : use) sum += one;
  return sum;
}

trace::count_values run_result::total_counts() const {
  trace::count_values sum;
  for (const trace::count_values& one : counts) sum += one;
  return sum;
}

std::uint64_t run_result::recorded_events() const {
  const trace::count_values total = total_counts();
  using trace::count;
  return 4 * tasks +
         2 * (total[count::steal_attempts] + total[count::parks] + total[count::suspends] + total[count::wakes]);
}

run_result simulate(const machine_model& machine, const policy::search_options& policy, workload& load,
                    const run_options& options) {
  require_valid(machine);
  policy::require_valid(policy, machine.workers);
  require_valid(options);
  if (options.record == nullptr) return model<trace::null_recorder>{machine, policy, load, options}.run();
  describe_run(*options.record, machine, policy, options.seed);
  return model<trace::virtual_recorder>{machine, policy, load, options}.run();
}

}  // namespace filch::inline v0::sim
