#include "chart.hpp"

#include <algorithm>

#include "axis.hpp"
#include "canvas.hpp"
#include "checks.hpp"

namespace filch::plot {
namespace {

constexpr std::size_t k_most_marks = 60;  // a series with more points is a plain line

struct range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void cover(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

struct ranges {
  range x;
  range y;
};

ranges ranges_of(const chart& what) {
  ranges found;
  for (const series& each : what.series) {
    for (const point& p : each.points) {
      require_drawable(p.x, what.log_x, what.title, each.name, "x");
      require_drawable(p.y, what.log_y, what.title, each.name, "y");
      found.x.cover(p.x);
      found.y.cover(p.y);
      if (!has_error(p.y, p.low, p.high, what.log_y, what.title, each.name)) continue;
      found.y.cover(p.low);
      found.y.cover(p.high);
    }
  }
  if (found.x.least > found.x.most) refuse(what.title, "", "has no points");
  // Differences between positive values are seen in proportion when 0 is not far off.
  if (!what.log_y && found.y.least > 0 && found.y.least < 0.5 * found.y.most) found.y.least = 0;
  return found;
}

std::string place_text(const canvas& on, const axis& x, const axis& y, double at_x, double at_y) {
  return length_text(on.x_at(x.place(at_x))) + "," + length_text(on.y_at(y.place(at_y)));
}

void draw_band(canvas& on, const axis& x, const axis& y, const series& what, std::string_view color) {
  std::string upper;
  std::string lower;
  for (const point& p : what.points) {
    if (std::isnan(p.low)) continue;
    upper += place_text(on, x, y, p.x, p.high) + " ";
    lower = place_text(on, x, y, p.x, p.low) + " " + lower;
  }
  if (upper.empty()) return;
  lower.pop_back();
  std::string element = "<polygon fill=\"";
  on.add(element.append(color).append("\" fill-opacity=\"0.18\" points=\"").append(upper + lower).append("\"/>"));
}

void draw_series(canvas& on, const axis& x, const axis& y, const series& what, std::size_t number) {
  const std::string color{color_of(number)};
  draw_band(on, x, y, what, color);
  std::string path;
  for (const point& p : what.points) path.append(path.empty() ? "" : " ").append(place_text(on, x, y, p.x, p.y));
  const std::string dash = what.is_dashed ? " stroke-dasharray=\"6 4\"" : "";
  on.add("<polyline fill=\"none\" stroke=\"" + color + "\" stroke-width=\"2\"" + dash + " points=\"" + path + "\"/>");
  if (what.is_dashed || what.points.size() > k_most_marks) return;
  for (const point& p : what.points) {
    on.add("<circle cx=\"" + length_text(on.x_at(x.place(p.x))) + "\" cy=\"" + length_text(on.y_at(y.place(p.y))) +
           "\" r=\"3\" fill=\"" + color + "\"/>");
  }
}

}  // namespace

std::string to_svg(const chart& what) {
  const ranges seen = ranges_of(what);
  std::vector<legend_entry> legend;
  for (std::size_t i = 0; i != what.series.size(); ++i) {
    if (!what.series[i].name.empty()) legend.push_back({what.series[i].name, i, what.series[i].is_dashed});
  }
  canvas on{what.title, what.x_label, what.y_label, legend};
  const axis x{seen.x.least, seen.x.most, what.log_x};
  const axis y{seen.y.least, seen.y.most, what.log_y};
  on.draw_y_axis(y);
  on.draw_x_axis(x);
  for (std::size_t i = 0; i != what.series.size(); ++i) draw_series(on, x, y, what.series[i], i);
  return on.text();
}

}  // namespace filch::plot
