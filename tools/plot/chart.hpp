// Charts as SVG text: lines with error bands, and bars with error marks. No fonts, scripts or files from elsewhere; the
// same chart gives the same bytes everywhere.
#pragma once

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace filch::plot {

// No lower or upper end of an error.
inline constexpr double k_none = std::numeric_limits<double>::quiet_NaN();

// A chart that cannot be drawn; the text names the chart, the series and the value.
class bad_chart : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

struct point {
  double x = 0;
  double y = 0;
  double low = k_none;  // both or none: the ends of the error band there
  double high = k_none;
};

struct series {
  std::string name{};  // in the legend; empty: not listed
  std::vector<point> points{};
  bool is_dashed = false;  // for bounds and theory, which are not measured
};

struct chart {
  std::string title{};
  std::string x_label{};
  std::string y_label{};
  std::vector<plot::series> series{};
  bool log_x = false;
  bool log_y = false;
};

struct bar {
  double value = 0;
  double low = k_none;
  double high = k_none;
  bool is_absent = false;  // nothing is drawn in its place
};

// Groups of bars side by side: series[s].bars[c] is the bar of series s over categories[c].
struct bar_series {
  std::string name{};
  std::vector<bar> bars{};
};

struct bar_chart {
  std::string title{};
  std::string x_label{};
  std::string y_label{};
  std::vector<std::string> categories{};
  std::vector<bar_series> series{};
  bool log_y = false;
  std::vector<std::string> notes{};  // small lines below the picture: where the values come from
};

// One <svg> element with a newline at its end. Throws bad_chart: no points at all, a value that is not finite, a value
// from 0 down on a logarithmic axis, a low above its high, or bars that are not as many as the categories.
[[nodiscard]] std::string to_svg(const chart& what);
[[nodiscard]] std::string to_svg(const bar_chart& what);
// One below the other, in one <svg> element.
[[nodiscard]] std::string to_svg(const std::vector<bar_chart>& all);

}  // namespace filch::plot
