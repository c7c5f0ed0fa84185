#include <filch/sim/machine_model.hpp>

#include <filch/trace/schema.hpp>

#include <stdexcept>
#include <string_view>
#include <utility>

namespace filch::inline v0::sim {
namespace {

[[noreturn]] void refuse(std::string_view field, std::int64_t value, std::string_view allowed) {
  std::string text{"machine."};
  text.append(field).append(" = ").append(std::to_string(value)).append(": allowed is ").append(allowed);
  throw std::invalid_argument{text};
}

void require_costs(const machine_costs& costs) {
  const std::pair<std::string_view, time_ns> plain[] = {
      {"costs.spawn_ns", costs.spawn_ns},
      {"costs.push_ns", costs.push_ns},
      {"costs.pop_ns", costs.pop_ns},
      {"costs.inbox_ns", costs.inbox_ns},
      {"costs.injector_ns", costs.injector_ns},
      {"costs.resume_ns", costs.resume_ns},
      {"costs.notify_ns", costs.notify_ns},
      {"costs.park_ns", costs.park_ns},
      {"costs.wake_ns", costs.wake_ns},
      {"costs.notice_ns", costs.notice_ns},
      {"costs.steal_exposure_ns", costs.steal_exposure_ns},
  };
  constexpr std::string_view k_time = "a time from 0 ns on";
  for (const auto& [field, value] : plain) {
    if (value < 0) refuse(field, value, k_time);
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

void require_valid(const machine_model& machine) {
  if (machine.workers < 1 || machine.workers >= trace::k_max_workers) {
    refuse("workers", machine.workers, "a number from 1 to 65534");
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
}

}  // namespace filch::inline v0::sim
