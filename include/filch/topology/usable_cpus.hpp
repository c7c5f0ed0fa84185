// How many CPUs this process may use, and which.
//
//   which     affinity mask ∩ cpuset of the process's cgroup
//   how many  the number of those, or less when a CPU quota of the cgroup or of one of its ancestors says so (cgroup v1
//             and v2); a quota of 1.5 CPUs counts as 2, one of 0.1 as 1, so there is always at least one worker.
//             FILCH_WORKERS in the environment overrides the number, not the set.
//
// What cannot be read limits nothing; it is remarked on in `notes`.
#pragma once

#include <filch/topology/cpu_set.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace filch::inline v0::topology {

// Where the answers come from. The defaults are this process and this system; tests put others in their place.
struct usable_cpus_options {
  // The directory that holds "proc" and "sys", and below which the mount points of cgroups are looked for.
  std::filesystem::path root = "/";
  // The affinity mask; nothing when it cannot be had. Empty function: the calling thread's.
  std::function<std::optional<cpu_set>()> affinity{};
  // The value of an environment variable; nothing when it is not set. Empty function: this process's environment.
  std::function<std::optional<std::string>(const char* name)> environment{};
};

struct usable_cpus_result {
  std::uint32_t count = 1;           // how many workers to start
  cpu_set cpus;                      // where they may run; never empty
  std::vector<std::string> reasons;  // what each source said: "affinity mask: 2 CPUs", "cgroup v2 quota: 1.5 → 2", …
  std::vector<std::string> notes;    // what could not be read or made no sense, and was ignored

  // The reasons in one line, joined by "; ".
  [[nodiscard]] std::string why() const;
};

// Throws topology_error only for a FILCH_WORKERS that is not a whole number from 1 to k_max_workers.
[[nodiscard]] usable_cpus_result usable_cpus(const usable_cpus_options& options = {});

}  // namespace filch::inline v0::topology
