// What the control groups of this process allow. Private to src/topology.
#pragma once

#include <filch/topology/cpu_set.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace filch::inline v0::topology {

// The tightest quota of one hierarchy, over the process's group and all its visible ancestors.
struct cgroup_quota {
  int version = 0;           // 1 or 2
  double cpus = 0;           // quota / period
  std::int64_t workers = 0;  // the same rounded up; at least 1
  std::string where;         // the directory that sets it
};

struct cgroup_cpuset {
  int version = 0;
  cpu_set cpus;
  std::string where;
};

struct cgroup_limits {
  std::vector<cgroup_quota> quotas;    // at most one of each version
  std::vector<cgroup_cpuset> cpusets;  // likewise
};

// Reads <root>/proc/self/{cgroup,mountinfo} and the files below the mount points they name. What makes no sense is
// left out and remarked on in `notes`.
[[nodiscard]] cgroup_limits read_cgroup_limits(const std::filesystem::path& root, std::vector<std::string>& notes);

}  // namespace filch::inline v0::topology
