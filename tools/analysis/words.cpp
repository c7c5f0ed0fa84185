#include "words.hpp"

#include <cmath>
#include <cstdio>

namespace filch::analysis {
namespace {

std::string formatted(const char* form, double value) {
  char text[48];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

}  // namespace

std::string number_text(double value) {
  const double size = std::abs(value);
  return formatted(size >= 99.95 ? "%.0f" : size >= 9.995 ? "%.1f" : "%.2f", value);
}

std::string time_text(time_ns ns) {
  const auto value = static_cast<double>(ns);
  if (std::abs(value) < 999.5) return formatted("%.0f ns", value);
  if (std::abs(value) < 999.5e3) return number_text(value / 1e3) + " µs";
  if (std::abs(value) < 999.5e6) return number_text(value / 1e6) + " ms";
  return number_text(value / 1e9) + " s";
}

std::string percent_text(double share) {
  const double value = 100 * share;
  return formatted(value != 0 && value < 0.95 ? "%.1f %%" : "%.0f %%", value);
}

std::string count_text(std::uint64_t count, std::string_view noun) {
  std::string out = std::to_string(count);
  out += ' ';
  out += noun;
  if (count != 1) out += 's';
  return out;
}

}  // namespace filch::analysis
