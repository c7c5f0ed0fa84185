// Identifiers as types of their own, so that a worker's number is never taken for a task's or for a count.
#pragma once

#include <compare>
#include <cstdint>

namespace filch::inline v0 {

// A number with a meaning. `Tag` makes two ids of different kinds different types.
template <class Tag, class Rep>
struct id {
  using rep = Rep;

  Rep value{};

  // The id that names nothing.
  [[nodiscard]] static constexpr id none() { return id{static_cast<Rep>(-1)}; }
  [[nodiscard]] constexpr bool is_some() const { return value != none().value; }

  friend constexpr auto operator<=>(id, id) = default;
};

// A worker of one runtime, counted from 0.
using worker_id = id<struct worker_tag, std::uint32_t>;

// A task, unique within one runtime or one simulation.
using task_id = id<struct task_tag, std::uint64_t>;

}  // namespace filch::inline v0
