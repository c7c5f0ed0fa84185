#include <filch/topology/cpu_set.hpp>
#include <filch/topology/error.hpp>

#include "topology/text.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace filch::inline v0::topology {

cpu_set::cpu_set(std::vector<cpu_number> cpus) : cpus_{std::move(cpus)} {
  std::sort(cpus_.begin(), cpus_.end());
  cpus_.erase(std::unique(cpus_.begin(), cpus_.end()), cpus_.end());
  if (!cpus_.empty() && cpus_.back() >= k_max_cpus) {
    throw topology_error{"CPU number " + std::to_string(cpus_.back()) + " is not allowed; allowed: 0 to " +
                         std::to_string(k_max_cpus - 1)};
  }
}

cpu_set cpu_set::first(cpu_number count) {
  std::vector<cpu_number> cpus(count);
  std::iota(cpus.begin(), cpus.end(), 0u);
  return cpu_set{std::move(cpus)};
}

std::optional<cpu_set> cpu_set::parse(std::string_view list) {
  list = trim(list);
  if (list.empty()) return cpu_set{};
  std::vector<cpu_number> cpus;
  for (const std::string_view part : split(list, ',')) {
    const auto ends = split(part, '-');
    if (ends.size() > 2 || !starts_with_digit(ends.front()) || !starts_with_digit(ends.back())) return std::nullopt;
    const auto low = parse_number(ends.front());
    const auto high = parse_number(ends.back());
    if (!low || !high || *low > *high || *high >= k_max_cpus) return std::nullopt;
    if (cpus.size() + static_cast<std::size_t>(*high - *low) >= 2 * std::size_t{k_max_cpus}) return std::nullopt;
    for (auto cpu = *low; cpu <= *high; ++cpu) cpus.push_back(static_cast<cpu_number>(cpu));
  }
  return cpu_set{std::move(cpus)};
}

std::string cpu_set::to_string() const {
  std::string out;
  for (std::size_t i = 0; i != cpus_.size();) {
    std::size_t last = i;
    while (last + 1 != cpus_.size() && cpus_[last + 1] == cpus_[last] + 1) ++last;
    if (!out.empty()) out += ',';
    out += std::to_string(cpus_[i]);
    if (last != i) out += '-' + std::to_string(cpus_[last]);
    i = last + 1;
  }
  return out;
}

bool cpu_set::contains(cpu_number cpu) const { return std::binary_search(cpus_.begin(), cpus_.end(), cpu); }

cpu_set cpu_set::intersection(const cpu_set& other) const {
  cpu_set out;
  std::set_intersection(begin(), end(), other.begin(), other.end(), std::back_inserter(out.cpus_));
  return out;
}

}  // namespace filch::inline v0::topology
