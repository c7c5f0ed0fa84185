#include "json_tree.hpp"

#include "scenario.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace filch::scenario {
namespace {

using json = nlohmann::json;
using kind = json_value::kind;

// Where the parser is. A token is reported as soon as its last character, or the one behind it, was read.
struct position {
  std::uint32_t line = 1;       // of the character read last; a line break ends its line
  std::uint32_t next_line = 1;  // of the one behind it
};

class counting_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  counting_iterator(const char* at, position& counted) : at_{at}, counted_{&counted} {}

  reference operator*() const { return *at_; }
  counting_iterator& operator++() {
    counted_->line = counted_->next_line;
    if (*at_++ == '\n') ++counted_->next_line;
    return *this;
  }
  counting_iterator operator++(int) {
    counting_iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const counting_iterator& a, const counting_iterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  position* counted_;
};

// Builds the tree. Its functions are what the parser calls.
class builder {
 public:
  builder(std::string_view origin, const position& at) : origin_{origin}, at_{at} {}

  [[nodiscard]] json_value take() { return std::move(root_); }

  bool null() { return add({.what = kind::null}); }
  bool boolean(bool value) { return add({.what = kind::boolean, .whole = value ? 1u : 0u}); }
  bool number_integer(json::number_integer_t value) {
    return add({.what = kind::negative, .real = static_cast<double>(value), .text = std::to_string(value)});
  }
  bool number_unsigned(json::number_unsigned_t value) {
    return add({.what = kind::whole, .whole = value, .real = static_cast<double>(value)});
  }
  bool number_float(json::number_float_t value, const std::string& text) {
    return add({.what = kind::real, .real = value, .text = text});
  }
  bool string(std::string& value) { return add({.what = kind::text, .text = std::move(value)}); }
  bool binary(json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(kind::object); }
  bool start_array(std::size_t) { return open(kind::list); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    json_value& object = *open_.back();
    if (object.keys.size() < 1000 && std::ranges::find(object.keys, name) != object.keys.end()) {
      throw error{origin_, at_.line, name, "the field \"" + name + "\" stands twice in one object"};
    }
    if (object.keys.size() == 1000) {
      throw error{origin_, at_.line, name, "an object has more than 1000 fields"};
    }
    object.keys.push_back(std::move(name));
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const json::exception& problem) {
    std::string_view text = problem.what();
    if (const auto at = text.find("column "); at != std::string_view::npos) {
      text.remove_prefix(std::min(text.find(':', at) + 2, text.size()));
    }
    std::string said = "this is no JSON: ";
    for (const char c : text.substr(0, 300)) said += static_cast<unsigned char>(c) < 0x80 ? c : '?';
    throw error{origin_, at_.line, "", said};
  }

 private:
  // The list or object that is open gets it.
  bool add(json_value value) {
    if (++count_ > k_most_values) {
      throw error{origin_, at_.line, "", "more than " + std::to_string(k_most_values) + " values"};
    }
    value.line = at_.line;
    if (open_.empty()) {
      root_ = std::move(value);
      last_ = &root_;
    } else {
      open_.back()->items.push_back(std::move(value));
      last_ = &open_.back()->items.back();
    }
    return true;
  }
  // A pointer to an open value stays good: its list grows only after it was closed.
  bool open(kind what) {
    if (open_.size() == k_most_depth) {
      throw error{origin_, at_.line, "", "brackets more than " + std::to_string(k_most_depth) + " deep"};
    }
    add({.what = what});
    open_.push_back(last_);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view origin_;
  const position& at_;
  json_value root_;
  json_value* last_ = nullptr;
  std::vector<json_value*> open_;
  std::uint32_t count_ = 0;
};

}  // namespace

std::string json_value::show() const {
  switch (what) {
    case kind::null:
      return "null";
    case kind::boolean:
      return whole != 0 ? "true" : "false";
    case kind::whole:
      return std::to_string(whole);
    case kind::negative:
    case kind::real:
      return text.substr(0, 40);
    case kind::list:
      return "a list";
    case kind::object:
      return "an object";
    case kind::text:
      break;
  }
  std::string shown = "\"";
  for (const char c : std::string_view{text}.substr(0, 60)) shown += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return shown + (text.size() > 60 ? "…\"" : "\"");
}

json_value parse_json(std::string_view text, std::string_view origin) {
  if (text.size() > k_most_bytes) {
    throw error{origin, 0, "",
                "the file has " + std::to_string(text.size()) + " bytes: allowed are " + std::to_string(k_most_bytes)};
  }
  position at;
  builder tree{origin, at};
  const counting_iterator first{text.data(), at};
  const counting_iterator last{text.data() + text.size(), at};
  if (!json::sax_parse(first, last, &tree)) throw error{origin, at.line, "", "this is no JSON"};
  return tree.take();
}

}  // namespace filch::scenario
