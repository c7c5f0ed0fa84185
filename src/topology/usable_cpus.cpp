#include <filch/topology/error.hpp>
#include <filch/topology/pin_thread.hpp>
#include <filch/topology/usable_cpus.hpp>

#include "topology/cgroup.hpp"
#include "topology/text.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace filch::inline v0::topology {

namespace {

constexpr const char* k_workers_variable = "FILCH_WORKERS";

std::string count_of_cpus(std::size_t count) { return std::to_string(count) + (count == 1 ? " CPU" : " CPUs"); }

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::optional<std::string> process_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string{value};
}

// The affinity mask, or the next best thing: the CPUs that are online, or as many as the standard library believes in.
cpu_set allowed_cpus(const usable_cpus_options& options, usable_cpus_result& result) {
  if (auto mask = options.affinity ? options.affinity() : thread_affinity(); mask && !mask->empty()) {
    result.reasons.push_back("affinity mask: " + count_of_cpus(mask->size()));
    return std::move(*mask);
  }
  result.notes.emplace_back("the affinity mask cannot be read");
  if (const auto line = read_line(options.root / "sys/devices/system/cpu/online")) {
    if (auto online = cpu_set::parse(*line); online && !online->empty()) {
      result.reasons.push_back("online: " + count_of_cpus(online->size()));
      return std::move(*online);
    }
  }
  const cpu_number count = std::clamp(std::thread::hardware_concurrency(), 1u, k_max_cpus);
  result.reasons.push_back("hardware concurrency: " + count_of_cpus(count));
  return cpu_set::first(count);
}

void apply_cpusets(const std::vector<cgroup_cpuset>& cpusets, usable_cpus_result& result) {
  for (const cgroup_cpuset& cpuset : cpusets) {
    const std::string what = "cgroup v" + std::to_string(cpuset.version) + " cpuset: ";
    cpu_set both = result.cpus.intersection(cpuset.cpus);
    if (both.empty()) {
      result.notes.push_back(what + cpuset.cpus.to_string() + " (" + cpuset.where + ") ignored: none of the CPUs " +
                             result.cpus.to_string() + " is in it");
      continue;
    }
    result.reasons.push_back(what + count_of_cpus(cpuset.cpus.size()) + " (" + cpuset.where + ")");
    result.cpus = std::move(both);
  }
}

std::uint32_t parse_workers(const std::string& value) {
  const auto parsed = starts_with_digit(value) ? parse_number(value) : std::nullopt;
  if (!parsed || *parsed < 1 || *parsed > k_max_workers) {
    throw topology_error{std::string{k_workers_variable} + " = " + in_quotes(value) +
                         " is not allowed; allowed: a whole number from 1 to " + std::to_string(k_max_workers)};
  }
  return static_cast<std::uint32_t>(*parsed);
}

}  // namespace

std::string usable_cpus_result::why() const {
  std::string line;
  for (const std::string& reason : reasons) line += (line.empty() ? "" : "; ") + reason;
  return line;
}

usable_cpus_result usable_cpus(const usable_cpus_options& options) {
  usable_cpus_result result;
  result.cpus = allowed_cpus(options, result);
  const cgroup_limits limits = read_cgroup_limits(options.root, result.notes);
  apply_cpusets(limits.cpusets, result);

  result.count = static_cast<std::uint32_t>(std::min<std::size_t>(result.cpus.size(), k_max_workers));
  for (const cgroup_quota& quota : limits.quotas) {
    result.reasons.push_back("cgroup v" + std::to_string(quota.version) + " quota: " + number(quota.cpus) + " → " +
                             std::to_string(quota.workers) + " (" + quota.where + ")");
    result.count = static_cast<std::uint32_t>(std::min<std::int64_t>(result.count, quota.workers));
  }

  const auto value =
      options.environment ? options.environment(k_workers_variable) : process_environment(k_workers_variable);
  if (value) {
    result.count = parse_workers(*value);
    result.reasons.push_back(std::string{k_workers_variable} + ": " + std::to_string(result.count));
  }
  return result;
}

}  // namespace filch::inline v0::topology
