#include <filch/topology/error.hpp>
#include <filch/topology/load_machine.hpp>
#include <filch/topology/pin_thread.hpp>

#include "topology/loaders.hpp"

#include <algorithm>
#include <string>
#include <thread>

namespace filch::inline v0::topology {

namespace {

// Cores of one kind differ a little in their highest clock. A guess: anything slower than this is another kind.
constexpr std::uint64_t k_slow_permille = 800;

machine load_whatever_is_there(const std::filesystem::path& root) {
  std::string failures;
  if (built_with_hwloc() && root == "/") {
    try {
      return load_from_hwloc();
    } catch (const topology_error& error) {
      failures = error.what();
    }
  }
  try {
    machine m = load_from_sysfs(root);
    if (!failures.empty()) m.source += " (" + failures + ")";
    return m;
  } catch (const topology_error& error) {
    if (root != "/") throw;
    failures += (failures.empty() ? "" : "; ") + std::string{error.what()};
  }
  const auto mask = thread_affinity();
  machine m = flat_machine(
      mask && !mask->empty() ? *mask : cpu_set::first(std::clamp(std::thread::hardware_concurrency(), 1u, k_max_cpus)));
  m.source += " (" + failures + ")";
  return m;
}

}  // namespace

void set_speeds(machine& m, const std::vector<std::uint64_t>& raw_speed) {
  if (raw_speed.empty() || *std::min_element(raw_speed.begin(), raw_speed.end()) == 0) return;
  const std::uint64_t fastest = *std::max_element(raw_speed.begin(), raw_speed.end());
  const auto permille = [&](std::size_t i) { return std::max<std::uint64_t>(raw_speed[i] * 1000 / fastest, 1); };
  bool kinds_are_known = false;
  bool some_are_slow = false;
  for (std::size_t i = 0; i != m.cores.size(); ++i) {
    kinds_are_known |= m.cores[i].kind != core_kind::uniform;
    some_are_slow |= permille(i) < k_slow_permille;
  }
  if (!kinds_are_known && !some_are_slow) return;
  for (std::size_t i = 0; i != m.cores.size(); ++i) {
    m.cores[i].speed_permille = static_cast<std::uint32_t>(permille(i));
    if (kinds_are_known) continue;
    m.cores[i].kind = permille(i) < k_slow_permille ? core_kind::efficiency : core_kind::performance;
  }
}

machine load_machine(const load_options& options) {
  switch (options.use) {
    case loader::sysfs:
      return load_from_sysfs(options.root);
    case loader::hwloc:
      if (options.root != "/") {
        throw topology_error{"load_machine: root = '" + options.root.string() +
                             "' is not allowed with hwloc; allowed: '/'"};
      }
      return load_from_hwloc();
    case loader::automatic:
      break;
  }
  return load_whatever_is_there(options.root);
}

machine flat_machine(const cpu_set& cpus) {
  machine m;
  m.source = "flat";
  m.packages.resize(1);
  m.nodes.resize(1);
  for (const cpu_number cpu : cpus) m.cores.push_back({.cpus = {cpu}});
  normalize(m);
  return m;
}

}  // namespace filch::inline v0::topology
