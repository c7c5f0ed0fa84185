#include "calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <filch/topology/usable_cpus.hpp>
#include <fstream>

#include "../text.hpp"
#include "cost_measurements.hpp"
#include "quantile.hpp"

namespace filch::tool {
namespace {

// The memory that follows a task to another worker: its frame and the data that it uses first. A guess.
constexpr double k_footprint_kib = 4;

std::string cpu_model() {
  std::ifstream in{"/proc/cpuinfo"};
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t at = line.find(": ");
    return at == std::string::npos ? "" : line.substr(at + 2);
  }
  return "";
}

// The rounds of one figure.
struct figure_rounds {
  const char* name;
  const char* meaning;
  std::vector<double> values{};
  const char* unit = "ns";
};

struct all_rounds {
  figure_rounds spawn{"spawn_ns", "making a task, without the push"};
  figure_rounds push{"push_ns", "into the own deque"};
  figure_rounds pop{"pop_ns", "taking an empty task from the own deque and running it"};
  figure_rounds fork{"fork", "a join of two empty functions without a steal; not in the file"};
  figure_rounds injector{"injector_ns", "taking from the injector; the inbox is assumed to cost the same"};
  figure_rounds empty{"steal.empty_ns", "a look at a victim without tasks"};
  figure_rounds success{"steal.success_ns", "stealing an empty task from a busy victim and running it"};
  figure_rounds notice{"notice_ns", "from a fork until a searching worker has begun to steal it"};
  figure_rounds resume{"resume_ns", "from the end of a stolen function until its caller resumes, on another stack"};
  figure_rounds notify{"notify_ns", "waking a worker, for the waking thread"};
  figure_rounds wake{"wake_ns", "from a submission to a sleeping worker until its task starts"};
  figure_rounds park{"park_ns", "entering the kernel to sleep"};
  figure_rounds switches{"switch_ns", "a switch between two threads on one CPU"};
  figure_rounds migration{"migration", "memory that another CPU wrote, per KiB; the file has 4 KiB"};
  figure_rounds speed{"speed", "of a thread when all CPUs compute, relative to one alone; not in the file", {}, "%"};
  figure_rounds share{"share", "of their time that computing threads had a CPU", {}, "%"};

  [[nodiscard]] std::vector<figure_rounds*> in_order() {
    return {&spawn,  &push,   &pop,  &fork, &injector, &empty,     &success, &notice,
            &resume, &notify, &wake, &park, &switches, &migration, &speed,   &share};
  }
};

void measure_round(all_rounds& into, std::uint32_t cpus) {
  const spawn_costs spawn = measure_spawn();
  const queue_costs queues = measure_queues();
  into.spawn.values.push_back(std::max(0.0, spawn.spawn_ns - queues.push_ns));
  into.push.values.push_back(queues.push_ns);
  into.pop.values.push_back(spawn.pop_ns);
  into.injector.values.push_back(queues.injector_ns);
  into.empty.values.push_back(queues.empty_ns);
  into.fork.values.push_back(measure_fork_ns());
  into.park.values.push_back(measure_park_ns());
  into.switches.values.push_back(measure_switch_ns());
  const busy_machine busy = measure_all_busy(cpus);
  into.speed.values.push_back(100 * busy.speed);
  into.share.values.push_back(100 * busy.cpu_share);
  const wake_costs wake = measure_wake();
  into.notify.values.push_back(wake.notify_ns);
  into.wake.values.push_back(wake.wake_ns);
  if (cpus < 2) return;
  const double steal_ns = measure_steal_ns();
  const stolen_fork_costs stolen = measure_stolen_fork();
  into.success.values.push_back(steal_ns);
  into.notice.values.push_back(std::max(0.0, stolen.start_ns - steal_ns));
  into.resume.values.push_back(stolen.resume_ns);
  into.migration.values.push_back(measure_migration_per_kib_ns());
}

double median(const figure_rounds& of) { return of.values.empty() ? 0 : quantile(of.values, 0.5); }
time_ns whole_ns(const figure_rounds& of) { return static_cast<time_ns>(std::lround(median(of))); }

scenario::machine_description machine_of(const all_rounds& found, std::uint32_t cpus, std::uint32_t rounds) {
  scenario::machine_description out{.name = "measured", .workers = cpus};
  const std::string model = cpu_model();
  out.title = "measured by filch calibrate in " + count_text(rounds, "round") + " on " + count_text(cpus, "CPU") +
              (model.empty() ? "" : ", " + model);
  out.costs.spawn_ns = whole_ns(found.spawn);
  out.costs.push_ns = whole_ns(found.push);
  out.costs.pop_ns = whole_ns(found.pop);
  out.costs.inbox_ns = whole_ns(found.injector);
  out.costs.injector_ns = whole_ns(found.injector);
  out.costs.resume_ns = whole_ns(found.resume);
  out.costs.notify_ns = whole_ns(found.notify);
  out.costs.park_ns = whole_ns(found.park);
  out.costs.wake_ns = whole_ns(found.wake);
  out.costs.notice_ns = whole_ns(found.notice);
  out.costs.switch_ns = whole_ns(found.switches);
  const time_ns success_ns = whole_ns(found.success);
  out.costs.steal = {
      {.success_ns = success_ns, .empty_ns = std::max<time_ns>(1, whole_ns(found.empty)), .lost_ns = success_ns}};
  out.costs.migration_ns = {static_cast<time_ns>(std::lround(median(found.migration) * k_footprint_kib))};
  return out;
}

}  // namespace

calibration calibrate(std::uint32_t rounds, const std::function<void(const std::string&)>& say) {
  const auto cpus = static_cast<std::uint32_t>(topology::usable_cpus().cpus.size());
  all_rounds found;
  for (std::uint32_t i = 0; i != rounds; ++i) {
    say("round " + std::to_string(i + 1) + " of " + std::to_string(rounds));
    measure_round(found, cpus);
  }
  calibration out{.rounds = rounds, .costs = {}, .machine = machine_of(found, cpus, rounds)};
  for (const figure_rounds* each : found.in_order()) {
    if (each->values.empty()) continue;
    out.costs.push_back({each->name, each->meaning, median(*each), quantile(each->values, 0.25),
                         quantile(each->values, 0.75), each->unit});
    if (each != &found.speed && each != &found.share)
      out.machine.spreads.push_back({each->name, median(*each), out.costs.back().low, out.costs.back().high});
  }
  out.cpu_share = median(found.share) / 100;
  return out;
}

}  // namespace filch::tool
