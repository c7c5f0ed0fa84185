// Numbers in the texts that policies read.
#pragma once

#include <charconv>
#include <optional>
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

}  // namespace filch::inline v0::policy
