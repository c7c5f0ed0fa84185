#include "text.hpp"

#include <algorithm>
#include <array>
#include <base/escape.hpp>
#include <cmath>
#include <cstdio>

namespace filch::tool {
namespace {

struct prefix {
  double factor;
  const char* name;
};

// Three digits of value / factor of the largest prefix that does not exceed the value.
template <std::size_t Count>
std::string three_digits(double value, const std::array<prefix, Count>& prefixes) {
  const prefix* chosen = &prefixes.back();
  for (const prefix& each : prefixes) {
    if (std::abs(value) >= each.factor * 0.9995) {
      chosen = &each;
      break;
    }
  }
  const double scaled = value / chosen->factor;
  const int digits = std::abs(scaled) >= 99.95 ? 0 : std::abs(scaled) >= 9.995 ? 1 : 2;
  return fixed(scaled, scaled == std::floor(scaled) ? 0 : digits) + chosen->name;
}

}  // namespace

std::string fixed(double value, int digits) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", digits, value);
  return buffer.data();
}

std::string duration_text(double seconds) {
  static constexpr std::array<prefix, 4> k_units{{{1, " s"}, {1e-3, " ms"}, {1e-6, " µs"}, {1e-9, " ns"}}};
  return three_digits(seconds, k_units);
}

std::string magnitude_text(double value) {
  static constexpr std::array<prefix, 4> k_prefixes{{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, ""}}};
  return three_digits(value, k_prefixes);
}

std::string count_text(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string{noun} + (count == 1 ? "" : "s");
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

std::string padded_left(std::string_view text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  return std::string(columns < width ? width - columns : 0, ' ') + std::string{text};
}

std::string padded_right(std::string_view text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  return std::string{text} + std::string(columns < width ? width - columns : 0, ' ');
}

std::string wrapped(std::string_view text) {
  constexpr std::size_t k_columns = 110;
  std::string out;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > k_columns) {
      out.append(line).append("\n");
      line.clear();
    }
    line.append(line.empty() ? "" : " ").append(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + line + "\n";
}

void text_table::add(std::vector<std::string> row) {
  for (std::string& each : row) each = escape::shown(each);
  rows_.push_back(std::move(row));
}

std::string text_table::text(std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i != row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i != row.size(); ++i) {
      const bool is_left = i == 0 || (ends_with_text_ && i + 1 == widths.size());
      if (i != 0) line += "  ";
      line += is_left ? padded_right(row[i], widths[i]) : padded_left(row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace filch::tool
