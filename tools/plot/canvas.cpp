#include "canvas.hpp"

#include <array>
#include <base/escape.hpp>
#include <charconv>

namespace filch::plot {
namespace {

constexpr double k_letter = 7;  // the width of a letter, about
constexpr double k_line = 18;
constexpr double k_note_line = 14;
constexpr double k_sample = 24;  // of a series in the legend

std::size_t letters_of(std::string_view text) {
  std::size_t letters = 0;
  for (const char c : text) letters += (static_cast<unsigned char>(c) & 0xc0u) != 0x80u ? 1 : 0;
  return letters;
}

}  // namespace

std::string_view color_of(std::size_t series) {
  static constexpr std::array<std::string_view, 12> k_colors{"#0b6fb8", "#d1600a", "#1b8a4b", "#b3358a",
                                                             "#7a5c00", "#5b4bc4", "#c22a2a", "#4a5560",
                                                             "#14a8b0", "#e58fb8", "#9bb31a", "#a9b4be"};
  return k_colors[series % k_colors.size()];
}

double width_of(std::string_view text) { return k_letter * static_cast<double>(letters_of(text)); }

std::string length_text(double value) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, 2);
  std::string out{buffer.data(), result.ptr};
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

canvas::canvas(std::string_view title, std::string_view x_label, std::string_view y_label,
               const std::vector<legend_entry>& legend)
    : title_{title} {
  add_text(k_left, 24, "class=\"title\"", title);
  draw_legend(legend);
  add_text(k_left + k_plot_width / 2, k_height - 16, "text-anchor=\"middle\"", x_label);
  const std::string middle = length_text((top_ + k_height - k_bottom) / 2);
  add("<text transform=\"translate(18 " + middle + ") rotate(-90)\" text-anchor=\"middle\">" + escape::xml(y_label) +
      "</text>");
}

void canvas::draw_legend(const std::vector<legend_entry>& legend) {
  double x = k_left;
  double y = k_top;
  for (const legend_entry& each : legend) {
    const double width = k_sample + 8 + width_of(each.name) + 14;
    if (x != k_left && x + width > k_width - k_right) {
      x = k_left;
      y += k_line;
    }
    const std::string dash = each.is_dashed ? " stroke-dasharray=\"6 4\"" : "";
    add_line(x, y - 4, x + k_sample, y - 4,
             "stroke=\"" + std::string{color_of(each.series)} + "\" stroke-width=\"3\"" + dash);
    add_text(x + k_sample + 6, y, "", each.name);
    x += width;
  }
  top_ = legend.empty() ? k_top : y + 16;
}

void canvas::draw_y_axis(const axis& of) {
  for (const tick& each : of.ticks()) {
    const double y = y_at(of.place(each.value));
    add_line(k_left, y, k_width - k_right, y, each.text.empty() ? "class=\"faint\"" : "class=\"grid\"");
    if (!each.text.empty()) add_text(k_left - 8, y + 4, "text-anchor=\"end\"", each.text);
  }
  add_line(k_left, top_, k_left, k_height - k_bottom, "class=\"axis\"");
  add_line(k_left, k_height - k_bottom, k_width - k_right, k_height - k_bottom, "class=\"axis\"");
}

void canvas::draw_x_axis(const axis& of) {
  for (const tick& each : of.ticks()) {
    const double x = x_at(of.place(each.value));
    const double y = k_height - k_bottom;
    add_line(x, y, x, y + (each.text.empty() ? 3 : 6), "class=\"axis\"");
    if (!each.text.empty()) add_text(x, y + 22, "text-anchor=\"middle\"", each.text);
  }
}

void canvas::add_line(double x1, double y1, double x2, double y2, std::string_view attributes) {
  std::string line = "<line x1=\"" + length_text(x1) + "\" y1=\"" + length_text(y1);
  line.append("\" x2=\"" + length_text(x2) + "\" y2=\"" + length_text(y2) + "\" ").append(attributes).append("/>");
  add(line);
}

void canvas::add_text(double x, double y, std::string_view attributes, std::string_view text) {
  std::string line = "<text x=\"" + length_text(x) + "\" y=\"" + length_text(y) + "\"";
  if (!attributes.empty()) line.append(" ").append(attributes);
  add(line + ">" + escape::xml(text) + "</text>");
}

void canvas::add_notes(const std::vector<std::string>& lines) {
  for (const std::string& each : lines) {
    height_ += k_note_line;
    add_text(k_right, height_ - 8, "style=\"font-size:11px\"", each);
  }
}

std::string opened_svg(double y, double height) {
  const std::string size = length_text(k_width) + " " + length_text(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" role=\"img\" " +
         (y == 0 ? "" : "y=\"" + length_text(y) + "\" ") + "width=\"" + length_text(k_width) + "\" height=\"" +
         length_text(height) + "\">\n" + (y == 0 ? "<!-- filch -->\n" : "");
}

std::string canvas::text(double y) const {
  return opened_svg(y, height_) + "<title>" + escape::xml(title_) +
         "</title>\n<style>text{font:13px sans-serif;fill:#222}.title{font-size:16px;font-weight:bold}"
         ".axis{stroke:#444}.grid{stroke:#ddd}.faint{stroke:#f0f0f0}</style>\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" +
         body_ + "</svg>\n";
}

}  // namespace filch::plot
