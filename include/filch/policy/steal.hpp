// How much a thief takes: `steal::one`, `steal::half` or `steal::fixed(n)`.
#pragma once

#include <filch/policy/names.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace filch::inline v0::policy {

class steal {
 public:
  static const steal one;
  static const steal half;

  // At most `count` at a time. A count of 0 can be written, so that validate() can refuse it with its value.
  [[nodiscard]] static constexpr steal fixed(std::uint32_t count) { return steal{false, count}; }

  [[nodiscard]] constexpr bool is_half() const { return half_; }
  // The count of one and fixed; 0 for half.
  [[nodiscard]] constexpr std::uint32_t count() const { return count_; }

  // How many to take from a queue that holds `size`: at least 1 and at most `size`, and 0 only from an empty queue.
  // Half is rounded up, so that a single task can be stolen.
  [[nodiscard]] constexpr std::uint32_t amount(std::uint32_t size) const {
    return half_ ? size - size / 2 : (std::min)(count_, size);
  }

  friend constexpr bool operator==(steal, steal) = default;

 private:
  constexpr steal(bool is_half, std::uint32_t count) : half_{is_half}, count_{count} {}

  bool half_;
  std::uint32_t count_;
};

inline constexpr steal steal::one{false, 1};
inline constexpr steal steal::half{true, 0};

[[nodiscard]] constexpr std::uint32_t steal_amount(steal how, std::uint32_t size_hint) { return how.amount(size_hint); }

template <>
struct names<steal> {
  static constexpr std::string_view option = "steal";
  static constexpr std::array<std::string_view, 3> all{"one", "half", "fixed:N"};
};

// "one", "half" or "fixed:4".
[[nodiscard]] std::string to_string(steal value);
template <>
[[nodiscard]] parsed<steal> parse<steal>(std::string_view text, std::string_view option);

}  // namespace filch::inline v0::policy
