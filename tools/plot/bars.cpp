#include <algorithm>
#include <cmath>

#include "axis.hpp"
#include "canvas.hpp"
#include "chart.hpp"
#include "checks.hpp"

namespace filch::plot {
namespace {

constexpr double k_group_share = 0.8;  // of its place that a group of bars fills
constexpr double k_name_line = 16;

axis value_axis(const bar_chart& what) {
  double least = what.log_y ? std::numeric_limits<double>::infinity() : 0;
  double most = what.log_y ? -std::numeric_limits<double>::infinity() : 0;
  const auto cover = [&](double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  };
  for (const bar_series& each : what.series) {
    if (each.bars.size() != what.categories.size()) {
      refuse(what.title, each.name,
             std::to_string(each.bars.size()) + " bars for " + std::to_string(what.categories.size()) + " categories");
    }
    for (const bar& b : each.bars) {
      if (b.is_absent) continue;
      require_drawable(b.value, what.log_y, what.title, each.name, "value");
      cover(b.value);
      if (!has_error(b.value, b.low, b.high, what.log_y, what.title, each.name)) continue;
      cover(b.low);
      cover(b.high);
    }
  }
  if (what.categories.empty() || what.series.empty() || least > most) refuse(what.title, "", "has no bars");
  return axis{least, most, what.log_y};
}

// In how many lines the names of categories stand, so that neighbours do not cover each other.
std::size_t name_lines(const bar_chart& what, double group) {
  double widest = 0;
  for (const std::string& each : what.categories) widest = std::max(widest, width_of(each));
  const std::size_t most = what.x_label.empty() ? 3 : 2;
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(widest / group)), 1, most);
}

struct slot {
  double left = 0;
  double width = 0;
};

void draw_bar(canvas& on, const axis& y, const slot& where, const bar& what, bool is_log, std::string_view color) {
  const double from = is_log ? on.y_at(0) : on.y_at(y.place(0));
  const double to = on.y_at(y.place(what.value));
  std::string element = "<rect x=\"" + length_text(where.left) + "\" y=\"" + length_text(std::min(from, to));
  element += "\" width=\"" + length_text(where.width) + "\" height=\"" + length_text(std::abs(from - to));
  on.add(element.append("\" fill=\"").append(color).append("\"/>"));
  if (std::isnan(what.low)) return;
  const double middle = where.left + where.width / 2;
  const double cap = std::min(6.0, where.width / 3);
  const double low = on.y_at(y.place(what.low));
  const double high = on.y_at(y.place(what.high));
  on.add_line(middle, low, middle, high, "stroke=\"#222\"");
  on.add_line(middle - cap, low, middle + cap, low, "stroke=\"#222\"");
  on.add_line(middle - cap, high, middle + cap, high, "stroke=\"#222\"");
}

canvas drawn(const bar_chart& what) {
  const axis y = value_axis(what);
  std::vector<legend_entry> legend;
  for (std::size_t i = 0; i != what.series.size(); ++i) {
    if (!what.series[i].name.empty()) legend.push_back({what.series[i].name, i, false});
  }
  canvas on{what.title, what.x_label, what.y_label, legend};
  on.draw_y_axis(y);
  const double group = k_plot_width / static_cast<double>(what.categories.size());
  const double width = k_group_share * group / static_cast<double>(what.series.size());
  const std::size_t lines = name_lines(what, group);
  for (std::size_t c = 0; c != what.categories.size(); ++c) {
    const double begin = k_left + group * static_cast<double>(c);
    const double lower = k_name_line * static_cast<double>(c % lines);
    on.add_text(begin + group / 2, k_height - k_bottom + 20 + lower, "text-anchor=\"middle\"", what.categories[c]);
    for (std::size_t s = 0; s != what.series.size(); ++s) {
      const slot where{begin + group * (1 - k_group_share) / 2 + width * static_cast<double>(s), 0.92 * width};
      const bar& one = what.series[s].bars[c];
      if (!one.is_absent) draw_bar(on, y, where, one, what.log_y, color_of(s));
    }
  }
  on.add_notes(what.notes);
  return on;
}

}  // namespace

std::string to_svg(const bar_chart& what) { return drawn(what).text(); }

std::string to_svg(const std::vector<bar_chart>& all) {
  std::string body;
  double height = 0;
  for (const bar_chart& each : all) {
    const canvas one = drawn(each);
    body += one.text(height);
    height += one.height();
  }
  if (all.empty()) refuse("", "", "has no bars");
  return opened_svg(0, height) + body + "</svg>\n";
}

}  // namespace filch::plot
