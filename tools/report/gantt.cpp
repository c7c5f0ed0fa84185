#include "gantt.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "run_shape.hpp"

namespace filch::report {
namespace {

using trace::event;
using trace::event_kind;

enum class look : std::uint8_t { asleep, searching, own, stolen, unknown };
constexpr std::size_t k_looks = 5;
constexpr std::uint32_t k_least_width = 40;

struct piece {
  time_ns begin_ns = 0;
  time_ns end_ns = 0;
  look what = look::searching;
  std::uint64_t task = trace::k_no_task;
};

// One character of the chart and its meaning.
struct cell {
  char shown = ' ';
  look what = look::asleep;
};

class chart {
 public:
  chart(const trace::recording& from, const gantt_options& options)
      : from_{from}, options_{options}, shape_{shape_of(from, 0)} {
    begin_ns_ = shape_.begin_ns;
    end_ns_ = std::max(shape_.end_ns, begin_ns_ + 1);
    rows_ = std::min<std::size_t>(from.workers.size(), options.most_workers);
    margin_ = std::max<std::size_t>(8, std::string{"worker "}.size() + std::to_string(from.workers.size()).size()) + 2;
    columns_ = std::max(options.width, k_least_width) - margin_ - 6;
    note_tasks();
  }

  std::string text() {
    if (shape_.tasks == 0 && shape_.stretches.empty()) return "The recording holds no task.\n";
    std::string out = axis();
    for (std::uint32_t w = 0; w != rows_; ++w) out += row(w);
    out += path_row();
    if (rows_ < from_.workers.size()) {
      out += std::string(margin_, ' ') + "and " + std::to_string(from_.workers.size() - rows_) + " more workers\n";
    }
    return out + summary();
  }

 private:
  void note_tasks() {
    for (const auto& list : from_.workers) {
      for (const event& e : list) note(e);
    }
    for (const event& e : from_.outside) note(e);
  }

  void note(const event& e) {
    if (e.kind == event_kind::steal_success) {
      stolen_.insert(e.task);
      steals_ += e.argument;
    }
    const bool is_name = e.kind == event_kind::spawn || e.kind == event_kind::name;
    if (is_name && from_.find_name(e.detail) != nullptr) name_of_[e.task] = e.detail;
  }

  std::string label_of(std::uint64_t task) const {
    const auto name = name_of_.find(task);
    std::string text = name != name_of_.end() ? from_.names[name->second].text : std::to_string(task);
    for (char& each : text) {
      if (each < ' ' || each > '~') each = '?';
    }
    return text;
  }

  // ---- what a worker does ----

  // Without gaps: running, asleep, looking.
  std::vector<piece> pieces_of(std::uint32_t w) const {
    std::vector<piece> out = pauses_of(w);
    const auto first = std::ranges::lower_bound(shape_.stretches, w, {}, &stretch::worker);
    const auto last = std::ranges::upper_bound(shape_.stretches, w, {}, &stretch::worker);
    for (auto each = first; each != last; ++each) {
      out.push_back(
          {each->begin_ns, each->end_ns, stolen_.contains(each->task) ? look::stolen : look::own, each->task});
    }
    std::ranges::sort(out, {}, [](const piece& each) { return std::pair{each.begin_ns, each.end_ns}; });
    return out;
  }

  // Asleep, or lost in a gap.
  std::vector<piece> pauses_of(std::uint32_t w) const {
    std::vector<piece> out;
    const auto& events = from_.workers[w];
    time_ns before_ns = begin_ns_;
    constexpr time_ns k_awake_ns = -1;
    time_ns asleep_since_ns = events.empty() ? begin_ns_ : k_awake_ns;
    for (const event& e : events) {
      if (e.kind == event_kind::park) {
        asleep_since_ns = e.time_ns;
      } else if (asleep_since_ns != k_awake_ns) {
        out.push_back({asleep_since_ns, e.time_ns, look::asleep});
        asleep_since_ns = k_awake_ns;
      }
      if (e.kind == event_kind::dropped) out.push_back({before_ns, e.time_ns, look::unknown});
      before_ns = e.time_ns;
    }
    if (asleep_since_ns != k_awake_ns) out.push_back({asleep_since_ns, end_ns_, look::asleep});
    return out;
  }

  [[nodiscard]] double column_of(time_ns at_ns) const {
    const double share = static_cast<double>(at_ns - begin_ns_) / static_cast<double>(end_ns_ - begin_ns_);
    return std::clamp(share, 0.0, 1.0) * static_cast<double>(columns_);
  }

  std::vector<cell> cells_of(const std::vector<piece>& pieces) const {
    using shares = std::array<double, k_looks>;
    std::vector<shares> spent(columns_, shares{});
    for (const piece& each : pieces) {
      const double from = column_of(each.begin_ns);
      const double to = column_of(each.end_ns);
      for (auto x = static_cast<std::size_t>(from); x < columns_ && static_cast<double>(x) < to; ++x) {
        const auto at = static_cast<double>(x);
        spent[x][static_cast<std::size_t>(each.what)] += std::min(to, at + 1) - std::max(from, at);
      }
    }
    std::vector<cell> out(columns_);
    for (std::size_t x = 0; x != columns_; ++x) out[x] = cell_of(spent[x]);
    for (const piece& each : pieces) write_label(each, out);
    return out;
  }

  static cell cell_of(std::array<double, k_looks> spent) {
    double known = 0;
    for (const double each : spent) known += each;
    const auto of = [&](look what) -> double& { return spent[static_cast<std::size_t>(what)]; };
    of(look::searching) += std::max(0.0, 1 - known);
    const double running = of(look::own) + of(look::stolen);
    if (running >= 1.0 / 3) {
      const look what = of(look::own) >= of(look::stolen) ? look::own : look::stolen;
      if (running < 2.0 / 3) return {'-', what};
      return {what == look::own ? '=' : '#', what};
    }
    if (of(look::unknown) > 1.0 / 3) return {'?', look::unknown};
    return of(look::searching) >= of(look::asleep) ? cell{'.', look::searching} : cell{' ', look::asleep};
  }

  // "[T1====]": where a task has three columns for itself.
  void write_label(const piece& what, std::vector<cell>& row) const {
    if (what.what != look::own && what.what != look::stolen) return;
    const auto first = static_cast<std::size_t>(std::lround(column_of(what.begin_ns)));
    const auto last = static_cast<std::size_t>(std::lround(column_of(what.end_ns)));
    if (last < first + 3) return;
    const std::string label = label_of(what.task);
    for (std::size_t x = first; x != last; ++x) {
      char shown = what.what == look::own ? '=' : '#';
      if (x == first) shown = '[';
      else if (x + 1 == last) shown = ']';
      else if (x - first - 1 < label.size() && label.size() + 2 <= last - first) shown = label[x - first - 1];
      row[x] = {shown, what.what};
    }
  }

  // ---- rows ----

  static std::string_view colour_of(look what) {
    switch (what) {
      case look::own:
        return "\x1b[30;44m";
      case look::stolen:
        return "\x1b[30;43m";
      case look::searching:
        return "\x1b[33m";
      case look::unknown:
        return "\x1b[35m";
      case look::asleep:
        break;
    }
    return "\x1b[0m";
  }

  static std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
  }

  std::string row(std::uint32_t w) const {
    const std::vector<piece> pieces = pieces_of(w);
    const std::vector<cell> cells = cells_of(pieces);
    std::string out = padded("worker " + std::to_string(w), margin_);
    look now = look::asleep;
    for (const cell& each : cells) {
      if (options_.colour && each.what != now) {
        out += "\x1b[0m";
        if (each.what != look::asleep) out += colour_of(each.what);
        now = each.what;
      }
      out += each.shown;
    }
    if (options_.colour && now != look::asleep) out += "\x1b[0m";
    time_ns running_ns = 0;
    for (const piece& each : pieces) {
      if (each.what == look::own || each.what == look::stolen) running_ns += each.end_ns - each.begin_ns;
    }
    return out + percent(running_ns, end_ns_ - begin_ns_) + "\n";
  }

  static std::string percent(time_ns part_ns, time_ns whole_ns) {
    char text[16];
    const double share = 100.0 * static_cast<double>(part_ns) / static_cast<double>(whole_ns);
    std::snprintf(text, sizeof text, " %3.0f %%", share);
    return text;
  }

  // The last digit of the worker that the critical path is on.
  std::string path_row() const {
    std::string cells(columns_, ' ');
    for (const stretch& each : shape_.critical_path) {
      const auto first = static_cast<std::size_t>(column_of(each.begin_ns));
      const auto last = static_cast<std::size_t>(std::ceil(column_of(each.end_ns)));
      for (std::size_t x = first; x < last && x < columns_; ++x) {
        cells[x] = static_cast<char>('0' + each.worker % 10);
      }
    }
    while (!cells.empty() && cells.back() == ' ') cells.pop_back();
    return padded("path", margin_) + cells + "\n";
  }

  struct unit {
    double ns;
    const char* name;
  };
  static unit unit_of(double most_ns) {
    if (most_ns >= 1e9) return {1e9, "s"};
    if (most_ns >= 1e6) return {1e6, "ms"};
    if (most_ns >= 1e3) return {1e3, "us"};
    return {1, "ns"};
  }

  static std::string time_text(double ns, unit in) {
    char text[48];
    std::snprintf(text, sizeof text, "%.4g %s", ns / in.ns, in.name);
    return text;
  }

  std::string axis() const {
    const auto whole_ns = static_cast<double>(end_ns_ - begin_ns_);
    const double raw_ns = whole_ns / std::max(1.0, static_cast<double>(columns_) / 14);
    const double power = std::pow(10, std::floor(std::log10(raw_ns)));
    double step_ns = power;
    for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
      step_ns = factor * power;
      if (step_ns >= raw_ns * 0.999) break;
    }
    std::string out(margin_ + columns_, ' ');
    for (int i = 0; i * step_ns <= whole_ns; ++i) {
      const std::string text = time_text(i * step_ns, unit_of(std::max(whole_ns, 1.0)));
      const auto at = margin_ + static_cast<std::size_t>(i * step_ns / whole_ns * static_cast<double>(columns_));
      if (at + text.size() <= out.size()) out.replace(at, text.size(), text);
    }
    while (out.ends_with(' ')) out.pop_back();
    return out + "\n";
  }

  static std::string counted(std::uint64_t count, std::string_view thing) {
    return std::to_string(count) + " " + std::string{thing} + (count == 1 ? "" : "s");
  }

  std::string summary() const {
    const auto whole_ns = static_cast<double>(end_ns_ - begin_ns_);
    const auto text = [](time_ns ns) { return time_text(static_cast<double>(ns), unit_of(static_cast<double>(ns))); };
    std::string out = counted(shape_.tasks, "task") + ", " + std::to_string(steals_) + " stolen, in " +
                      time_text(whole_ns, unit_of(whole_ns)) + "; work " + text(shape_.work_ns) + ", critical path " +
                      text(shape_.span_ns) + "\n";
    if (const std::uint64_t lost = from_.dropped_count()) out += counted(lost, "event") + " of the recording lost\n";
    return out + "= own  # stolen  - partly running  . looking for work  blank: asleep\n";
  }

  const trace::recording& from_;
  const gantt_options& options_;
  const run_shape shape_;
  std::unordered_set<std::uint64_t> stolen_;
  std::unordered_map<std::uint64_t, std::uint32_t> name_of_;
  std::uint64_t steals_ = 0;
  time_ns begin_ns_ = 0;
  time_ns end_ns_ = 1;
  std::size_t rows_ = 0;
  std::size_t margin_ = 0;
  std::size_t columns_ = 0;
};

}  // namespace

std::string render_gantt(const trace::recording& what, const gantt_options& options) {
  return chart{what, options}.text();
}

gantt_options gantt_options_of_terminal() {
  gantt_options out;
  if (::isatty(STDOUT_FILENO) == 0) return out;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) out.width = size.ws_col;
  const char* const terminal = std::getenv("TERM");
  const char* const no_colour = std::getenv("NO_COLOR");
  const bool is_dumb = terminal == nullptr || std::string_view{terminal} == "dumb";
  out.colour = !is_dumb && (no_colour == nullptr || *no_colour == '\0');
  return out;
}

}  // namespace filch::report
