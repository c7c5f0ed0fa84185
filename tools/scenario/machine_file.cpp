#include "machine_file.hpp"

#include "field.hpp"
#include "files.hpp"
#include "machine_fields.hpp"
#include "scenario.hpp"

#include <filch/topology/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <tuple>

namespace filch::scenario {
namespace {

using ordered_json = nlohmann::ordered_json;

constexpr std::uint32_t k_most_distances = 256;
constexpr std::uint32_t k_most_disturbances = 100'000;
constexpr std::uint32_t k_most_spreads = 100;

template <class T>
struct member {
  std::string_view name;
  T sim::machine_costs::* where;
};
constexpr std::array<member<time_ns>, 18> k_costs{{{"spawn_ns", &sim::machine_costs::spawn_ns},
                                                   {"push_ns", &sim::machine_costs::push_ns},
                                                   {"pop_ns", &sim::machine_costs::pop_ns},
                                                   {"inbox_ns", &sim::machine_costs::inbox_ns},
                                                   {"injector_ns", &sim::machine_costs::injector_ns},
                                                   {"resume_ns", &sim::machine_costs::resume_ns},
                                                   {"notify_ns", &sim::machine_costs::notify_ns},
                                                   {"park_ns", &sim::machine_costs::park_ns},
                                                   {"wake_ns", &sim::machine_costs::wake_ns},
                                                   {"notice_ns", &sim::machine_costs::notice_ns},
                                                   {"switch_ns", &sim::machine_costs::switch_ns},
                                                   {"fork_ns", &sim::machine_costs::fork_ns},
                                                   {"join_ns", &sim::machine_costs::join_ns},
                                                   {"look_ns", &sim::machine_costs::look_ns},
                                                   {"offer_ns", &sim::machine_costs::offer_ns},
                                                   {"visit_ns", &sim::machine_costs::visit_ns},
                                                   {"visited_ns", &sim::machine_costs::visited_ns},
                                                   {"steal_exposure_ns", &sim::machine_costs::steal_exposure_ns}}};

struct count_option {
  std::string_view name;
  std::uint32_t topology::synthetic_options::* where;
};
constexpr std::array<count_option, 12> k_counts{
    {{"packages", &topology::synthetic_options::packages},
     {"nodes_per_package", &topology::synthetic_options::nodes_per_package},
     {"cores_per_node", &topology::synthetic_options::cores_per_node},
     {"threads_per_core", &topology::synthetic_options::threads_per_core},
     {"efficiency_cores_per_node", &topology::synthetic_options::efficiency_cores_per_node},
     {"efficiency_speed_permille", &topology::synthetic_options::efficiency_speed_permille},
     {"cores_per_l2", &topology::synthetic_options::cores_per_l2},
     {"efficiency_cores_per_l2", &topology::synthetic_options::efficiency_cores_per_l2},
     {"cores_per_l3", &topology::synthetic_options::cores_per_l3},
     {"local_distance", &topology::synthetic_options::local_distance},
     {"same_package_distance", &topology::synthetic_options::same_package_distance},
     {"other_package_distance", &topology::synthetic_options::other_package_distance}}};

struct size_option {
  std::string_view name;
  std::uint64_t topology::synthetic_options::* where;
};
constexpr std::array<size_option, 4> k_sizes{
    {{"l1_bytes", &topology::synthetic_options::l1_bytes},
     {"l2_bytes", &topology::synthetic_options::l2_bytes},
     {"l3_bytes", &topology::synthetic_options::l3_bytes},
     {"memory_per_node_bytes", &topology::synthetic_options::memory_per_node_bytes}}};

const std::vector<std::string_view> k_placements{"spread", "compact"};

sim::machine_costs read_costs(const field& from) {
  sim::machine_costs out;
  object_fields costs{from};
  for (const auto& one : k_costs) costs.nanoseconds(one.name, out.*one.where);
  if (const auto steal = costs.find("steal")) {
    const auto rows = steal->items("a list with the costs of a look by distance");
    if (rows.size() > k_most_distances) steal->refuse("a list of at most 256 distances");
    for (const field& row : rows) {
      object_fields fields{row};
      sim::steal_cost cost;
      fields.nanoseconds("success_ns", cost.success_ns);
      fields.nanoseconds("empty_ns", cost.empty_ns);
      fields.nanoseconds("lost_ns", cost.lost_ns);
      fields.finish();
      out.steal.push_back(cost);
    }
  }
  if (const auto migration = costs.find("migration_ns")) {
    const auto rows = migration->items("a list of nanoseconds by distance");
    if (rows.size() > k_most_distances) migration->refuse("a list of at most 256 distances");
    for (const field& row : rows) out.migration_ns.push_back(row.nanoseconds());
  }
  costs.finish();
  return out;
}

topology::synthetic_options read_topology(const field& from) {
  topology::synthetic_options out;
  object_fields fields{from};
  for (const auto& one : k_counts) fields.whole(one.name, out.*one.where, 0, k_most_workers);
  for (const auto& one : k_sizes) fields.whole(one.name, out.*one.where, 0, std::uint64_t{1} << 50);
  fields.finish();
  const double cores = double{1.0} * out.cores_per_node * out.threads_per_core + out.efficiency_cores_per_node;
  if (cores * out.packages * out.nodes_per_package > k_most_described_cpus) {
    from.fail(from.path() + ": more CPUs than " + std::to_string(k_most_described_cpus));
  }
  try {
    (void)topology::machine::synthetic(out);
  } catch (const topology::topology_error& problem) {
    from.fail(from.path() + ": " + problem.what());
  }
  return out;
}

std::vector<sim::disturbance> read_disturbances(const field& from) {
  std::vector<sim::disturbance> out;
  const auto rows = from.items();
  if (rows.size() > k_most_disturbances) from.refuse("a list of at most 100000 disturbances");
  for (const field& row : rows) {
    object_fields fields{row};
    fields.allow({"worker", "from_ns", "for_ns", "every_ns", "speed_permille"});
    sim::disturbance one;
    one.worker = static_cast<std::uint32_t>(fields.need("worker").whole(0, k_most_workers - 1));
    fields.nanoseconds("from_ns", one.from_ns);
    one.for_ns = fields.need("for_ns").nanoseconds(1);
    fields.nanoseconds("every_ns", one.every_ns);
    fields.whole("speed_permille", one.speed_permille, 0, 1000);
    fields.finish();
    out.push_back(one);
  }
  std::ranges::sort(out, {}, [](const sim::disturbance& one) {
    return std::tuple{one.worker, one.from_ns, one.for_ns, one.every_ns, one.speed_permille};
  });
  return out;
}

std::vector<cost_spread> read_spreads(const field& from) {
  constexpr double k_most = 1e15;
  std::vector<cost_spread> out;
  const auto rows = from.items("a list of what was measured");
  if (rows.size() > k_most_spreads) from.refuse("a list of at most 100 costs");
  for (const field& row : rows) {
    object_fields fields{row};
    fields.allow({"cost", "low", "median", "high"});
    cost_spread one{.cost = fields.need("cost").text("the name of a cost")};
    one.low = fields.need("low").real(0, k_most);
    one.median = fields.need("median").real(one.low, k_most);
    one.high = fields.need("high").real(one.median, k_most);
    fields.finish();
    out.push_back(std::move(one));
  }
  return out;
}

ordered_json as_json(const sim::machine_costs& costs) {
  ordered_json out = ordered_json::object();
  for (const auto& one : k_costs) {
    if (costs.*one.where != 0) out[std::string{one.name}] = costs.*one.where;
  }
  for (const sim::steal_cost& row : costs.steal) {
    out["steal"].push_back(
        ordered_json{{"success_ns", row.success_ns}, {"empty_ns", row.empty_ns}, {"lost_ns", row.lost_ns}});
  }
  if (!costs.migration_ns.empty()) out["migration_ns"] = costs.migration_ns;
  return out;
}

ordered_json as_json(const topology::synthetic_options& options) {
  ordered_json out = ordered_json::object();
  for (const auto& one : k_counts) out[std::string{one.name}] = options.*one.where;
  for (const auto& one : k_sizes) out[std::string{one.name}] = options.*one.where;
  return out;
}

}  // namespace

machine_description read_machine(const field& from) {
  machine_description out;
  object_fields fields{from};
  (void)fields.find("$schema");
  if (const auto name = fields.find("name")) out.name = name->text();
  if (const auto title = fields.find("title")) out.title = title->text();
  if (const auto topology = fields.find("topology")) {
    out.topology = read_topology(*topology);
    out.workers = static_cast<std::uint32_t>(topology::machine::synthetic(*out.topology).cpus().size());
  }
  fields.whole("workers", out.workers, 1, k_most_workers);
  if (const auto placement = fields.find("placement")) {
    out.placement = placement->one_of(k_placements) == 0 ? topology::placement::spread : topology::placement::compact;
  }
  if (const auto costs = fields.find("costs")) out.costs = read_costs(*costs);
  if (const auto disturbances = fields.find("disturbances")) out.disturbances = read_disturbances(*disturbances);
  if (const auto spreads = fields.find("measured")) out.spreads = read_spreads(*spreads);
  fields.finish();
  return out;
}

machine_description parse_machine(std::string_view text, std::string_view origin) {
  const json_value tree = parse_json(text, origin);
  machine_description out = read_machine(field{origin, "", tree});
  require_valid(out, out.workers, origin);
  return out;
}

// The costs and disturbances, without the distances, which are right by construction and take long to make.
void require_valid(const machine_description& machine, std::uint32_t workers, std::string_view origin) {
  if (machine.topology && workers > k_most_described_cpus) {
    throw error{origin, 0, "workers",
                "workers = " + std::to_string(workers) + ": allowed is a number from 1 to " +
                    std::to_string(k_most_described_cpus) + " on a machine with a topology"};
  }
  sim::machine_model checked = sim::machine_model::free(workers);
  checked.costs = machine.costs;
  std::ranges::copy_if(machine.disturbances, std::back_inserter(checked.disturbances),
                       [workers](const sim::disturbance& one) { return one.worker < workers; });
  try {
    sim::require_valid(checked);
  } catch (const std::invalid_argument& problem) {
    throw error{origin, 0, "machine", problem.what()};
  }
}

machine_description load_machine(const std::filesystem::path& file) {
  return parse_machine(read_file(file, k_most_bytes), file.string());
}

std::vector<std::string_view> machine_names() { return names_of(built_in_machines()); }

machine_description find_machine(std::string_view name_or_file) {
  if (is_file_name(name_or_file)) return load_machine(std::filesystem::path{name_or_file});
  const built_in_file& found = find_built_in(built_in_machines(), "machine", name_or_file);
  return parse_machine(found.text, "machines/" + std::string{found.name} + ".json");
}

void write_machine(std::ostream& out, const machine_description& machine) {
  ordered_json all = ordered_json::object();
  all["name"] = machine.name;
  if (!machine.title.empty()) all["title"] = machine.title;
  all["workers"] = machine.workers;
  if (machine.topology) all["topology"] = as_json(*machine.topology);
  all["placement"] = k_placements[machine.placement == topology::placement::spread ? 0 : 1];
  all["costs"] = as_json(machine.costs);
  for (const sim::disturbance& one : machine.disturbances) {
    all["disturbances"].push_back(ordered_json{{"worker", one.worker},
                                               {"from_ns", one.from_ns},
                                               {"for_ns", one.for_ns},
                                               {"every_ns", one.every_ns},
                                               {"speed_permille", one.speed_permille}});
  }
  for (const cost_spread& one : machine.spreads) {
    all["measured"].push_back(
        ordered_json{{"cost", one.cost}, {"median", one.median}, {"low", one.low}, {"high", one.high}});
  }
  out << all.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

// Disturbances of workers that a smaller number leaves out are left out with them.
sim::machine_model make_machine(const machine_description& machine, std::uint32_t workers) {
  if (workers == 0) workers = machine.workers;
  sim::machine_model out;
  if (machine.topology) {
    const topology::machine described = topology::machine::synthetic(*machine.topology);
    const auto cpus = topology::assign_workers(described, described.cpus(), workers, machine.placement);
    out = sim::machine_model::of(described, cpus, machine.costs);
  } else {
    out = sim::machine_model::free(workers);
    out.costs = machine.costs;
  }
  out.name = machine.name;
  std::ranges::copy_if(machine.disturbances, std::back_inserter(out.disturbances),
                       [workers](const sim::disturbance& one) { return one.worker < workers; });
  return out;
}

}  // namespace filch::scenario
