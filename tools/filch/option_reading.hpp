// From the text of an option to its value. A wrong text throws bad_usage with the option, the text and what is allowed.
#pragma once

#include <charconv>
#include <cmath>
#include <filch/policy/names.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "errors.hpp"
#include "text.hpp"

namespace filch::tool {

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] inline void refuse(std::string_view option, std::string_view text, const std::string& allowed) {
  throw bad_usage(std::string{option}.append(" = \"").append(text).append("\": allowed is ") + allowed);
}

// A whole number, if one was given.
template <class Number>
void read_number(const std::optional<std::string>& text, std::string_view option, Number low, Number high,
                 Number& into) {
  if (!text) return;
  const auto value = number_of<Number>(*text);
  if (!value || *value < low || *value > high) {
    refuse(option, *text, "a whole number from "s + std::to_string(low) + " to " + std::to_string(high));
  }
  into = *value;
}

// The value of that name, if one was given.
template <class T>
bool read_name(const std::optional<std::string>& text, std::string_view option, T& into) {
  if (!text) return false;
  const policy::parsed<T> value = policy::parse<T>(*text, option);
  if (!value) throw bad_usage(value.error);
  into = *value;
  return true;
}

}  // namespace filch::tool
