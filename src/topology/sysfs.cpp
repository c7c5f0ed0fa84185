// The machine from Linux's /sys/devices/system/{cpu,node}. A file that is missing or makes no sense leaves out what it
// would have said: no siblings, package 0, node 0, no cache, unknown distances.
#include <filch/topology/error.hpp>

#include "topology/loaders.hpp"
#include "topology/text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

namespace filch::inline v0::topology {

namespace {

namespace fs = std::filesystem;

// The numbers n of the entries named "<prefix>n", ascending.
std::vector<std::uint32_t> numbered_entries(const fs::path& directory, std::string_view prefix) {
  std::vector<std::uint32_t> numbers;
  std::error_code error;
  for (fs::directory_iterator it{directory, error}, end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(prefix) || !starts_with_digit(std::string_view{name}.substr(prefix.size()))) continue;
    const auto number = parse_number(std::string_view{name}.substr(prefix.size()));
    if (number && *number < k_max_cpus) numbers.push_back(static_cast<std::uint32_t>(*number));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::optional<cpu_set> read_cpus(const fs::path& file) {
  const auto line = read_line(file);
  return line ? cpu_set::parse(*line) : std::nullopt;
}

// "32K", "1M", "4096".
std::uint64_t parse_size(std::string_view text) {
  std::uint64_t unit = 1;
  if (!text.empty() && (text.back() == 'K' || text.back() == 'M' || text.back() == 'G')) {
    unit = text.back() == 'K' ? 1u << 10 : text.back() == 'M' ? 1u << 20 : 1u << 30;
    text.remove_suffix(1);
  }
  const auto number = parse_number(text);
  return number && *number > 0 && *number < (std::int64_t{1} << 32) ? static_cast<std::uint64_t>(*number) * unit : 0;
}

class sysfs_reader {
 public:
  explicit sysfs_reader(const fs::path& root)
      : devices_{root / "sys/devices"}, cpu_{devices_ / "system/cpu"}, node_{devices_ / "system/node"} {}

  machine read() {
    find_online();
    machine_.source = "sysfs";
    read_nodes();
    read_cores();
    read_kinds();
    read_caches();
    normalize(machine_);
    return std::move(machine_);
  }

 private:
  [[nodiscard]] fs::path cpu_directory(cpu_number cpu) const { return cpu_ / ("cpu" + std::to_string(cpu)); }

  void find_online() {
    if (const auto online = read_cpus(cpu_ / "online")) online_ = *online;
    if (online_.empty()) online_ = cpu_set{numbered_entries(cpu_, "cpu")};
    if (online_.empty()) throw topology_error{"no CPUs found in " + cpu_.string()};
  }

  void read_nodes() {
    bool distances_are_known = true;
    const auto ids = numbered_entries(node_, "node");
    for (const std::uint32_t id : ids) {
      const fs::path directory = node_ / ("node" + std::to_string(id));
      const auto index = static_cast<std::uint32_t>(machine_.nodes.size());
      machine_.nodes.push_back({id, read_memory_bytes(directory)});
      if (const auto cpus = read_cpus(directory / "cpulist")) {
        for (const cpu_number cpu : *cpus) node_of_[cpu] = index;
      }
      const std::string distances = read_line(directory / "distance").value_or("");
      const auto row = words(distances);
      if (row.size() != ids.size()) distances_are_known = false;
      for (const std::string_view word : row) {
        const auto value = parse_number(word);
        const bool is_sane = value && *value >= 1 && *value <= 65535;
        if (!is_sane) distances_are_known = false;
        machine_.node_distances.push_back(is_sane ? static_cast<std::uint32_t>(*value) : 0);
      }
    }
    if (machine_.nodes.empty()) machine_.nodes.resize(1);
    if (!distances_are_known) machine_.node_distances.clear();
  }

  static std::uint64_t read_memory_bytes(const fs::path& directory) {
    const auto text = read_text(directory / "meminfo");
    if (!text) return 0;
    for (const std::string_view line : split(*text, '\n')) {
      const auto fields = words(line);  // Node 0 MemTotal: 1024 kB
      if (fields.size() == 5 && fields[2] == "MemTotal:") return parse_size(std::string{fields[3]} + 'K');
    }
    return 0;
  }

  void read_cores() {
    std::map<std::int64_t, std::uint32_t> package_index;
    std::vector<bool> is_done(k_max_cpus);
    for (const cpu_number cpu : online_) {
      if (is_done[cpu]) continue;
      const fs::path topology = cpu_directory(cpu) / "topology";
      auto siblings = read_cpus(topology / "core_cpus_list");
      if (!siblings) siblings = read_cpus(topology / "thread_siblings_list");
      std::vector<cpu_number> cpus{cpu};
      for (const cpu_number sibling : siblings.value_or(cpu_set{})) {
        if (!is_done[sibling] && online_.contains(sibling)) cpus.push_back(sibling);
      }
      for (const cpu_number mine : cpus) is_done[mine] = true;

      const std::int64_t id =
          std::clamp<std::int64_t>(read_number(topology / "physical_package_id").value_or(0), 0, UINT32_MAX);
      const auto [at, is_new] = package_index.emplace(id, static_cast<std::uint32_t>(machine_.packages.size()));
      if (is_new) machine_.packages.push_back({static_cast<std::uint32_t>(id)});
      const auto node = node_of_.find(cpu);
      machine_.cores.push_back(
          {.package = at->second, .node = node == node_of_.end() ? 0 : node->second, .cpus = cpu_set{std::move(cpus)}});
    }
  }

  void read_kinds() {
    // Machines with two kinds of x86 core have a counter device for each.
    const auto fast = read_cpus(devices_ / "cpu_core/cpus");
    const auto slow = read_cpus(devices_ / "cpu_atom/cpus");
    if (fast && slow && !fast->empty() && !slow->empty()) {
      for (core& c : machine_.cores) {
        c.kind = slow->contains(c.cpus.front()) ? core_kind::efficiency : core_kind::performance;
      }
    }
    for (const char* file : {"cpu_capacity", "cpufreq/cpuinfo_max_freq"}) {
      std::vector<std::uint64_t> speeds;
      for (const core& c : machine_.cores) {
        const auto value = read_number(cpu_directory(c.cpus.front()) / file).value_or(0);
        speeds.push_back(value > 0 && value < INT32_MAX ? static_cast<std::uint64_t>(value) : 0);
      }
      const auto [least, most] = std::minmax_element(speeds.begin(), speeds.end());
      set_speeds(machine_, speeds);
      if (*least != *most && *least != 0) return;
    }
  }

  void read_caches() {
    std::array<std::vector<bool>, k_max_cache_level + 1> is_done;
    for (auto& level : is_done) level.resize(k_max_cpus);
    for (const cpu_number cpu : online_) {
      const fs::path caches = cpu_directory(cpu) / "cache";
      for (const std::uint32_t index : numbered_entries(caches, "index")) {
        const fs::path directory = caches / ("index" + std::to_string(index));
        const auto level = read_number(directory / "level").value_or(0);
        if (level < 1 || level > k_max_cache_level) continue;
        if (read_line(directory / "type").value_or("") == "Instruction") continue;
        auto& done = is_done[static_cast<std::size_t>(level)];
        if (done[cpu]) continue;
        std::vector<cpu_number> sharing{cpu};
        for (const cpu_number other : read_cpus(directory / "shared_cpu_list").value_or(cpu_set{})) {
          if (!done[other] && online_.contains(other)) sharing.push_back(other);
        }
        for (const cpu_number mine : sharing) done[mine] = true;
        machine_.caches.push_back({static_cast<std::uint32_t>(level),
                                   parse_size(read_line(directory / "size").value_or("")),
                                   cpu_set{std::move(sharing)}});
      }
    }
  }

  fs::path devices_;
  fs::path cpu_;
  fs::path node_;
  cpu_set online_;
  std::map<cpu_number, std::uint32_t> node_of_;
  machine machine_;
};

}  // namespace

machine load_from_sysfs(const fs::path& root) { return sysfs_reader{root}.read(); }

}  // namespace filch::inline v0::topology
