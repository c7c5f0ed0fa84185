#include "field.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace filch::scenario {
namespace {

using kind = json_value::kind;

struct unit {
  std::string_view name;
  time_ns length_ns;
};
// Longer names first where one ends in another.
constexpr std::array<unit, 4> k_units{{{"ns", 1}, {"us", k_ns_per_us}, {"ms", k_ns_per_ms}, {"s", k_ns_per_s}}};

std::string shown(time_ns value_ns) {
  for (auto at = k_units.rbegin(); at != k_units.rend(); ++at) {
    if (value_ns != 0 && value_ns % at->length_ns == 0) {
      return std::to_string(value_ns / at->length_ns).append(at->name);
    }
  }
  return "0s";
}

std::string shown(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

std::string message(std::string_view file, std::uint32_t line, std::string_view what) {
  std::string text{file};
  if (line != 0) text.append(":").append(std::to_string(line));
  return text.append(": ").append(what);
}

std::optional<time_ns> read_duration(std::string_view text) {
  for (const unit& one : k_units) {
    if (!text.ends_with(one.name)) continue;
    text.remove_suffix(one.name.size());
    while (text.ends_with(' ')) text.remove_suffix(1);
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size() || text.starts_with('-')) return std::nullopt;
    const double in_ns = value * static_cast<double>(one.length_ns);
    if (!(in_ns <= 2.0 * static_cast<double>(k_longest_ns))) return std::nullopt;
    return static_cast<time_ns>(std::llround(in_ns));
  }
  return std::nullopt;
}

}  // namespace

error::error(std::string_view file, std::uint32_t line, std::string_view field, std::string_view what)
    : std::runtime_error{message(file, line, what)}, file_{file}, line_{line}, field_{field} {}

// ---- one value ------------------------------------------------------------------------------------------------------

void field::fail(const std::string& text) const { throw error{file_, value_->line, path_, text}; }

void field::refuse(std::string_view allowed) const {
  const std::string name = path_.empty() ? std::string{"the file"} : path_;
  fail(name + " = " + value_->show() + ": allowed is " + std::string{allowed});
}

std::uint64_t field::whole(std::uint64_t low, std::uint64_t high) const {
  if (value_->what != kind::whole || value_->whole < low || value_->whole > high) {
    refuse("a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return value_->whole;
}

double field::real(double low, double high) const {
  const bool is_number = value_->what == kind::whole || value_->what == kind::negative || value_->what == kind::real;
  if (!is_number || !(value_->real >= low && value_->real <= high)) {
    refuse("a number from " + shown(low) + " to " + shown(high));
  }
  return value_->real;
}

bool field::boolean() const {
  if (value_->what != kind::boolean) refuse("true or false");
  return value_->whole != 0;
}

const std::string& field::text(std::string_view allowed) const {
  if (!is_text()) refuse(allowed);
  return value_->text;
}

time_ns field::duration(time_ns low_ns, time_ns high_ns) const {
  std::optional<time_ns> got;
  if (is_text()) got = read_duration(value_->text);
  if (value_->what == kind::whole && value_->whole == 0) got = 0;
  if (!got || *got < low_ns || *got > high_ns) {
    refuse("a time from " + shown(low_ns) + " to " + shown(high_ns) + " with its unit: 7ns, 20us, 1.5ms, 0.5s");
  }
  return *got;
}

time_ns field::nanoseconds(time_ns low_ns, time_ns high_ns) const {
  return static_cast<time_ns>(whole(static_cast<std::uint64_t>(low_ns), static_cast<std::uint64_t>(high_ns)));
}

std::vector<field> field::items(std::string_view allowed) const {
  if (!is_list()) refuse(allowed);
  std::vector<field> out;
  out.reserve(value_->items.size());
  for (std::size_t i = 0; i != value_->items.size(); ++i) {
    out.emplace_back(file_, path_ + "[" + std::to_string(i) + "]", value_->items[i]);
  }
  return out;
}

std::size_t field::one_of(const std::vector<std::string_view>& words) const {
  const std::string& word = text("a name");
  const auto at = std::ranges::find(words, word);
  if (at == words.end()) {
    fail(policy::unknown_name(path_, value_->show().substr(1, value_->show().size() - 2), words));
  }
  return static_cast<std::size_t>(at - words.begin());
}

// ---- an object ------------------------------------------------------------------------------------------------------

object_fields::object_fields(const field& object) : object_{object} {
  if (!object.is_object()) object.refuse("an object with fields in braces");
}

std::optional<field> object_fields::find(std::string_view name) {
  if (std::ranges::find(known_, name) == known_.end()) known_.push_back(name);
  const json_value& value = object_.value();
  const auto at = std::ranges::find(value.keys, name);
  if (at == value.keys.end()) return std::nullopt;
  const auto which = static_cast<std::size_t>(at - value.keys.begin());
  const std::string path = object_.path().empty() ? std::string{name} : object_.path() + "." + std::string{name};
  return field{object_.file(), path, value.items[which]};
}

field object_fields::need(std::string_view name) {
  if (const auto at = find(name)) return *at;
  const std::string where = object_.path().empty() ? "the file" : object_.path();
  object_.fail(where + " has no field \"" + std::string{name} + "\", which it needs");
}

void object_fields::refuse_others(std::span<const std::string_view> known) const {
  const json_value& value = object_.value();
  for (std::size_t i = 0; i != value.keys.size(); ++i) {
    const std::string& key = value.keys[i];
    if (std::ranges::find(known, key) != known.end()) continue;
    const std::string path = object_.path().empty() ? key : object_.path() + "." + key;
    const auto nearest = std::ranges::min_element(known, {}, [&](std::string_view name) {
      return policy::edit_distance(std::string_view{key}.substr(0, 100), name);
    });
    std::string text = path.substr(0, 200) + " = " + value.items[i].show() + ": unknown field; did you mean \"" +
                       std::string{*nearest} + "\"? Valid are ";
    for (std::size_t k = 0; k != known.size(); ++k) text.append(k == 0 ? "" : ", ").append(known[k]);
    throw error{object_.file(), value.items[i].line, path, text};
  }
}

}  // namespace filch::scenario
