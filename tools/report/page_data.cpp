#include "page_data.hpp"

#include <algorithm>
#include <base/escape.hpp>
#include <cstddef>
#include <cstdio>
#include <doubts.hpp>
#include <filch/sim/theory.hpp>
#include <initializer_list>
#include <utility>

#include "run_shape.hpp"

namespace filch::report {
namespace {

constexpr std::uint32_t k_most_workers = 1u << 20;

// ---- JSON ----

// The parts with commas between them, in brackets or braces.
std::string joined(char open, std::initializer_list<std::string> parts, char close) {
  std::string out(1, open);
  for (const std::string& each : parts) {
    if (out.size() != 1) out += ',';
    out += each;
  }
  out += close;
  return out;
}

std::string number(std::int64_t value) { return std::to_string(value); }

std::string field(std::string_view key, std::string_view value) {
  std::string out = escape::json(key);
  out += ':';
  out += value;
  return out;
}

template <class List, class Function>
std::string array_of(const List& list, const Function& text_of) {
  std::string out(1, '[');
  for (const auto& each : list) {
    if (out.size() != 1) out += ',';
    out += text_of(each);
  }
  out += ']';
  return out;
}

template <class Curve, class Function>
std::string curves_text(const std::vector<Curve>& curves, const Function& at) {
  const auto point_text = [&](const auto& point) {
    const timed& time = point.time;
    return joined('[', {number(at(point)), number(time.makespan_ns), number(time.low_ns), number(time.high_ns)}, ']');
  };
  return array_of(curves, [&](const Curve& curve) {
    return joined('{', {field("name", escape::json(curve.name)), field("points", array_of(curve.points, point_text))},
                  '}');
  });
}

// ---- speed-up ----

// The numbers of workers at which the bounds are drawn: all of a few, about 24 per doubling of many.
std::vector<std::uint32_t> sampled_workers(std::uint32_t most) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t workers = 1; workers < most; workers += std::max(1u, workers / 24)) out.push_back(workers);
  out.push_back(most);
  return out;
}

std::string bounds_text(const speed_up_chart& chart) {
  // Somewhat beyond the last point, to show more workers.
  std::uint32_t most = 2;
  for (const speed_up_curve& curve : chart.curves) {
    for (const speed_up_point& point : curve.points) most = std::max(most, point.workers + point.workers / 2);
  }
  return array_of(sampled_workers(most), [&](std::uint32_t workers) {
    using namespace sim::theory;
    const auto burdened =
        chart.burdened_span_ns ? number(burdened_ns(chart.work_ns, *chart.burdened_span_ns, workers)) : "null";
    return joined('[',
                  {number(workers), number(least_ns(chart.work_ns, chart.span_ns, workers)),
                   number(greedy_most_ns(chart.work_ns, chart.span_ns, workers)), burdened},
                  ']');
  });
}

std::string speed_up_text(const speed_up_chart& chart) {
  const auto workers_of = [](const speed_up_point& point) { return point.workers; };
  return joined('{',
                {field("work_ns", number(chart.work_ns)), field("span_ns", number(chart.span_ns)),
                 field("burdened_span_ns", chart.burdened_span_ns ? number(*chart.burdened_span_ns) : "null"),
                 field("curves", curves_text(chart.curves, workers_of)), field("bounds", bounds_text(chart))},
                '}');
}

// Without a chart of its own a page shows where each run stands between the bounds of the first.
std::optional<speed_up_chart> chart_of(const page& what, const std::vector<run_shape>& shapes) {
  if (what.speed_up) return what.speed_up;
  const run_shape& first = shapes.front();
  if (first.work_ns == 0 || first.makespan_ns() == 0) return std::nullopt;
  speed_up_chart out{first.work_ns, first.span_ns, first.burdened_span_ns, {}};
  for (std::size_t i = 0; i != shapes.size(); ++i) {
    const auto workers = static_cast<std::uint32_t>(what.runs[i].what->workers.size());
    if (shapes[i].makespan_ns() == 0) continue;
    const std::string& label = what.runs[i].label;
    out.curves.push_back({label.empty() ? "this run" : label, {{workers, {shapes[i].makespan_ns(), 0, 0}}}});
  }
  return out;
}

std::string run_text(const shown_run& run, const run_shape& shape) {
  const auto path = array_of(shape.critical_path, [](const stretch& each) {
    std::string piece = number(each.worker);
    piece += ',';
    piece += number(each.begin_ns);
    piece += ',';
    piece += number(each.end_ns);
    return piece;
  });
  return joined('{',
                {field("label", escape::json(run.label)), field("work_ns", number(shape.work_ns)),
                 field("span_ns", number(shape.span_ns)), field("burdened_span_ns", number(shape.burdened_span_ns)),
                 field("makespan_ns", number(shape.makespan_ns())), field("path", path)},
                '}');
}

// ---- checks ----

std::string problem_of(const timed& time, const std::string& whose) {
  const bool has_range = time.low_ns != 0 || time.high_ns != 0;
  if (time.makespan_ns <= 0) return whose + " takes " + number(time.makespan_ns) + " ns; allowed: 1 and more";
  if (has_range && (time.low_ns > time.makespan_ns || time.high_ns < time.makespan_ns || time.low_ns <= 0)) {
    return whose + " takes " + number(time.makespan_ns) + " ns, which is not between its low of " +
           number(time.low_ns) + " and its high of " + number(time.high_ns) + " ns";
  }
  return {};
}

std::string problem_of(const speed_up_chart& chart) {
  if (chart.work_ns <= 0 || chart.span_ns <= 0 || chart.span_ns > chart.work_ns) {
    return "speed-up: work " + number(chart.work_ns) + " ns and span " + number(chart.span_ns) +
           " ns; allowed: 0 < span <= work";
  }
  if (chart.burdened_span_ns && *chart.burdened_span_ns < chart.span_ns) {
    return "speed-up: the burdened span of " + number(*chart.burdened_span_ns) + " ns is below the span";
  }
  for (const speed_up_curve& curve : chart.curves) {
    for (const speed_up_point& point : curve.points) {
      const std::string whose = "speed-up: " + curve.name + " on " + number(point.workers) + " workers";
      if (point.workers < 1 || point.workers > k_most_workers) {
        return whose + "; allowed: 1 to " + number(k_most_workers);
      }
      if (std::string wrong = problem_of(point.time, whose); !wrong.empty()) return wrong;
    }
  }
  return {};
}

}  // namespace

std::string problem_of(const page& what) {
  if (what.runs.empty() || what.runs.size() > 2) {
    return "a page of " + std::to_string(what.runs.size()) + " runs; allowed: 1 or 2";
  }
  for (const shown_run& run : what.runs) {
    if (run.what == nullptr) return "the run \"" + run.label + "\" has no recording";
    if (std::string wrong = run.what->check(); !wrong.empty()) return wrong;
  }
  if (what.speed_up) {
    if (std::string wrong = problem_of(*what.speed_up); !wrong.empty()) return wrong;
  }
  for (const granularity_curve& curve : what.granularity) {
    for (const granularity_point& point : curve.points) {
      const std::string whose = "granularity: " + curve.name + " with a grain of " + number(point.grain_ns) + " ns";
      if (point.grain_ns <= 0) return whose + "; allowed: 1 and more";
      if (std::string wrong = problem_of(point.time, whose); !wrong.empty()) return wrong;
    }
  }
  return {};
}

std::string page_data(const page& what) {
  std::vector<run_shape> shapes;
  std::vector<std::string> runs;
  std::vector<std::string> notes;
  for (const shown_run& run : what.runs) {
    shapes.push_back(shape_of(*run.what));
    for (const analysis::doubt& each : analysis::doubts_of(*run.what, shapes.back().work_ns, shapes.back().span_ns)) {
      notes.push_back("Warning: " + each.sentence());
    }
    runs.push_back(run_text(run, shapes.back()));
  }
  const std::optional<speed_up_chart> chart = chart_of(what, shapes);
  notes.insert(notes.end(), what.notes.begin(), what.notes.end());
  const auto grain_of = [](const granularity_point& point) { return point.grain_ns; };
  return joined('{',
                {field("notes", array_of(notes, escape::json)),
                 field("runs", array_of(runs, [](const std::string& text) { return text; })),
                 field("speed_up", chart ? speed_up_text(*chart) : "null"),
                 field("granularity", curves_text(what.granularity, grain_of))},
                '}');
}

}  // namespace filch::report
