// The facts of a recording beside its events.
#pragma once

#include <algorithm>
#include <charconv>
#include <filch/base/units.hpp>
#include <filch/trace/recording.hpp>
#include <string_view>
#include <system_error>

namespace filch::analysis {

// Empty for an unknown fact.
[[nodiscard]] inline std::string_view value_of(const trace::recording& from, std::string_view key) {
  const auto found =
      std::ranges::find(from.about.extra, key, [](const auto& pair) { return std::string_view{pair.first}; });
  return found == from.about.extra.end() ? std::string_view{} : std::string_view{found->second};
}

// 0 if it is no number.
[[nodiscard]] inline time_ns time_of(std::string_view text) {
  time_ns out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() ? std::max<time_ns>(out, 0) : 0;
}

}  // namespace filch::analysis
