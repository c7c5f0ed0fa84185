#include <filch/policy/victim.hpp>

#include <algorithm>
#include <vector>

namespace filch::inline v0::policy {

// With nearest by distance and then by number. Distances are few, so everybody is counted into his place.
void victim_order::list_others(const std::vector<std::uint32_t>& distance_from_self) {
  if (how_ != victims::nearest) {
    others_.reserve(others_count_);
    for (std::uint32_t i = 0; i != others_count_; ++i) others_.push_back(other(i));
    return;
  }
  std::vector<std::uint32_t> distances;  // those that occur, ascending
  std::vector<std::uint32_t> group_of(others_count_);
  const auto group = [&](std::uint32_t i) {
    return std::ranges::lower_bound(distances, distance_from_self[other(i).value]);
  };
  for (std::uint32_t i = 0; i != others_count_; ++i) {
    const std::uint32_t distance = distance_from_self[other(i).value];
    if (const auto at = group(i); at == distances.end() || *at != distance) distances.insert(at, distance);
  }
  group_ends_.assign(distances.size(), 0);
  for (std::uint32_t i = 0; i != others_count_; ++i) {
    group_of[i] = static_cast<std::uint32_t>(group(i) - distances.begin());
    ++group_ends_[group_of[i]];
  }
  std::vector<std::uint32_t> next(distances.size());
  for (std::size_t g = 1; g < group_ends_.size(); ++g) {
    next[g] = group_ends_[g - 1];
    group_ends_[g] += group_ends_[g - 1];
  }
  others_.assign(others_count_, worker_id::none());
  for (std::uint32_t i = 0; i != others_count_; ++i) others_[next[group_of[i]]++] = other(i);
  if (group_ends_.empty()) group_ends_.push_back(0);
}

}  // namespace filch::inline v0::policy
