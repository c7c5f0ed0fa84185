#include "run_picture.hpp"

#include <algorithm>
#include <array>
#include <base/escape.hpp>
#include <cstddef>
#include <cstdio>
#include <unordered_map>
#include <vector>
#include <words.hpp>

namespace filch::report {
namespace {

constexpr int k_width = 760;
constexpr int k_left = 84;
constexpr int k_columns = k_width - k_left - 16;
constexpr int k_row = 18;
constexpr int k_gap = 4;
constexpr std::size_t k_most_workers = 64;

constexpr std::array<std::string_view, 8> k_colours{"#0b6fb8", "#d1600a", "#1b8a4b", "#b3358a",
                                                    "#7a5c00", "#5b4bc4", "#c22a2a", "#4a5560"};
constexpr std::size_t k_others = k_colours.size() - 1;

struct share {
  const char* name;
  const char* colour;
  time_ns analysis::time_use::* value;
};
constexpr share k_shares[] = {
    {"work", "#0b6fb8", &analysis::time_use::work_ns},
    {"making and taking tasks", "#7a5c00", &analysis::time_use::spawn_ns},
    {"stealing", "#d1600a", &analysis::time_use::steal_ns},
    {"idle, tasks ready", "#c22a2a", &analysis::time_use::idle_ready_ns},
    {"idle, no work", "#b8c0c8", &analysis::time_use::idle_no_work_ns},
    {"waits for a lock", "#b3358a", &analysis::time_use::blocked_lock_ns},
    {"waits outside", "#5b4bc4", &analysis::time_use::blocked_outside_ns},
};

class picture {
 public:
  picture(const analysis::dag& graph, const analysis::findings& found, std::string_view title)
      : graph_{graph}, found_{found}, title_{title} {
    for (std::size_t i = 0; i != std::min(found.groups.size(), k_others); ++i) colour_of_[found.groups[i].name_id] = i;
    rows_ = std::min<std::size_t>(graph.workers, k_most_workers);
  }

  std::string text() {
    put_text(k_left, 20, "font-weight=\"bold\"", title_);
    int y = 34;
    const auto rows = all_cells();
    for (std::size_t w = 0; w != rows_; ++w, y += k_row + k_gap) {
      put_text(8, y + 13, "", "worker " + std::to_string(w));
      put_rectangle(k_left, y, k_columns, k_row, "#eef1f4");
      put_runs(rows[w], y, k_row);
    }
    put_text(8, y + 8, "", "path");
    put_path(y);
    y += 30;
    y = put_names(y);
    y = put_shares(y + 8);
    char head[160];
    std::snprintf(head, sizeof head,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                  "font-size=\"12\">\n",
                  k_width, y);
    return std::string{head}
        .append("<!-- filch -->\n")
        .append("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n")
        .append(body_)
        .append("</svg>\n");
  }

 private:
  // By worker and column: the place of the colour, or -1.
  using cells = std::vector<std::vector<int>>;

  [[nodiscard]] std::size_t colour_of(std::uint32_t strand) const {
    const auto at = colour_of_.find(graph_.tasks[graph_.strands[strand].task].name);
    return at == colour_of_.end() ? k_others : at->second;
  }

  [[nodiscard]] double column_of(time_ns at_ns) const {
    const auto whole_ns = static_cast<double>(std::max<time_ns>(1, graph_.makespan_ns()));
    return static_cast<double>(at_ns - graph_.begin_ns) / whole_ns * k_columns;
  }

  // Adds the time of a strand to its columns.
  template <class Function>
  void each_column(const analysis::strand& of, const Function& add) const {
    const double from = column_of(of.begin_ns);
    const double to = column_of(of.end_ns);
    for (int x = static_cast<int>(from); x < k_columns && x < to; ++x) {
      add(static_cast<std::size_t>(x), std::min(to, x + 1.0) - std::max(from, static_cast<double>(x)));
    }
  }

  [[nodiscard]] cells all_cells() const {
    using shares = std::array<double, k_colours.size()>;
    std::vector<std::vector<shares>> spent(rows_, std::vector<shares>(k_columns, shares{}));
    for (std::uint32_t i = 0; i != graph_.strands.size(); ++i) {
      const analysis::strand& each = graph_.strands[i];
      if (each.worker >= rows_) continue;
      const std::size_t colour = colour_of(i);
      each_column(each, [&](std::size_t x, double part) { spent[each.worker][x][colour] += part; });
    }
    cells out(rows_, std::vector<int>(k_columns, -1));
    for (std::size_t w = 0; w != rows_; ++w) {
      for (std::size_t x = 0; x != k_columns; ++x) {
        double sum = 0;
        for (const double part : spent[w][x]) sum += part;
        if (sum < 0.5) continue;
        out[w][x] = static_cast<int>(std::ranges::max_element(spent[w][x]) - spent[w][x].begin());
      }
    }
    return out;
  }

  void put_runs(const std::vector<int>& row, int y, int height) {
    for (std::size_t x = 0; x != row.size();) {
      std::size_t end = x + 1;
      while (end != row.size() && row[end] == row[x]) ++end;
      if (row[x] >= 0) {
        put_rectangle(k_left + static_cast<int>(x), y, static_cast<int>(end - x), height,
                      k_colours[static_cast<std::size_t>(row[x])]);
      }
      x = end;
    }
  }

  void put_path(int y) {
    std::vector<int> row(k_columns, -1);
    for (const std::uint32_t i : graph_.critical_path().strands) {
      const auto colour = static_cast<int>(colour_of(i));
      each_column(graph_.strands[i], [&](std::size_t x, double part) {
        if (part >= 0.3) row[x] = colour;
      });
    }
    put_runs(row, y, 8);
  }

  int put_names(int y) {
    int x = k_left;
    for (std::size_t i = 0; i != std::min(found_.groups.size(), k_others); ++i) {
      put_rectangle(x, y - 10, 12, 12, k_colours[i]);
      put_text(x + 16, y, "", found_.groups[i].name);
      x += 40 + 7 * static_cast<int>(std::min<std::size_t>(found_.groups[i].name.size(), 24));
      if (x > k_width - 120) {
        x = k_left;
        y += 18;
      }
    }
    return y + 14;
  }

  int put_shares(int y) {
    const analysis::time_use use = found_.shares();
    const auto whole = static_cast<double>(std::max<time_ns>(1, use.total_ns()));
    put_text(8, y + 13, "", "time");
    double from = 0;
    for (const share& each : k_shares) {
      const double part = static_cast<double>(use.*each.value) / whole * k_columns;
      const int x = static_cast<int>(from + 0.5);
      const int end = static_cast<int>(from + part + 0.5);
      if (end > x) put_rectangle(k_left + x, y, end - x, k_row, each.colour);
      from += part;
    }
    y += k_row + 18;
    int x = k_left;
    for (const share& each : k_shares) {
      const double part = static_cast<double>(use.*each.value) / whole;
      if (part < 0.005) continue;
      const std::string label = std::string{each.name}.append(" ").append(analysis::percent_text(part));
      if (x + 24 + 7 * static_cast<int>(label.size()) > k_width) {
        x = k_left;
        y += 18;
      }
      put_rectangle(x, y - 10, 12, 12, each.colour);
      put_text(x + 16, y, "", label);
      x += 32 + 7 * static_cast<int>(label.size());
    }
    return y + 14;
  }

  void put_rectangle(int x, int y, int width, int height, std::string_view colour) {
    char text[160];
    std::snprintf(text, sizeof text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%.*s\"/>\n", x, y,
                  width, height, static_cast<int>(colour.size()), colour.data());
    body_ += text;
  }
  void put_text(int x, int y, std::string_view attributes, std::string_view text) {
    char place[64];
    std::snprintf(place, sizeof place, "<text x=\"%d\" y=\"%d\"", x, y);
    body_ += place;
    if (!attributes.empty()) body_.append(" ").append(attributes);
    body_.append(">").append(escape::xml(text)).append("</text>\n");
  }

  const analysis::dag& graph_;
  const analysis::findings& found_;
  const std::string title_;
  std::unordered_map<std::uint32_t, std::size_t> colour_of_;  // by name
  std::size_t rows_ = 0;
  std::string body_;
};

}  // namespace

std::string run_picture(const analysis::dag& graph, const analysis::findings& found, std::string_view title) {
  return picture{graph, found, title}.text();
}

}  // namespace filch::report
