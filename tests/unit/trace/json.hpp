// A strict JSON reader for tests: RFC 8259 and nothing beyond it.
#pragma once

#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace filch_trace_test {

struct json {
  enum class type { null, boolean, number, text, array, object };

  type what = type::null;
  double number = 0;
  std::string text;  // of a text; the digits of a number
  std::vector<json> items;
  std::map<std::string, json> members;

  [[nodiscard]] bool has(const std::string& key) const { return members.count(key) != 0; }
  [[nodiscard]] const json& operator[](const std::string& key) const { return members.at(key); }
};

class json_reader {
 public:
  // The value, if `text` is exactly one.
  static std::optional<json> read(std::string_view text) {
    json_reader r{text};
    json out;
    if (!r.value(out, 0)) return std::nullopt;
    r.space();
    return r.at_ == text.size() ? std::optional{out} : std::nullopt;
  }

 private:
  explicit json_reader(std::string_view text) : text_{text} {}

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool skip(char c) { return peek() == c && (++at_, true); }
  void space() {
    while (at_ < text_.size() && std::string_view{" \t\r\n"}.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool word(std::string_view w) { return text_.substr(at_, w.size()) == w && (at_ += w.size(), true); }
  bool digits() {
    const std::size_t first = at_;
    while (std::isdigit(static_cast<unsigned char>(peek())) != 0) ++at_;
    return at_ != first;
  }

  bool value(json& out, int depth) {
    if (depth > 50) return false;
    space();
    switch (peek()) {
      case '{':
        return object(out, depth);
      case '[':
        return array(out, depth);
      case '"':
        out.what = json::type::text;
        return string(out.text);
      case 't':
        out.what = json::type::boolean;
        return word("true");
      case 'f':
        out.what = json::type::boolean;
        return word("false");
      case 'n':
        return word("null");
      default:
        return number(out);
    }
  }
  bool number(json& out) {
    const std::size_t first = at_;
    skip('-');
    if (peek() == '0') {
      ++at_;
    } else if (!digits()) {
      return false;
    }
    if (skip('.') && !digits()) return false;
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digits()) return false;
    }
    out.what = json::type::number;
    out.text = text_.substr(first, at_ - first);
    out.number = std::strtod(out.text.c_str(), nullptr);
    return true;
  }
  bool string(std::string& out) {
    if (!skip('"')) return false;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') {
        out += c;
      } else if (!escape(out)) {
        return false;
      }
    }
    return false;
  }
  bool escape(std::string& out) {
    const char c = peek();
    ++at_;
    if (c == 'u') {
      if (text_.size() - at_ < 4) return false;
      for (int i = 0; i != 4; ++i) {
        if (std::isxdigit(static_cast<unsigned char>(text_[at_ + static_cast<std::size_t>(i)])) == 0) return false;
      }
      const long code = std::strtol(std::string{text_.substr(at_, 4)}.c_str(), nullptr, 16);
      at_ += 4;
      out += code < 0x80 ? static_cast<char>(code) : '?';
      return true;
    }
    constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
    const auto index = from.find(c);
    if (index == std::string_view::npos) return false;
    out += to[index];
    return true;
  }
  bool array(json& out, int depth) {
    out.what = json::type::array;
    skip('[');
    space();
    if (skip(']')) return true;
    do {
      out.items.emplace_back();
      if (!value(out.items.back(), depth + 1)) return false;
      space();
    } while (skip(','));
    return skip(']');
  }
  bool object(json& out, int depth) {
    out.what = json::type::object;
    skip('{');
    space();
    if (skip('}')) return true;
    do {
      space();
      std::string key;
      if (!string(key) || out.has(key)) return false;
      space();
      if (!skip(':') || !value(out.members[key], depth + 1)) return false;
      space();
    } while (skip(','));
    return skip('}');
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace filch_trace_test
