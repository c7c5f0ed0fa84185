// The machine from hwloc: this one, or one described by an XML file. Needs hwloc 2.4 or later (kinds of cores).
#include <filch/topology/error.hpp>
#include <filch/topology/load_machine.hpp>

#include "topology/loaders.hpp"
#include "topology/text.hpp"

#include <hwloc.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <string>

namespace filch::inline v0::topology {

namespace {

struct topology_deleter {
  void operator()(hwloc_topology_t topology) const noexcept { hwloc_topology_destroy(topology); }
};
using hwloc_handle = std::unique_ptr<hwloc_topology, topology_deleter>;

struct bitmap_deleter {
  void operator()(hwloc_bitmap_t bitmap) const noexcept { hwloc_bitmap_free(bitmap); }
};
using bitmap_handle = std::unique_ptr<hwloc_bitmap_s, bitmap_deleter>;

[[noreturn]] void fail(const std::string& what, int error) { throw topology_error{what + ": " + std::strerror(error)}; }

hwloc_handle make_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) fail("hwloc cannot start", errno);
  hwloc_handle topology{raw};
  // The whole machine; what this process may use is asked elsewhere. Devices are of no interest.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  return topology;
}

std::string version_text(hwloc_topology_t topology) {
  const char* version = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "hwlocVersion");
  return version == nullptr ? "" : std::string{" "} + version;
}

cpu_set cpus_of(hwloc_const_bitmap_t bitmap) {
  std::vector<cpu_number> cpus;
  for (int cpu = hwloc_bitmap_first(bitmap); cpu >= 0; cpu = hwloc_bitmap_next(bitmap, cpu)) {
    if (static_cast<cpu_number>(cpu) >= k_max_cpus) {
      throw topology_error{"CPU number " + std::to_string(cpu) + " is not allowed; allowed: 0 to " +
                           std::to_string(k_max_cpus - 1)};
    }
    cpus.push_back(static_cast<cpu_number>(cpu));
  }
  return cpu_set{std::move(cpus)};
}

std::uint32_t os_id(const hwloc_obj& object) {
  return object.os_index == HWLOC_UNKNOWN_INDEX ? object.logical_index : object.os_index;
}

class converter {
 public:
  explicit converter(hwloc_topology_t topology) : topology_{topology} {}

  machine convert() {
    add_packages_and_nodes();
    add_cores();
    add_caches();
    add_distances();
    add_kinds();
    normalize(machine_);
    return std::move(machine_);
  }

 private:
  template <class Visit>
  void each(hwloc_obj_type_t type, Visit visit) {
    for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(topology_, type, o)) != nullptr;) visit(*o);
  }

  void add_packages_and_nodes() {
    each(HWLOC_OBJ_PACKAGE, [&](const hwloc_obj& o) {
      machine_.packages.push_back({os_id(o)});
      if (const char* model = hwloc_obj_get_info_by_name(const_cast<hwloc_obj_t>(&o), "CPUModel");
          model != nullptr && machine_.name.empty()) {
        machine_.name = trim(model);
      }
    });
    if (machine_.packages.empty()) machine_.packages.resize(1);
    each(HWLOC_OBJ_NUMANODE, [&](const hwloc_obj& o) {
      node_index_[o.os_index] = static_cast<std::uint32_t>(machine_.nodes.size());
      machine_.nodes.push_back({os_id(o), o.attr == nullptr ? 0 : o.attr->numanode.local_memory});
    });
    if (machine_.nodes.empty()) machine_.nodes.resize(1);
  }

  // A machine described without cores has one for each hardware thread.
  void add_cores() {
    const bool has_cores = hwloc_get_nbobjs_by_type(topology_, HWLOC_OBJ_CORE) > 0;
    each(has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU, [&](const hwloc_obj& o) {
      core c{.cpus = cpus_of(o.cpuset)};
      const hwloc_obj_t inside =
          hwloc_get_ancestor_obj_by_type(topology_, HWLOC_OBJ_PACKAGE, const_cast<hwloc_obj_t>(&o));
      c.package = inside == nullptr ? 0 : inside->logical_index;
      // Of several local memories the first is the ordinary one.
      const int node = o.nodeset == nullptr ? -1 : hwloc_bitmap_first(o.nodeset);
      const auto found = node_index_.find(static_cast<unsigned>(node));
      c.node = found == node_index_.end() ? 0 : found->second;
      if (!c.cpus.empty()) machine_.cores.push_back(std::move(c));
    });
  }

  void add_caches() {
    const hwloc_obj_type_t types[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE,
                                      HWLOC_OBJ_L5CACHE};
    static_assert(std::size(types) == k_max_cache_level);
    for (std::uint32_t level = 1; level <= k_max_cache_level; ++level) {
      each(types[level - 1], [&](const hwloc_obj& o) {
        cpu_set cpus = cpus_of(o.cpuset);
        if (!cpus.empty()) machine_.caches.push_back({level, o.attr->cache.size, std::move(cpus)});
      });
    }
  }

  void add_distances() {
    hwloc_distances_s* matrix = nullptr;
    unsigned count = 1;
    if (hwloc_distances_get_by_type(topology_, HWLOC_OBJ_NUMANODE, &count, &matrix, HWLOC_DISTANCES_KIND_MEANS_LATENCY,
                                    0) != 0 ||
        count == 0 || matrix == nullptr) {
      return;
    }
    const std::size_t n = machine_.nodes.size();
    std::vector<std::uint32_t> values(n * n);
    bool is_complete = matrix->nbobjs == n;
    for (std::size_t i = 0; is_complete && i != n * n; ++i) {
      const hwloc_obj_t from = matrix->objs[i / n];
      const hwloc_obj_t to = matrix->objs[i % n];
      const auto value = matrix->values[i];
      is_complete = from != nullptr && to != nullptr && value >= 1 && value <= 65535;
      if (is_complete) values[from->logical_index * n + to->logical_index] = static_cast<std::uint32_t>(value);
    }
    hwloc_distances_release(topology_, matrix);
    if (is_complete) machine_.node_distances = std::move(values);
  }

  void add_kinds() {
    const int kinds = hwloc_cpukinds_get_nr(topology_, 0);
    if (kinds < 2) return;
    std::map<cpu_number, std::uint64_t> speed_of;
    std::map<cpu_number, core_kind> kind_of;
    const bitmap_handle cpus{hwloc_bitmap_alloc()};
    for (unsigned k = 0; k != static_cast<unsigned>(kinds); ++k) {
      int efficiency = 0;
      unsigned info_count = 0;
      hwloc_info_s* infos = nullptr;
      if (hwloc_cpukinds_get_info(topology_, k, cpus.get(), &efficiency, &info_count, &infos, 0) != 0) continue;
      std::uint64_t clock = 0;
      std::uint64_t capacity = 0;
      core_kind kind = core_kind::uniform;
      for (unsigned i = 0; i != info_count; ++i) {
        const std::string_view name = infos[i].name;
        const std::string_view value = infos[i].value;
        const auto number = parse_number(value);
        const std::uint64_t speed =
            number && *number > 0 && *number < INT32_MAX ? static_cast<std::uint64_t>(*number) : 0;
        if (name == "FrequencyMaxMHz") clock = speed;
        if (name == "LinuxCapacity") capacity = speed;
        if (name == "CoreType") kind = value == "IntelAtom" ? core_kind::efficiency : core_kind::performance;
      }
      for (const cpu_number cpu : cpus_of(cpus.get())) {
        speed_of[cpu] = capacity != 0 ? capacity : clock;
        kind_of[cpu] = kind;
      }
    }
    std::vector<std::uint64_t> speeds;
    for (core& c : machine_.cores) {
      c.kind = kind_of[c.cpus.front()];
      speeds.push_back(speed_of[c.cpus.front()]);
    }
    set_speeds(machine_, speeds);
  }

  hwloc_topology_t topology_;
  machine machine_;
  std::map<unsigned, std::uint32_t> node_index_;
};

}  // namespace

bool built_with_hwloc() noexcept { return true; }

machine load_from_hwloc() {
  const hwloc_handle topology = make_topology();
  if (hwloc_topology_load(topology.get()) != 0) fail("hwloc cannot read this machine", errno);
  machine m = converter{topology.get()}.convert();
  m.source = "hwloc" + version_text(topology.get());
  return m;
}

machine load_from_hwloc_xml(const std::filesystem::path& file) {
  const hwloc_handle topology = make_topology();
  if (hwloc_topology_set_xml(topology.get(), file.c_str()) != 0 || hwloc_topology_load(topology.get()) != 0) {
    throw topology_error{file.string() + ": not a machine description that hwloc understands"};
  }
  try {
    machine m = converter{topology.get()}.convert();
    m.source = "hwloc XML file " + file.string();
    return m;
  } catch (const topology_error& error) {
    throw topology_error{file.string() + ": " + error.what()};
  }
}

}  // namespace filch::inline v0::topology
