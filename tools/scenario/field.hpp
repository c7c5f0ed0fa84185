// Reading the fields of a JSON object with errors that name the file, the line, the field, its value and what is
// allowed.
#pragma once

#include "json_tree.hpp"
#include "scenario_error.hpp"

#include <filch/base/units.hpp>
#include <filch/policy/names.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace filch::scenario {

// The longest time a file may name: more than eleven days.
inline constexpr time_ns k_longest_ns = 1'000'000 * k_ns_per_s;

// One value of a file.
class field {
 public:
  field(std::string_view file, std::string path, const json_value& value)
      : file_{file}, path_{std::move(path)}, value_{&value} {}

  [[nodiscard]] const json_value& value() const { return *value_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string_view file() const { return file_; }

  // `path = value: allowed is …`
  [[noreturn]] void refuse(std::string_view allowed) const;
  // With another text.
  [[noreturn]] void fail(const std::string& text) const;

  [[nodiscard]] bool is_text() const { return value_->what == json_value::kind::text; }
  [[nodiscard]] bool is_list() const { return value_->what == json_value::kind::list; }
  [[nodiscard]] bool is_object() const { return value_->what == json_value::kind::object; }

  [[nodiscard]] std::uint64_t whole(std::uint64_t low, std::uint64_t high) const;
  [[nodiscard]] double real(double low, double high) const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] const std::string& text(std::string_view allowed = "a text") const;
  // "1.5ms", "20us", "0.5s", "7ns", or 0.
  [[nodiscard]] time_ns duration(time_ns low_ns = 0, time_ns high_ns = k_longest_ns) const;
  // Nanoseconds as a whole number.
  [[nodiscard]] time_ns nanoseconds(time_ns low_ns = 0, time_ns high_ns = k_longest_ns) const;
  [[nodiscard]] std::vector<field> items(std::string_view allowed = "a list") const;
  // One of these words: its position.
  [[nodiscard]] std::size_t one_of(const std::vector<std::string_view>& words) const;

  // A value of policy/ by its name.
  template <class T>
  [[nodiscard]] T named() const {
    const policy::parsed<T> got = policy::parse<T>(text("a name"), path_);
    if (!got) fail(got.error);
    return *got;
  }

 private:
  std::string_view file_;
  std::string path_;
  const json_value* value_;
};

// The fields of an object. A reader that has asked for all that it knows calls finish, which refuses the others. One
// that needs a field calls allow first, or a misspelt field would be reported as a missing one.
class object_fields {
 public:
  explicit object_fields(const field& object);

  // Refuses all fields but these.
  void allow(std::initializer_list<std::string_view> names) const { refuse_others({names.begin(), names.size()}); }

  // The field of that name, if the object has it.
  [[nodiscard]] std::optional<field> find(std::string_view name);
  // … which it must have.
  [[nodiscard]] field need(std::string_view name);
  void finish() const { refuse_others(known_); }

  [[nodiscard]] const field& self() const { return object_; }

  // Numbers and times with a default: nothing happens when the field is not there.
  template <class Number>
  void whole(std::string_view name, Number& into, std::uint64_t low, std::uint64_t high) {
    if (const auto at = find(name)) into = static_cast<Number>(at->whole(low, high));
  }
  void duration(std::string_view name, time_ns& into, time_ns low_ns = 0) {
    if (const auto at = find(name)) into = at->duration(low_ns);
  }
  void nanoseconds(std::string_view name, time_ns& into) {
    if (const auto at = find(name)) into = at->nanoseconds();
  }
  void boolean(std::string_view name, bool& into) {
    if (const auto at = find(name)) into = at->boolean();
  }
  template <class T>
  void named(std::string_view name, T& into) {
    if (const auto at = find(name)) into = at->template named<T>();
  }

 private:
  void refuse_others(std::span<const std::string_view> known) const;

  field object_;
  std::vector<std::string_view> known_;
};

}  // namespace filch::scenario
