// From a process to its limits:
//
//   /proc/self/cgroup     says which group the process is in, per hierarchy:  "0::/a/b" (v2), "4:cpu,cpuacct:/a/b" (v1)
//   /proc/self/mountinfo  says which part of a hierarchy is mounted where:    root "/a" at "/sys/fs/cgroup"
//   so the group is       /sys/fs/cgroup/b, and its visible ancestors are the directories up to the mount point.
//
// Both paths are relative to the process's cgroup namespace and may begin with "..": the mount's root when the mount
// was made outside the namespace, the group's path when the process was moved out of it. Such names are compared, never
// followed through the file system, where ".." would leave the hierarchy.
#include "topology/cgroup.hpp"

#include "topology/text.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace filch::inline v0::topology {

namespace {

namespace fs = std::filesystem;
using components = std::vector<std::string>;

struct mount {
  components root;  // which part of the hierarchy
  std::string point;
  int version;
  std::vector<std::string> controllers;  // v1 only
};

// A chain of directories from a group up to the mount point.
struct group_chain {
  std::string point;
  components below;  // the group, from the mount point; directories that do not exist are passed over
};

components components_of(std::string_view path) {
  components out;
  for (const std::string_view part : split(path, '/')) {
    if (!part.empty()) out.emplace_back(part);
  }
  return out;
}

bool is_up(const std::string& component) { return component == ".."; }

// mountinfo writes blanks and backslashes as \ooo.
std::string unescape(std::string_view text) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (std::size_t i = 0; i != text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<mount> parse_mounts(std::string_view mountinfo) {
  std::vector<mount> mounts;
  for (const std::string_view line : split(mountinfo, '\n')) {
    // id parent major:minor root point options [optional fields] - type source super-options
    const auto fields = words(line);
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 6 || fields.end() - dash < 4) continue;
    const std::string_view type = dash[1];
    if (type != "cgroup" && type != "cgroup2") continue;
    mount m{components_of(unescape(fields[3])), unescape(fields[4]), type == "cgroup2" ? 2 : 1, {}};
    for (const std::string_view option : split(dash[3], ',')) m.controllers.emplace_back(option);
    mounts.push_back(std::move(m));
  }
  return mounts;
}

// The process's path in the v2 hierarchy (`controller` empty) or in the v1 hierarchy of a controller.
std::optional<std::string> path_in_hierarchy(std::string_view membership, std::string_view controller) {
  for (const std::string_view line : split(membership, '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view id = line.substr(0, first);
    const std::string_view names = line.substr(first + 1, second - first - 1);
    const auto list = split(names, ',');
    const bool is_it =
        controller.empty() ? id == "0" && names.empty() : std::find(list.begin(), list.end(), controller) != list.end();
    if (is_it) return std::string{line.substr(second + 1)};
  }
  return std::nullopt;
}

enum class containment { exact, ancestor, outside };

// Where the group `path` lies, seen from a mount whose root is `root`. exact: `below` is the rest of the way. ancestor:
// the root is above the namespace and the names between are unknown, but what limits it limits the group.
containment locate(const components& root, const components& path, components& below) {
  const bool is_prefix = root.size() <= path.size() && std::equal(root.begin(), root.end(), path.begin());
  if (is_prefix) {
    below = components(path.begin() + static_cast<std::ptrdiff_t>(root.size()), path.end());
    if (std::none_of(below.begin(), below.end(), is_up)) return containment::exact;
    below.clear();
  }
  const auto ups_in_path = std::find_if_not(path.begin(), path.end(), is_up) - path.begin();
  const bool only_ups = std::all_of(root.begin(), root.end(), is_up);
  if (only_ups && !root.empty() && ups_in_path <= static_cast<std::ptrdiff_t>(root.size()))
    return containment::ancestor;
  return containment::outside;
}

// Of several mounts of a hierarchy, the one from which most ancestors are visible.
std::optional<group_chain> find_group(const std::vector<mount>& mounts, std::string_view membership, int version,
                                      std::string_view controller, std::vector<std::string>& notes) {
  const auto path = path_in_hierarchy(membership, version == 2 ? std::string_view{} : controller);
  if (!path) return std::nullopt;
  const components parts = components_of(*path);
  const mount* best = nullptr;
  containment best_kind = containment::outside;
  components best_below;
  for (const mount& m : mounts) {
    if (m.version != version) continue;
    if (version == 1 && std::find(m.controllers.begin(), m.controllers.end(), controller) == m.controllers.end()) {
      continue;
    }
    components below;
    const containment kind = locate(m.root, parts, below);
    if (kind == containment::outside) continue;
    if (best == nullptr || kind < best_kind || (kind == best_kind && m.root.size() < best->root.size())) {
      best = &m;
      best_kind = kind;
      best_below = std::move(below);
    }
  }
  std::string what = "cgroup v" + std::to_string(version);
  if (version == 1) what.append(" ").append(controller);
  if (best == nullptr) {
    notes.push_back(what + ": no mount shows the group " + in_quotes(*path) + "; its limits are not known");
    return std::nullopt;
  }
  if (best_kind == containment::ancestor) {
    notes.push_back(what + ": the way from " + best->point + " to the group " + in_quotes(*path) +
                    " is not visible; only the limits at " + best->point + " are known");
  }
  return group_chain{best->point, std::move(best_below)};
}

// Calls visit(directory, shown name) for the group and each ancestor up to the mount point, until it returns true.
template <class Visit>
void walk_up(const fs::path& root, group_chain chain, Visit visit) {
  for (;;) {
    fs::path shown = chain.point;
    for (const std::string& part : chain.below) shown /= part;
    if (visit(root / shown.relative_path(), shown.string()) || chain.below.empty()) return;
    chain.below.pop_back();
  }
}

void take_tighter(std::optional<cgroup_quota>& tightest, int version, std::int64_t quota, std::int64_t period,
                  const std::string& where) {
  const double cpus = static_cast<double>(quota) / static_cast<double>(period);
  if (tightest && tightest->cpus <= cpus) return;
  tightest = cgroup_quota{version, cpus, quota / period + (quota % period != 0 ? 1 : 0), where};
}

// cpu.max: "max 100000" or "150000 100000".
void read_quota_v2(const fs::path& directory, const std::string& shown, std::optional<cgroup_quota>& tightest,
                   std::vector<std::string>& notes) {
  const auto line = read_line(directory / "cpu.max");
  if (!line) return;
  const auto parts = words(*line);
  if (parts.size() == 2 && parts[0] == "max") return;
  const auto quota = parts.size() == 2 ? parse_number(parts[0]) : std::nullopt;
  const auto period = parts.size() == 2 ? parse_number(parts[1]) : std::nullopt;
  if (!quota || !period || *quota <= 0 || *period <= 0) {
    notes.push_back(shown + "/cpu.max: " + in_quotes(*line) + " ignored; expected 'max PERIOD' or 'QUOTA PERIOD'");
    return;
  }
  take_tighter(tightest, 2, *quota, *period, shown);
}

// cpu.cfs_quota_us: -1 for none; cpu.cfs_period_us.
void read_quota_v1(const fs::path& directory, const std::string& shown, std::optional<cgroup_quota>& tightest,
                   std::vector<std::string>& notes) {
  const auto quota_line = read_line(directory / "cpu.cfs_quota_us");
  if (!quota_line) return;
  const auto quota = parse_number(*quota_line);
  if (quota && *quota < 0) return;
  if (!quota || *quota == 0) {
    notes.push_back(shown + "/cpu.cfs_quota_us: " + in_quotes(*quota_line) + " ignored; expected -1 or microseconds");
    return;
  }
  const auto period_line = read_line(directory / "cpu.cfs_period_us");
  const auto period = period_line ? parse_number(*period_line) : std::nullopt;
  if (!period || *period <= 0) {
    notes.push_back(shown + "/cpu.cfs_period_us: " + (period_line ? in_quotes(*period_line) : "missing") +
                    ", so the quota is ignored; expected microseconds");
    return;
  }
  take_tighter(tightest, 1, *quota, *period, shown);
}

// The nearest group that says which CPUs are in effect; what it says already includes its ancestors. An empty list
// means that the group takes its parent's.
std::optional<cgroup_cpuset> read_cpuset(const fs::path& root, const group_chain& chain, int version,
                                         std::vector<std::string>& notes) {
  std::optional<cgroup_cpuset> found;
  const std::vector<const char*> names = version == 2
                                             ? std::vector<const char*>{"cpuset.cpus.effective"}
                                             : std::vector<const char*>{"cpuset.effective_cpus", "cpuset.cpus"};
  walk_up(root, chain, [&](const fs::path& directory, const std::string& shown) {
    for (const char* name : names) {
      const auto line = read_line(directory / name);
      if (!line) continue;
      auto cpus = cpu_set::parse(*line);
      if (!cpus) {
        notes.push_back(shown + "/" + name + ": " + in_quotes(*line) + " ignored; expected a list such as 0-3,8");
      } else if (!cpus->empty()) {
        found = cgroup_cpuset{version, std::move(*cpus), shown};
        return true;
      }
    }
    return false;
  });
  return found;
}

}  // namespace

cgroup_limits read_cgroup_limits(const fs::path& root, std::vector<std::string>& notes) {
  cgroup_limits limits;
  const auto membership = read_text(root / "proc/self/cgroup");
  if (!membership) return limits;
  const auto mountinfo = read_text(root / "proc/self/mountinfo");
  if (!mountinfo) {
    notes.emplace_back("/proc/self/mountinfo cannot be read; limits of cgroups are not known");
    return limits;
  }
  const auto mounts = parse_mounts(*mountinfo);

  for (const int version : {2, 1}) {
    const auto chain = find_group(mounts, *membership, version, "cpu", notes);
    if (chain) {
      std::optional<cgroup_quota> tightest;
      walk_up(root, *chain, [&](const fs::path& directory, const std::string& shown) {
        (version == 2 ? read_quota_v2 : read_quota_v1)(directory, shown, tightest, notes);
        return false;
      });
      if (tightest) limits.quotas.push_back(*tightest);
    }
    const auto cpuset_chain = version == 2 ? chain : find_group(mounts, *membership, version, "cpuset", notes);
    if (cpuset_chain) {
      if (auto cpuset = read_cpuset(root, *cpuset_chain, version, notes)) limits.cpusets.push_back(std::move(*cpuset));
    }
  }
  return limits;
}

}  // namespace filch::inline v0::topology
