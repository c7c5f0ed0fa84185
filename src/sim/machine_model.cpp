#include <filch/sim/machine_model.hpp>

#include <filch/trace/schema.hpp>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace filch::inline v0::sim {
namespace {

constexpr time_ns k_latest_ns = 1'000'000'000 * k_ns_per_s;

[[noreturn]] void refuse(std::string_view field, std::int64_t value, std::string_view allowed) {
  std::string text{"machine."};
  text.append(field).append(" = ").append(std::to_string(value)).append(": allowed is ").append(allowed);
  throw std::invalid_argument{text};
}

void require_costs(const machine_costs& costs) {
  const std::pair<std::string_view, time_ns> plain[] = {
      {"costs.spawn_ns", costs.spawn_ns},       {"costs.push_ns", costs.push_ns},
      {"costs.pop_ns", costs.pop_ns},           {"costs.inbox_ns", costs.inbox_ns},
      {"costs.injector_ns", costs.injector_ns}, {"costs.resume_ns", costs.resume_ns},
      {"costs.notify_ns", costs.notify_ns},     {"costs.park_ns", costs.park_ns},
      {"costs.wake_ns", costs.wake_ns},         {"costs.notice_ns", costs.notice_ns},
      {"costs.switch_ns", costs.switch_ns},     {"costs.steal_exposure_ns", costs.steal_exposure_ns},
      {"costs.fork_ns", costs.fork_ns},         {"costs.join_ns", costs.join_ns},
      {"costs.look_ns", costs.look_ns},         {"costs.offer_ns", costs.offer_ns},
      {"costs.visit_ns", costs.visit_ns},       {"costs.visited_ns", costs.visited_ns},
  };
  constexpr std::string_view k_time = "a time from 0 ns on";
  for (const auto& [field, value] : plain) {
    if (value < 0) refuse(field, value, k_time);
  }
  for (const time_ns each_ns : costs.migration_ns) {
    if (each_ns < 0) refuse("costs.migration_ns", each_ns, k_time);
  }
  for (std::size_t i = 0; i != costs.steal.size(); ++i) {
    const std::string at = std::string{"costs.steal["}.append(std::to_string(i)).append("].");
    const steal_cost& cost = costs.steal[i];
    if (cost.success_ns < 0) refuse(at + "success_ns", cost.success_ns, k_time);
    if (cost.empty_ns < 0) refuse(at + "empty_ns", cost.empty_ns, k_time);
    if (cost.lost_ns < 0) refuse(at + "lost_ns", cost.lost_ns, k_time);
    if (cost.lost_ns == 0 && costs.steal_exposure_ns > 0) {
      refuse(at + "lost_ns", 0, "a time from 1 ns on, because steals can be lost (costs.steal_exposure_ns)");
    }
  }
  if (costs.steal.empty() && costs.steal_exposure_ns > 0) {
    refuse("costs.steal_exposure_ns", costs.steal_exposure_ns, "0 ns unless costs.steal says what a lost race costs");
  }
}

void require_disturbances(const machine_model& machine) {
  for (std::size_t i = 0; i != machine.disturbances.size(); ++i) {
    const disturbance& one = machine.disturbances[i];
    const std::string at = std::string{"disturbances["}.append(std::to_string(i)).append("].");
    if (one.worker >= machine.workers) refuse(at + "worker", one.worker, "the number of a worker");
    if (one.from_ns < 0 || one.from_ns > k_latest_ns)
      refuse(at + "from_ns", one.from_ns, "a time from 0 ns to 10^18 ns");
    if (one.for_ns < 1 || one.for_ns > k_latest_ns) refuse(at + "for_ns", one.for_ns, "a time from 1 ns to 10^18 ns");
    if (one.every_ns != 0 && (one.every_ns <= one.for_ns || one.every_ns > k_latest_ns)) {
      refuse(at + "every_ns", one.every_ns, "0 for once, or a time above for_ns");
    }
    if (one.speed_permille > 1000) refuse(at + "speed_permille", one.speed_permille, "a number from 0 to 1000");
    if (i == 0) continue;
    const disturbance& last = machine.disturbances[i - 1];
    if (last.worker > one.worker) refuse(at + "worker", one.worker, "none below that of the one before");
    if (last.worker != one.worker) continue;
    if (last.every_ns != 0 || one.every_ns != 0) {
      refuse(at + "every_ns", one.every_ns, "0 for all, or a single one of this worker, which comes again");
    }
    if (one.from_ns < last.from_ns + last.for_ns) {
      refuse(at + "from_ns", one.from_ns, "a time at or after the end of the one before");
    }
  }
}

// The work that a slow stretch of so long does, and how long so much work takes in one.
time_ns done_within_ns(time_ns span_ns, std::uint32_t speed_permille) {
  __extension__ using wide = __int128;
  return static_cast<time_ns>(static_cast<wide>(span_ns) * speed_permille / 1000);
}
time_ns slow_ns(time_ns work_ns, std::uint32_t speed_permille) {
  __extension__ using wide = __int128;
  return static_cast<time_ns>((static_cast<wide>(work_ns) * 1000 + speed_permille - 1) / speed_permille);
}

// Works until the end of one slow stretch, from before it or within it. True: the work ends by then, and at_ns is when.
bool pass(time_ns& at_ns, time_ns& left_ns, time_ns begins_ns, time_ns ends_ns, std::uint32_t speed_permille) {
  if (ends_ns <= at_ns) return false;
  if (begins_ns > at_ns) {
    if (left_ns <= begins_ns - at_ns) {
      at_ns += left_ns;
      return true;
    }
    left_ns -= begins_ns - at_ns;
    at_ns = begins_ns;
  }
  const time_ns done_ns = done_within_ns(ends_ns - at_ns, speed_permille);
  if (left_ns <= done_ns) {
    at_ns += slow_ns(left_ns, speed_permille);
    return true;
  }
  left_ns -= done_ns;
  at_ns = ends_ns;
  return false;
}

}  // namespace

machine_model machine_model::of(const topology::machine& machine, std::span<const topology::cpu_number> cpu_of_worker,
                                const machine_costs& costs) {
  machine_model model{.workers = static_cast<std::uint32_t>(cpu_of_worker.size()),
                      .distances = topology::distance_table{machine, cpu_of_worker},
                      .costs = costs,
                      .name = machine.name.empty() ? machine.summary() : machine.name};
  for (const auto cpu : cpu_of_worker) {
    for (const topology::core& core : machine.cores) {
      if (core.cpus.contains(cpu)) model.speed_permille.push_back(core.speed_permille);
    }
  }
  return model;
}

time_ns machine_model::duration_ns(std::uint32_t worker, time_ns work_ns) const {
  if (speed_permille.empty() || speed_permille[worker] == 1000) return work_ns;
  __extension__ using wide = __int128;
  const auto speed = static_cast<wide>(speed_permille[worker]);
  return static_cast<time_ns>((static_cast<wide>(work_ns) * 1000 + speed - 1) / speed);
}

time_ns machine_model::disturbed_ns(std::uint32_t worker, time_ns from_ns, time_ns span_ns) const {
  time_ns at_ns = from_ns;
  time_ns left_ns = span_ns;
  if (left_ns == 0) return 0;
  const auto all = std::ranges::equal_range(disturbances, worker, {}, &disturbance::worker);
  for (const disturbance& one : all) {
    if (one.every_ns == 0) {
      if (pass(at_ns, left_ns, one.from_ns, one.from_ns + one.for_ns, one.speed_permille)) return at_ns - from_ns;
      continue;
    }
    // The rest of the period under way, whole periods at one go, and the last one.
    const time_ns cycle = at_ns < one.from_ns ? 0 : (at_ns - one.from_ns) / one.every_ns;
    time_ns begins_ns = one.from_ns + cycle * one.every_ns;
    if (pass(at_ns, left_ns, begins_ns, begins_ns + one.for_ns, one.speed_permille)) return at_ns - from_ns;
    const time_ns each_ns = one.every_ns - one.for_ns + done_within_ns(one.for_ns, one.speed_permille);
    const time_ns whole = (left_ns - 1) / each_ns;
    if (whole > (k_never_ns / 4 - at_ns) / one.every_ns) return k_never_ns / 4;  // later than all that is simulated
    left_ns -= whole * each_ns;
    at_ns += whole * one.every_ns;
    begins_ns += (whole + 1) * one.every_ns;
    if (pass(at_ns, left_ns, begins_ns, begins_ns + one.for_ns, one.speed_permille)) return at_ns - from_ns;
  }
  return at_ns + left_ns - from_ns;
}

void require_valid(const machine_model& machine) {
  if (machine.workers < 1 || machine.workers > k_most_workers) {
    refuse("workers", machine.workers, "a number from 1 to " + std::to_string(k_most_workers));
  }
  if (machine.distances.workers() != 0 && machine.distances.workers() != machine.workers) {
    refuse("distances.workers", machine.distances.workers(), "the number of workers, or 0 for equal distances");
  }
  if (!machine.speed_permille.empty() && machine.speed_permille.size() != machine.workers) {
    refuse("speed_permille.size", static_cast<std::int64_t>(machine.speed_permille.size()),
           "the number of workers, or 0 for equal speeds");
  }
  for (const std::uint32_t speed : machine.speed_permille) {
    if (speed < 1) refuse("speed_permille", speed, "a number from 1 on");
  }
  require_costs(machine.costs);
  require_disturbances(machine);
}

}  // namespace filch::inline v0::sim
