// What line and bar charts share: the frame with title, axes and legend, and SVG elements. A chart builds a canvas,
// draws into it and takes its text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "axis.hpp"

namespace filch::plot {

// All lengths are units of the picture, about a pixel each.
inline constexpr double k_width = 760;
inline constexpr double k_height = 440;
inline constexpr double k_left = 76;
inline constexpr double k_right = 20;
inline constexpr double k_top = 44;
inline constexpr double k_bottom = 62;
inline constexpr double k_plot_width = k_width - k_left - k_right;

struct legend_entry {
  std::string name;
  std::size_t series = 0;
  bool is_dashed = false;
};

// The first eight colours also differ for colour-blind readers; the colours repeat after twelve series.
[[nodiscard]] std::string_view color_of(std::size_t series);
// The width of a text in the picture, about.
[[nodiscard]] double width_of(std::string_view text);
// Two digits after the point at most.
[[nodiscard]] std::string length_text(double value);
// The beginning of an <svg> element of that height, at `y` in a larger one.
[[nodiscard]] std::string opened_svg(double y, double height);

class canvas {
 public:
  // Names are listed below the title, in as many lines as they need.
  canvas(std::string_view title, std::string_view x_label, std::string_view y_label,
         const std::vector<legend_entry>& legend);

  void draw_y_axis(const axis& of);
  void draw_x_axis(const axis& of);

  // Where a share of the axes lies in the picture.
  [[nodiscard]] double x_at(double share) const { return k_left + share * k_plot_width; }
  [[nodiscard]] double y_at(double share) const { return k_height - k_bottom - share * (k_height - k_bottom - top_); }

  void add(std::string_view element) { body_.append(element).append("\n"); }
  void add_line(double x1, double y1, double x2, double y2, std::string_view attributes);
  void add_text(double x, double y, std::string_view attributes, std::string_view text);

  // Below all the rest; the picture grows with them.
  void add_notes(const std::vector<std::string>& lines);

  // `y`: where it begins in a larger picture.
  [[nodiscard]] std::string text(double y = 0) const;
  [[nodiscard]] double height() const { return height_; }

 private:
  void draw_legend(const std::vector<legend_entry>& legend);

  std::string title_;
  std::string body_;
  double top_ = k_top;
  double height_ = k_height;
};

}  // namespace filch::plot
