#include <filch/policy/victim.hpp>

#include <algorithm>
#include <utility>

namespace filch::inline v0::policy {

void victim_order::set_up(const std::vector<std::uint32_t>& distance_from_self) {
  switch (how_) {
    case victims::random_probe:
    case victims::best_of_two:
    case victims::round_robin:
      return;
    case victims::random:
    case victims::last_victim:
    case victims::largest:
    case victims::nearest:
      break;
  }
  others_.reserve(others_count_);
  for (std::uint32_t i = 0; i != others_count_; ++i) others_.push_back(other(i));
  if (how_ != victims::nearest) return;

  const auto distance = [&](worker_id w) { return distance_from_self[w.value]; };
  std::ranges::sort(others_, {}, [&](worker_id w) { return std::pair{distance(w), w}; });
  for (std::uint32_t i = 1; i < others_count_; ++i) {
    if (distance(others_[i]) != distance(others_[i - 1])) group_ends_.push_back(i);
  }
  group_ends_.push_back(others_count_);
}

}  // namespace filch::inline v0::policy
