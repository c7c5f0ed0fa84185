// The machine this process runs on.
#pragma once

#include <filch/topology/machine.hpp>

#include <cstdint>
#include <filesystem>

namespace filch::inline v0::topology {

enum class loader : std::uint8_t {
  automatic,  // hwloc when built with it and `root` is "/", else sysfs; a flat machine when neither knows anything
  hwloc,      // throws when filch is built without it
  sysfs,      // <root>/sys/devices/system/{cpu,node}
};

struct load_options {
  loader use = loader::automatic;
  std::filesystem::path root = "/";  // the directory that holds "sys"; hwloc reads only "/"
};

// The whole machine, also the CPUs that this process may not use: those are the business of usable_cpus. With
// loader::automatic and root "/" this succeeds everywhere; machine::source says what it is based on. Otherwise throws
// topology_error when the source cannot be read.
[[nodiscard]] machine load_machine(const load_options& options = {});

// Cores without structure: one package, one node, no caches. For when nothing is known but the CPUs.
[[nodiscard]] machine flat_machine(const cpu_set& cpus);

[[nodiscard]] bool built_with_hwloc() noexcept;

}  // namespace filch::inline v0::topology
