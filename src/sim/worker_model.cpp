#include <filch/sim/worker_model.hpp>

#include "model.hpp"
#include "model_clock.hpp"
#include "model_search.hpp"
#include "model_tasks.hpp"

#include <stdexcept>
#include <string>

namespace filch::inline v0::sim {
namespace {

// Looking again and again without any time between would stop the clock.
void require_progress(const machine_model& machine, const policy::search_options& policy, const run_options& options) {
  const policy::idle& idle = policy.idle;
  const bool waits = idle.initial_ns > 0 && idle.cap_ns > 0;
  if (idle.cycles == policy::idle::k_forever && !waits) {
    bool is_free = machine.workers == 1 || machine.costs.steal.empty();
    for (const steal_cost& cost : machine.costs.steal) is_free = is_free || cost.empty_ns == 0;
    if (is_free) {
      throw std::invalid_argument{
          "idle = " + policy::to_string(idle) +
          ": with looks that cost nothing, allowed is a bound on the cycles or waits longer than 0 ns"};
    }
  }
  if (options.until_ns < 0) {
    throw std::invalid_argument{"until_ns = " + std::to_string(options.until_ns) + ": allowed is a time from 0 ns on"};
  }
}

void describe(trace::recording& out, const machine_model& machine, const policy::search_options& policy,
              const run_options& options) {
  out = {};
  out.about.workers = machine.workers;
  out.about.seed = options.seed;
  out.about.source = "simulation";
  out.about.policy = policy::describe(policy);
  out.about.machine = machine.name;
  out.about.clock = "virtual";
  out.workers.resize(machine.workers);
}

}  // namespace

time_use& time_use::operator+=(const time_use& other) {
  work_ns += other.work_ns;
  overhead_ns += other.overhead_ns;
  steal_ns += other.steal_ns;
  wait_ns += other.wait_ns;
  park_ns += other.park_ns;
  return *this;
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

run_result simulate(const machine_model& machine, const policy::search_options& policy, workload& load,
                    const run_options& options) {
  require_valid(machine);
  policy::require_valid(policy, machine.workers);
  require_progress(machine, policy, options);
  if (options.record == nullptr) return model<trace::null_recorder>{machine, policy, load, options}.run();
  describe(*options.record, machine, policy, options);
  return model<trace::virtual_recorder>{machine, policy, load, options}.run();
}

}  // namespace filch::inline v0::sim
