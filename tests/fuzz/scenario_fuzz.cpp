// Feeds made-up files to the readers of scenarios and machines, and runs what they accept for a short while.
//
// Property: a text is refused with a scenario::error, or accepted; nothing else is thrown, nothing crashes, hangs or
// takes much memory. What was accepted can be validated again and simulated, its books balance, and a machine that was
// accepted is the same after it was written and read.
#include <machine_file.hpp>
#include <scenario.hpp>

#include <filch/base/assert.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <variant>

namespace {

using namespace filch;

constexpr std::uint32_t k_most_workers = 32;

void run_shared_shortly(const scenario::document& wanted, const scenario::sharing_load& load) {
  const sim::sharing_result result =
      sim::simulate_sharing(scenario::make_machine(wanted), wanted.policy, wanted.demand, load.program,
                            {.seed = wanted.seed,
                             .is_called_outside = load.is_called_outside,
                             .until_ns = std::min<time_ns>(wanted.until_ns, 200'000),
                             .most_events = 20'000});
  for (const sim::time_use& use : result.run.use) {
    FILCH_ASSERT(use.total_ns() == result.run.makespan_ns, use.total_ns(), result.run.makespan_ns);
  }
  FILCH_ASSERT(result.counts.offers >= result.counts.taken + result.counts.taken_back, result.counts.offers);
}

void run_shortly(const scenario::document& wanted) {
  if (std::holds_alternative<scenario::trace_load>(wanted.workload)) return;
  if (wanted.worker_count() > k_most_workers) return;
  if (const auto* const shared = std::get_if<scenario::sharing_load>(&wanted.workload)) {
    return run_shared_shortly(wanted, *shared);
  }
  const sim::machine_model machine = scenario::make_machine(wanted);
  const auto load = scenario::make_workload(wanted, wanted.seed);
  const sim::run_options options{.seed = wanted.seed,
                                 .until_ns = std::min<time_ns>(wanted.until_ns, 20'000),
                                 .deaf_waits = wanted.deaf_waits,
                                 .most_tasks = 2000};
  const sim::run_result result = sim::simulate(machine, wanted.policy, *load, options);
  for (const sim::time_use& use : result.use) {
    FILCH_ASSERT(use.total_ns() == result.makespan_ns, use.total_ns(), result.makespan_ns);
  }
}

void read_scenario(std::string_view text) {
  scenario::document wanted;
  try {
    wanted = scenario::parse(text, "fuzz");
  } catch (const scenario::error&) {
    return;
  }
  scenario::require_valid(wanted);
  run_shortly(wanted);
}

void read_machine(std::string_view text) {
  scenario::machine_description machine;
  try {
    machine = scenario::parse_machine(text, "fuzz");
  } catch (const scenario::error&) {
    return;
  }
  std::ostringstream out;
  scenario::write_machine(out, machine);
  const auto again = scenario::parse_machine(out.str(), "written");
  FILCH_ASSERT(again.name == machine.name && again.costs == machine.costs && again.workers == machine.workers);
  FILCH_ASSERT(again.disturbances == machine.disturbances);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  read_scenario(text);
  read_machine(text);
  return 0;
}
