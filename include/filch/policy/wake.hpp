// Whom a submission wakes.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/base/random.hpp>
#include <filch/policy/argmax.hpp>
#include <filch/policy/names.hpp>
#include <filch/policy/view.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace filch::inline v0::policy {

// An index into the list of sleepers, or everybody, or nobody.
class wake_choice {
 public:
  [[nodiscard]] static constexpr wake_choice one(std::size_t index) { return wake_choice{index}; }
  [[nodiscard]] static constexpr wake_choice everybody() { return wake_choice{SIZE_MAX}; }
  [[nodiscard]] static constexpr wake_choice nobody() { return wake_choice{SIZE_MAX - 1}; }

  [[nodiscard]] constexpr bool is_everybody() const { return *this == everybody(); }
  [[nodiscard]] constexpr bool is_nobody() const { return *this == nobody(); }
  [[nodiscard]] constexpr bool is_one() const { return value_ < SIZE_MAX - 1; }
  // Only when is_one().
  [[nodiscard]] constexpr std::size_t index() const { return value_; }

  friend constexpr bool operator==(wake_choice, wake_choice) = default;

 private:
  constexpr explicit wake_choice(std::size_t value) : value_{value} {}

  std::size_t value_;
};

class wake_policy {
 public:
  constexpr explicit wake_policy(wake how) : how_{how} {}

  // `sleepers` stand in the order in which they parked, the oldest first. `origin` is the worker where the work lies,
  // or none for work in the injector; then nearest chooses at random.
  template <distance_function Distance = equal_distances>
  [[nodiscard]] constexpr wake_choice choose(std::span<const worker_id> sleepers, worker_id origin,
                                             const Distance& distance, random_stream& random) const {
    if (sleepers.empty()) return wake_choice::nobody();
    switch (how_) {
      case wake::all:
        return wake_choice::everybody();
      case wake::recent:
        return wake_choice::one(sleepers.size() - 1);
      case wake::nearest:
        if (origin.is_some()) {
          const auto closeness = [&](std::size_t i) {
            return UINT64_MAX - static_cast<std::uint32_t>(distance(origin, sleepers[i]));
          };
          return wake_choice::one(policy::random_argmax(sleepers.size(), closeness, random));
        }
        break;
      case wake::random:
        break;
    }
    return wake_choice::one(static_cast<std::size_t>(random.below(sleepers.size())));
  }

 private:
  wake how_;
};

}  // namespace filch::inline v0::policy
