// Numbers, times and switches in the texts that policies read and write.
#pragma once

#include <filch/base/units.hpp>

#include <array>
#include <charconv>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>

namespace filch::inline v0::policy {

// The whole of `text` as a number.
template <class Number>
[[nodiscard]] std::optional<Number> read_number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

struct time_unit {
  std::string_view name;
  time_ns length_ns;
};
// From the longest on. A text is compared from the shortest on, because every unit ends in "s".
inline constexpr std::array<time_unit, 4> k_time_units{
    {{"s", k_ns_per_s}, {"ms", k_ns_per_ms}, {"us", k_ns_per_us}, {"ns", 1}}};

// In the longest unit that gives a whole number.
[[nodiscard]] inline std::string time_text(time_ns value) {
  for (const time_unit& unit : k_time_units) {
    if (value != 0 && value % unit.length_ns == 0) return std::to_string(value / unit.length_ns).append(unit.name);
  }
  return "0ns";
}

// A whole number with its unit.
[[nodiscard]] inline std::optional<time_ns> read_time(std::string_view text) {
  for (const time_unit& unit : k_time_units | std::views::reverse) {
    if (!text.ends_with(unit.name)) continue;
    const auto count = read_number<time_ns>(text.substr(0, text.size() - unit.name.size()));
    time_ns value = 0;
    if (!count || __builtin_mul_overflow(*count, unit.length_ns, &value)) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

[[nodiscard]] constexpr std::string_view switch_text(bool is_on) { return is_on ? "on" : "off"; }

[[nodiscard]] constexpr std::optional<bool> read_switch(std::string_view text) {
  if (text == "on") return true;
  if (text == "off") return false;
  return std::nullopt;
}

}  // namespace filch::inline v0::policy
