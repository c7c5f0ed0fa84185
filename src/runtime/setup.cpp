#include "setup.hpp"

#include "stack/fiber.hpp"

#include <filch/topology/load_machine.hpp>
#include <filch/topology/placement.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <utility>

namespace filch::inline v0 {
namespace {

std::optional<time_ns> watchdog_from_environment() {
  const char* const text = std::getenv("FILCH_WATCHDOG_MS");
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const long long ms = std::strtoll(text, &end, 10);
  if (end == text || *end != '\0' || ms < 1 || ms > 86'400'000) {
    throw std::invalid_argument("FILCH_WATCHDOG_MS = \"" + std::string{text} +
                                "\": allowed is a whole number of milliseconds from 1 to 86400000");
  }
  return ms * k_ns_per_ms;
}

std::optional<bool> switch_from_environment(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string value{text};
  if (value != "on" && value != "off") {
    throw std::invalid_argument(std::string{variable} + " = \"" + value + "\": allowed is \"on\" or \"off\"");
  }
  return value == "on";
}

#ifdef NDEBUG
constexpr bool k_is_debug_build = false;
#else
constexpr bool k_is_debug_build = true;
#endif

}  // namespace

runtime_setup::runtime_setup(options given) : chosen{std::move(given)} {
  usable = chosen.workers ? topology::usable_cpus({.environment = [](const char*) { return std::nullopt; }})
                          : topology::usable_cpus();
  why_so_many = chosen.workers ? "options::workers" : usable.why();
  chosen.workers = chosen.workers.value_or(usable.count);
  require_valid(chosen, *chosen.workers);
  if (!chosen.watchdog_ns) chosen.watchdog_ns = watchdog_from_environment();
  measures_tasks = chosen.watchdog_ns.has_value();
  if (!chosen.track_tasks) chosen.track_tasks = switch_from_environment("FILCH_TRACK_TASKS").value_or(k_is_debug_build);
  tracks_tasks = *chosen.track_tasks;
  search_options = chosen.search();
  chosen.stack_bytes = std::min(chosen.stack_bytes, fiber::k_most_bytes);
  may_interrupt = chosen.interrupts.value_or(switch_from_environment("FILCH_INTERRUPTS").value_or(true));
  has_cpu_each = *chosen.workers <= usable.cpus.size();
}

void runtime_setup::fit_to(std::uint32_t started) {
  const std::uint32_t wanted = *chosen.workers;
  if (started == wanted) return;
  const auto& placed = search_options.placement;
  if (placed.how() == placement::kind::given && placed.worker().value >= started) {
    search_options.placement = placement::injector;  // that worker does not exist
  }
  why_so_many += "; only " + std::to_string(started) + " of " + std::to_string(wanted) + " threads could be started";
  chosen.workers = started;
  has_cpu_each = started <= usable.cpus.size();
}

void runtime_setup::choose_machine() {
  const std::uint32_t count = *chosen.workers;
  if (!chosen.machine && !binds_workers() && chosen.victims != victims::nearest && chosen.wake != wake::nearest) {
    distances = topology::distance_table::uniform(count);  // no policy asks for distances: starting stays quick
    return;
  }
  if (!chosen.machine) chosen.machine = topology::load_machine();
  const bool is_this_machine = binds_workers();
  const auto how = chosen.pinning == pinning::compact ? topology::placement::compact : topology::placement::spread;
  cpu_of_worker =
      topology::assign_workers(*chosen.machine, is_this_machine ? usable.cpus : chosen.machine->cpus(), count, how);
  distances = topology::distance_table{*chosen.machine, cpu_of_worker};
}

void report_to(const options& chosen, const std::string& text) {
  if (chosen.on_report) {
    chosen.on_report(text);
  } else {
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  }
}

}  // namespace filch::inline v0
