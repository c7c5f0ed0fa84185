// What every value of a chart must be.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "axis.hpp"
#include "chart.hpp"

namespace filch::plot {

// "chart "title", series "name": y = 3: …"
[[noreturn]] inline void refuse(std::string_view title, std::string_view series, std::string_view problem) {
  std::string text = "chart \"";
  text.append(title).append("\"");
  if (!series.empty()) text.append(", series \"").append(series).append("\"");
  throw bad_chart(text.append(": ").append(problem));
}

inline void require_drawable(double value, bool is_log, std::string_view title, std::string_view series,
                             std::string_view what) {
  const auto complain = [&](std::string_view allowed) {
    std::string text{what};
    refuse(title, series, text.append(" = ").append(number_text(value)).append(": allowed is ").append(allowed));
  };
  if (!std::isfinite(value)) complain("a finite number");
  if (is_log && value <= 0) complain("a number above 0 on a logarithmic axis");
}

// Whether there is an error to draw; refuses half of one, and one that does not enclose its value.
inline bool has_error(double value, double low, double high, bool is_log, std::string_view title,
                      std::string_view series) {
  if (std::isnan(low) && std::isnan(high)) return false;
  require_drawable(low, is_log, title, series, "low");
  require_drawable(high, is_log, title, series, "high");
  if (low > value || high < value) {
    refuse(
        title, series,
        "low " + number_text(low) + " and high " + number_text(high) + " must enclose the value " + number_text(value));
  }
  return true;
}

}  // namespace filch::plot
