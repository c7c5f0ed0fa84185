// Texts of others (names, paths, what stands in files) on their way out: one function for each form. None of them lets
// a character through that the reader of its form takes for a command, and what is no UTF-8 becomes U+FFFD.
//
// Who may call what: any thread. Private to filch and its tools.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace filch::inline v0::escape {

struct code_point {
  static constexpr char32_t k_none = 0xfffd;

  char32_t value;     // k_none: there is no UTF-8
  std::size_t bytes;  // of the text that it takes

  // Is it the beginning of one that the text does not hold to its end?
  bool is_cut_off = false;
};

// The first of a text that is not empty.
[[nodiscard]] inline code_point first_of(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  const char32_t first = at(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first >= 0xf5) return {code_point::k_none, 1};
  char32_t value = first & (0x7fu >> length);
  for (std::size_t i = 1; i != length; ++i) {
    if (i == text.size()) return {code_point::k_none, 1, true};
    if ((at(i) & 0xc0u) != 0x80u) return {code_point::k_none, 1};
    value = value << 6 | (at(i) & 0x3fu);
  }
  const bool is_overlong = value < (length == 4 ? 0x10000u : length == 3 ? 0x800u : 0x80u);
  const bool is_surrogate = value >= 0xd800 && value < 0xe000;
  if (is_overlong || is_surrogate || value > 0x10ffff) return {code_point::k_none, 1};
  return {value, length};
}

// Is it a command instead of a letter: to a terminal, to a reader of XML, or to whoever orders letters of scripts that
// run to the left? Those could show a text that differs from the one that is there.
[[nodiscard]] constexpr bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff || (c & 0xfffeu) == 0xfffe;
}

namespace detail {

template <class Put>
void for_each_code_point(std::string_view text, const Put& put) {
  while (!text.empty()) {
    const code_point next = first_of(text);
    put(next.value, text.substr(0, next.bytes));
    text.remove_prefix(next.bytes);
  }
}

// What stands for a control character: its picture, or for others U+FFFD. ESC is ␛.
inline void put_shown(std::string& out, char32_t value, std::string_view as_given) {
  if (value < 0x20) out.append("\xe2\x90").push_back(static_cast<char>(0x80 + value));
  else if (value == 0x7f) out += "\xe2\x90\xa1";
  else if (value == code_point::k_none || is_control(value)) out += "\xef\xbf\xbd";
  else out += as_given;
}

inline void put_unit(std::string& out, char32_t unit) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  out += "\\u";
  for (const unsigned shift : {12u, 8u, 4u, 0u}) out += k_digits[unit >> shift & 15u];
}

}  // namespace detail

// One line for people: a terminal, or a text that stands among other texts.
[[nodiscard]] inline std::string shown(std::string_view text) {
  std::string out;
  detail::for_each_code_point(
      text, [&](char32_t value, std::string_view as_given) { detail::put_shown(out, value, as_given); });
  return out;
}

// The same, but lines end where they end.
[[nodiscard]] inline std::string shown_lines(std::string_view text) {
  std::string out;
  detail::for_each_code_point(text, [&](char32_t value, std::string_view as_given) {
    if (value == '\n') out += '\n';
    else detail::put_shown(out, value, as_given);
  });
  return out;
}

// The text of an element or attribute of SVG, other XML and HTML.
[[nodiscard]] inline std::string xml(std::string_view text) {
  std::string out;
  detail::for_each_code_point(text, [&](char32_t value, std::string_view as_given) {
    if (value == '<') out += "&lt;";
    else if (value == '>') out += "&gt;";
    else if (value == '&') out += "&amp;";
    else if (value == '"') out += "&quot;";
    else if (value == '\'') out += "&#39;";
    else detail::put_shown(out, value, as_given);
  });
  return out;
}

// A string of JSON with its quotes. It may stand in a script of an HTML page.
[[nodiscard]] inline std::string json(std::string_view text) {
  std::string out = "\"";
  detail::for_each_code_point(text, [&](char32_t value, std::string_view as_given) {
    if (value == '"' || value == '\\') out.append("\\").append(as_given);
    else if (value == '<' || value == '>' || value == '&') detail::put_unit(out, value);
    else if (value == code_point::k_none) out += "\xef\xbf\xbd";
    else if (is_control(value) && value <= 0xffff) detail::put_unit(out, value);
    else if (is_control(value)) out += "\xef\xbf\xbd";
    else out += as_given;
  });
  return out + "\"";
}

// A document of JSON whose strings were written by somebody who lets some control characters through.
[[nodiscard]] inline std::string json_document(std::string_view text) {
  std::string out;
  detail::for_each_code_point(text, [&](char32_t value, std::string_view as_given) {
    if (value != '\n' && is_control(value) && value <= 0xffff) detail::put_unit(out, value);
    else out += value == code_point::k_none || (value != '\n' && is_control(value)) ? "\xef\xbf\xbd" : as_given;
  });
  return out;
}

}  // namespace filch::inline v0::escape
