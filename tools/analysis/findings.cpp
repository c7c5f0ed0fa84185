#include "findings.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>

#include "verdicts.hpp"
#include "words.hpp"

namespace filch::analysis {
namespace {

constexpr time_ns k_first_class_ns = 100;

// A strand from one spawn to the next: most of it is the cost of a spawn, unless the task does something between them.
class spawn_strands {
 public:
  explicit spawn_strands(const dag& graph) : graph_{graph}, ends_with_spawn_(graph.strands.size()) {
    for (const edge& each : graph.edges) {
      if (each.kind == edge_kind::spawn) ends_with_spawn_[each.from] = true;
    }
    std::vector<time_ns> lengths_ns;
    for (std::uint32_t i = 0; i != graph.strands.size(); ++i) {
      if (is_one(i)) lengths_ns.push_back(graph.strands[i].length_ns());
    }
    if (lengths_ns.empty()) return;
    median_ns_ = quantile(lengths_ns, 2);
    constexpr time_ns k_times_fastest = 4;
    cost_ns_ = std::min(median_ns_, k_times_fastest * quantile(lengths_ns, 100));
  }

  [[nodiscard]] time_ns cost_ns() const { return cost_ns_; }
  // How long a strand usually is, if its thread keeps its processor.
  [[nodiscard]] time_ns usual_ns(std::uint32_t which) const {
    constexpr time_ns k_times_usual = 10;
    const time_ns length_ns = graph_.strands[which].length_ns();
    return is_one(which) ? std::min(length_ns, k_times_usual * median_ns_) : length_ns;
  }

 private:
  [[nodiscard]] bool is_one(std::uint32_t which) const {
    const strand& each = graph_.strands[which];
    return ends_with_spawn_[which] && each.why == entry::cut && each.before != k_none &&
           ends_with_spawn_[each.before] && graph_.strands[each.before].end_ns == each.begin_ns;
  }

  // The value below which one in `part` lies.
  static time_ns quantile(std::vector<time_ns>& values, std::size_t part) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / part);
    std::ranges::nth_element(values, at);
    return *at;
  }

  const dag& graph_;
  std::vector<bool> ends_with_spawn_;
  time_ns median_ns_ = 0;
  time_ns cost_ns_ = 0;
};

// Names as places: the name's number, or one more than the last for tasks without one.
class grouping {
 public:
  explicit grouping(const dag& graph) : graph_{graph}, groups_(graph.names.size() + 1), works_(groups_.size()) {
    for (std::size_t i = 0; i != graph.names.size(); ++i) {
      groups_[i].name = graph.names[i].text;
      groups_[i].name_id = static_cast<std::uint32_t>(i);
    }
    groups_.back().name = "tasks without a name";
  }

  [[nodiscard]] std::size_t place_of(std::uint32_t task) const {
    return std::min<std::size_t>(graph_.tasks[task].name, graph_.names.size());
  }
  task_group& of(std::uint32_t task) { return groups_[place_of(task)]; }

  void count_threads(const thread_use& threads) {
    for (std::size_t i = 0; i != groups_.size(); ++i) {
      groups_[i].taken_ns = threads.by_name[i].taken_ns;
      groups_[i].blocked_ns = threads.by_name[i].blocked_ns;
    }
  }

  void count_tasks(const usage& spent, const spawn_strands& spawns) {
    for (std::uint32_t i = 0; i != graph_.strands.size(); ++i)
      of(graph_.strands[i].task).usual_work_ns += spawns.usual_ns(i);
    for (std::uint32_t i = 0; i != graph_.tasks.size(); ++i) {
      const task& each = graph_.tasks[i];
      if (each.last == k_none) continue;
      task_group& mine = of(i);
      ++mine.count;
      mine.work_ns += each.work_ns;
      mine.alone_ns += spent.alone_ns[i];
      works_[place_of(i)].push_back(each.work_ns);
      if (each.parent != k_none) mine.handling_ns += spawns.cost_ns();
    }
    for (std::size_t i = 0; i != groups_.size(); ++i) groups_[i].handling_ns += spent.handling_ns[i];
  }

  std::vector<task_group> finish() && {
    for (std::size_t i = 0; i != groups_.size(); ++i) {
      auto& works_ns = works_[i];
      if (works_ns.empty()) continue;
      const auto middle = works_ns.begin() + static_cast<std::ptrdiff_t>(works_ns.size() / 2);
      std::ranges::nth_element(works_ns, middle);
      groups_[i].median_ns = *middle;
      const auto [least, most] = std::ranges::minmax(works_ns);
      groups_[i].least_ns = least;
      groups_[i].most_ns = most;
      groups_[i].usual_work_ns =
          std::min(groups_[i].usual_work_ns, groups_[i].median_ns * static_cast<time_ns>(groups_[i].count));
      groups_[i].merge = merge_of(groups_[i]);
    }
    std::erase_if(groups_, [](const task_group& each) { return each.count == 0; });
    std::ranges::sort(groups_, {}, [](const task_group& each) { return std::tuple{-each.work_ns, each.name_id}; });
    return std::move(groups_);
  }

 private:
  const dag& graph_;
  std::vector<task_group> groups_;
  std::vector<std::vector<time_ns>> works_;
};

}  // namespace

std::size_t size_class_of(time_ns length_ns) {
  std::size_t which = 0;
  for (time_ns limit_ns = k_first_class_ns; which + 1 != k_size_classes && length_ns >= limit_ns; limit_ns *= 10)
    ++which;
  return which;
}

std::string size_class_text(std::size_t which) {
  time_ns limit_ns = k_first_class_ns;
  for (std::size_t i = 0; i != which && i + 2 != k_size_classes; ++i) limit_ns *= 10;
  return (which + 1 == k_size_classes ? "≥ " : "< ") + time_text(limit_ns);
}

findings findings_of(const dag& graph, const trace::recording& from) {
  findings out;
  out.workers = graph.workers;
  out.tasks = graph.ended_tasks();
  out.strands = graph.strands.size();
  out.lost_events = graph.lost_events;
  out.makespan_ns = graph.makespan_ns();
  out.work_ns = graph.work_ns();
  out.burdened_span_ns = graph.span_ns(k_burden_ns);
  out.elapsed_span_ns = graph.elapsed_span_ns();
  out.threads = thread_use_of(graph, from);
  out.spent = usage_of(graph, from, out.threads.present);
  out.not_looked_at = omissions_of(out.threads, graph, from);
  out.outside = outside_time_of(from, graph.begin_ns, graph.end_ns);
  if (out.work_ns != 0 && out.outside.is_much(out.makespan_ns)) {
    out.not_looked_at.push_back(
        {"outside", "The program ran for " + out.outside.text() +
                        ". No figure and no verdict includes that time, and no number of workers "
                        "shortens it."});
  }

  const spawn_strands spawns{graph};
  out.spawn_cost_ns = spawns.cost_ns();
  const auto has_parent = [](const task& each) { return each.parent != k_none && each.last != k_none; };
  out.spawning_ns = std::min(out.work_ns, out.spawn_cost_ns * std::ranges::count_if(graph.tasks, has_parent));
  grouping groups{graph};
  groups.count_tasks(out.spent, spawns);
  groups.count_threads(out.threads);
  const chain path = graph.critical_path();
  out.span_ns = path.length_ns;
  out.doubts = doubts_of(from, out.work_ns, out.span_ns);
  for (const std::uint32_t each : path.strands) {
    groups.of(graph.strands[each].task).path_ns += graph.strands[each].length_ns();
  }
  for (const task& each : graph.tasks) {
    if (each.last != k_none) ++out.sizes[size_class_of(each.work_ns)];
  }
  out.groups = std::move(groups).finish();
  out.verdicts = verdicts_of(out, graph, from);
  return out;
}

inflation compare_work(findings& now, const findings& before) {
  inflation out;
  for (const task_group& each : now.groups) {
    const auto same = std::ranges::find(before.groups, each.name, &task_group::name);
    if (same == before.groups.end()) continue;
    const inflation::group both{each.name, same->work_ns - same->taken_ns, each.work_ns - each.taken_ns};
    if (both.before_ns <= 0) continue;
    out.before_ns += both.before_ns;
    out.now_ns += both.now_ns;
    out.groups.push_back(both);
  }
  std::ranges::sort(out.groups, {}, [](const inflation::group& each) {
    return std::tuple{each.before_ns - each.now_ns, std::string_view{each.name}};
  });
  if (out.factor() < k_inflated) return out;
  const inflation::group& worst = out.groups.front();
  verdict found{.id = "work-inflation", .whose = fault::program, .subject = worst.name};
  found.cost_ns = out.now_ns - out.before_ns;
  found.share = findings::ratio(found.cost_ns, now.spent.use.total_ns());
  found.text = "The same tasks take " + number_text(out.factor()) + " times the work of the baseline (" +
               time_text(out.now_ns) + " after " + time_text(out.before_ns) + "), most of it in '" + worst.name +
               "' (" + number_text(worst.factor()) + " times).";
  found.advice =
      "Tasks in parallel slow each other down: shared cache lines, memory bandwidth, a lock inside, or more threads "
      "than "
      "processors.";
  std::erase_if(now.verdicts, [](const verdict& each) { return each.id == "ok"; });
  now.verdicts.push_back(std::move(found));
  sort_by_cost(now.verdicts);
  return out;
}

}  // namespace filch::analysis
