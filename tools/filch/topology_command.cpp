// filch topology: the machine as filch sees it, and the CPUs that this process may use.
#include <filch/topology/distance_table.hpp>
#include <filch/topology/load_machine.hpp>
#include <filch/topology/machine_file.hpp>
#include <filch/topology/placement.hpp>
#include <filch/topology/usable_cpus.hpp>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "commands.hpp"
#include "output.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t k_shown_cores = 64;
constexpr std::size_t k_shown_distances = 16;

std::string bytes_text(std::uint64_t bytes) {
  static constexpr std::pair<unsigned, const char*> k_units[] = {
      {40, " TiB"}, {30, " GiB"}, {20, " MiB"}, {10, " KiB"}};
  for (const auto& [shift, name] : k_units) {
    const double value = static_cast<double>(bytes) / static_cast<double>(std::uint64_t{1} << shift);
    if (value >= 1) return fixed(value, value < 10 && value != static_cast<int>(value) ? 1 : 0) + name;
  }
  return std::to_string(bytes) + " B";
}

std::string caches_text(const topology::machine& machine) {
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::size_t>, std::size_t> kinds;
  for (const topology::cache& each : machine.caches) ++kinds[{each.level, each.size_bytes, each.cpus.size()}];
  if (kinds.empty()) return "";
  std::string out = "Caches\n";
  for (const auto& [kind, count] : kinds) {
    const auto& [level, size_bytes, sharers] = kind;
    out += "  L"s + std::to_string(level) + "  " + std::to_string(count) + " × " +
           (size_bytes == 0 ? "unknown size" : bytes_text(size_bytes)) + ", " + count_text(sharers, "CPU") + " each\n";
  }
  return out;
}

std::string cores_text(const topology::machine& machine, const topology::cpu_set* usable) {
  text_table table{{"core", "package", "node", "CPUs", "kind", "speed", usable != nullptr ? "usable" : ""}};
  for (std::size_t i = 0; i != std::min(machine.cores.size(), k_shown_cores); ++i) {
    const topology::core& each = machine.cores[i];
    std::string may_use;
    if (usable != nullptr) may_use = each.cpus.intersection(*usable).empty() ? "no" : "yes";
    table.add({std::to_string(i), std::to_string(machine.packages[each.package].os_id),
               std::to_string(machine.nodes[each.node].os_id), each.cpus.to_string(), to_string(each.kind),
               fixed(each.speed_permille / 10.0, 0) + " %", may_use});
  }
  std::string out = "Cores, near ones next to each other\n"s + table.text();
  if (machine.cores.size() > k_shown_cores) {
    out += "  … and "s + std::to_string(machine.cores.size() - k_shown_cores) + " more; --json shows all\n";
  }
  return out;
}

// How far the workers of a runtime are from each other, one worker per CPU of `cpus`.
std::string distances_text(const topology::machine& machine, const topology::cpu_set& cpus) {
  const std::size_t count = cpus.size();
  if (count < 2 || count > k_shown_distances) return "";
  const auto workers = static_cast<std::uint32_t>(count);
  const auto assigned = topology::assign_workers(machine, cpus, workers);
  const topology::distance_table table{machine, assigned};
  std::vector<std::string> head{"worker (CPU)"};
  for (std::uint32_t w = 0; w != workers; ++w) head.push_back(std::to_string(w));
  text_table shown{std::move(head)};
  for (std::uint32_t from = 0; from != workers; ++from) {
    std::vector<std::string> row{std::to_string(from) + " (" + std::to_string(assigned[from]) + ")"};
    for (const topology::distance each : table.row(worker_id{from})) row.push_back(std::to_string(each));
    shown.add(std::move(row));
  }
  return "Distances: 0 itself, 1 same core, 2 shared cache, 3 same node, 4 same package, 5 and more beyond\n"s +
         shown.text();
}

void print_usable(const topology::usable_cpus_result& usable) {
  std::cout << "This process may use " << count_text(usable.cpus.size(), "CPU") << " (" << usable.cpus.to_string()
            << "); a runtime starts " << count_text(usable.count, "worker") << ".\n";
  for (const std::string& each : usable.reasons) std::cout << "  " << each << "\n";
  for (const std::string& each : usable.notes) std::cout << "  note: " << each << "\n";
}

void print_machine(const topology::machine& machine, const topology::usable_cpus_result* usable) {
  std::cout << (machine.name.empty() ? "machine" : machine.name) << ": " << machine.summary() << "\n"
            << "Described by " << machine.source << "\n\n";
  if (usable != nullptr) {
    print_usable(*usable);
    std::cout << "\n";
  }
  std::cout << cores_text(machine, usable != nullptr ? &usable->cpus : nullptr);
  if (const std::string caches = caches_text(machine); !caches.empty()) std::cout << "\n" << caches;
  for (const topology::numa_node& each : machine.nodes) {
    if (each.memory_bytes == 0) continue;
    std::cout << "\nMemory of node " << each.os_id << ": " << bytes_text(each.memory_bytes) << "\n";
  }
  const topology::cpu_set shown = usable != nullptr ? usable->cpus.intersection(machine.cpus()) : machine.cpus();
  if (const std::string distances = distances_text(machine, shown); !distances.empty()) std::cout << "\n" << distances;
}

}  // namespace

void topology_command(const topology_arguments& given) {
  const bool is_here = given.file.empty();
  const topology::machine machine = is_here ? topology::load_machine() : topology::load_machine_file(given.file);
  std::optional<topology::usable_cpus_result> usable;
  if (is_here) usable = topology::usable_cpus();
  if (!given.json) {
    print_machine(machine, usable ? &*usable : nullptr);
    return;
  }
  json out;
  out["source"] = machine.source;
  out["summary"] = machine.summary();
  out["machine"] = json::parse(topology::to_json(machine));
  if (usable) {
    out["usable"] = {{"workers", usable->count},
                     {"cpus", std::vector(usable->cpus.begin(), usable->cpus.end())},
                     {"reasons", usable->reasons},
                     {"notes", usable->notes}};
  }
  std::cout << json_text(out) << "\n";
}

}  // namespace filch::tool
