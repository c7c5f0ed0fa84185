#include "thread_use.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <string_view>

#include "words.hpp"

namespace filch::analysis {
namespace {

using trace::thread_resource;
using trace::thread_sample;

// A stretch of time in which a task runs on a worker.
struct stay {
  time_ns begin_ns = 0;
  time_ns end_ns = 0;
  std::uint32_t task = k_none;

  [[nodiscard]] time_ns length_ns() const { return end_ns - begin_ns; }
};

std::vector<std::vector<stay>> stays_of(const dag& graph) {
  std::vector<std::vector<stay>> out(graph.workers);
  for (const strand& each : graph.strands) {
    if (each.end_ns > each.begin_ns) out[each.worker].push_back({each.begin_ns, each.end_ns, each.task});
  }
  for (auto& list : out) std::ranges::sort(list, {}, &stay::begin_ns);
  return out;
}

// How long all workers together have run tasks up to a moment: a curve of straight lines.
class work_curve {
 public:
  work_curve() = default;
  explicit work_curve(const std::vector<std::vector<stay>>& stays) {
    std::vector<std::pair<time_ns, int>> changes;
    for (const auto& list : stays) {
      for (const stay& each : list) {
        changes.emplace_back(each.begin_ns, 1);
        changes.emplace_back(each.end_ns, -1);
      }
    }
    std::ranges::sort(changes);
    double work_ns = 0;
    int running = 0;
    for (const auto& [at_ns, change] : changes) {
      if (!points_.empty()) work_ns += static_cast<double>(at_ns - points_.back().at_ns) * running;
      running += change;
      points_.push_back({at_ns, work_ns, running});
    }
  }

  // How many workers ran tasks from one moment to another, on average.
  [[nodiscard]] double workers_in(time_ns from_ns, time_ns to_ns) const {
    return to_ns <= from_ns ? 0 : (work_until(to_ns) - work_until(from_ns)) / static_cast<double>(to_ns - from_ns);
  }

 private:
  struct point {
    time_ns at_ns = 0;
    double work_ns = 0;
    int running = 0;
  };

  [[nodiscard]] double work_until(time_ns at_ns) const {
    const auto after = std::ranges::upper_bound(points_, at_ns, {}, &point::at_ns);
    if (after == points_.begin()) return 0;
    const point& before = *std::prev(after);
    return before.work_ns + static_cast<double>(at_ns - before.at_ns) * before.running;
  }

  std::vector<point> points_;
};

// At most the time between two samples: a recording may hold any number.
time_ns amount_ns(const thread_sample& of, thread_resource which, time_ns most_ns) {
  return static_cast<time_ns>(std::min(of.used[which], static_cast<std::uint64_t>(std::max<time_ns>(most_ns, 0))));
}

time_ns part_of(time_ns whole_ns, time_ns part_ns, time_ns of_ns) {
  return of_ns == 0 ? 0
                    : static_cast<time_ns>(static_cast<double>(whole_ns) * static_cast<double>(part_ns) /
                                           static_cast<double>(of_ns));
}

struct presence_change {
  time_ns at_ns = 0;
  int running = 0;
  double present = 0;
};

class reader {
 public:
  reader(const dag& graph, const trace::recording& from) : graph_{graph}, from_{from} {
    if (from.usage.empty()) return;
    stays_ = stays_of(graph);
    const auto counts = [](const thread_sample& each) { return each.used[thread_resource::cycles] != 0; };
    const auto any_counts = [&](const auto& samples) { return std::ranges::any_of(samples, counts); };
    if (std::ranges::any_of(from.usage, any_counts)) curve_ = work_curve{stays_};
  }

  thread_use run() {
    out_.by_worker.assign(graph_.workers, {});
    out_.by_name.assign(graph_.names.size() + 1, {});
    out_.taken_of_task_ns.assign(graph_.tasks.size(), 0);
    for (std::uint32_t w = 0; w != std::min<std::size_t>(graph_.workers, from_.usage.size()); ++w) read_worker(w);
    for (const thread_time& each : out_.by_worker) {
      out_.all.tasks_ns += each.tasks_ns;
      out_.all.blocked_ns += each.blocked_ns;
      out_.all.taken_ns += each.taken_ns;
      out_.all.waits += each.waits;
      add(out_.all.beside_few, each.beside_few, 1);
      add(out_.all.beside_many, each.beside_many, 1);
    }
    make_steps();
    for (const auto& [key, value] : from_.about.extra) {
      if (key == "processors") (void)std::from_chars(value.data(), value.data() + value.size(), out_.processors);
    }
    return std::move(out_);
  }

 private:
  // The samples of one worker, in step with its tasks and its parks.
  void read_worker(std::uint32_t w) {
    const std::span<const stay> stays = stays_[w];
    const std::span<const trace::event> events = from_.workers[w];
    std::size_t first = 0;
    std::size_t next_event = 0;
    const thread_sample* before = nullptr;
    for (const thread_sample& each : from_.usage[w]) {
      std::uint64_t parks = 0;
      for (; next_event != events.size() && events[next_event].time_ns <= each.at_ns; ++next_event) {
        parks += events[next_event].kind == trace::event_kind::park ? 1u : 0u;
      }
      while (first != stays.size() && before != nullptr && stays[first].end_ns <= before->at_ns) ++first;
      if (each.begins != 0) begin(each);
      else if (before != nullptr) read_interval(w, stays.subspan(first), *before, each, parks);
      before = &each;
    }
  }

  void begin(const thread_sample& each) {
    out_.is_looked_at = true;
    out_.knows_run_queue |= each.used[thread_resource::run_queue_ns] != 0;
    out_.has_counters |= each.used[thread_resource::cycles] != 0 && each.used[thread_resource::instructions] != 0;
  }

  void read_interval(std::uint32_t w, std::span<const stay> stays, const thread_sample& before,
                     const thread_sample& now, std::uint64_t parks) {
    const time_ns length_ns = now.at_ns - before.at_ns;
    inside_.clear();
    time_ns tasks_ns = 0;
    for (const stay& each : stays) {
      if (each.begin_ns >= now.at_ns) break;
      const time_ns stayed_ns = std::min(each.end_ns, now.at_ns) - std::max(each.begin_ns, before.at_ns);
      if (stayed_ns <= 0) continue;
      inside_.push_back({std::max(each.begin_ns, before.at_ns), std::min(each.end_ns, now.at_ns), each.task});
      tasks_ns += stayed_ns;
    }
    const time_ns run_queue_ns = amount_ns(now, thread_resource::run_queue_ns, length_ns);
    const time_ns off_ns = std::max<time_ns>(0, tasks_ns - amount_ns(now, thread_resource::cpu_ns, length_ns));
    const std::uint64_t switches = now.used[thread_resource::voluntary];
    const std::uint64_t waits = tasks_ns == 0 || switches <= parks ? 0 : switches - parks;
    thread_time seen{.tasks_ns = tasks_ns, .waits = waits};
    seen.blocked_ns = waits == 0 ? 0 : std::max<time_ns>(0, off_ns - run_queue_ns);
    seen.taken_ns = off_ns - seen.blocked_ns;
    out_.run_queue_ns += run_queue_ns;
    out_.machine_ns += std::max(run_queue_ns, seen.taken_ns);
    count(seen, before.at_ns, now);
    share_out(w, seen);
  }

  // What the counters say belongs to the tasks when hardly anything else was done meanwhile.
  void count(thread_time& seen, time_ns since_ns, const thread_sample& now) const {
    const time_ns length_ns = now.at_ns - since_ns;
    if (seen.tasks_ns < length_ns - length_ns / 10) return;
    const double workers = curve_.workers_in(since_ns, now.at_ns);
    const double all = graph_.workers;
    counted_work* const into = workers <= std::max(1.25, all / 2)       ? &seen.beside_few
                               : workers >= std::max(1.75, all * 3 / 4) ? &seen.beside_many
                                                                        : nullptr;
    if (into == nullptr) return;
    into->cycles = now.used[thread_resource::cycles];
    into->instructions = now.used[thread_resource::instructions];
    into->cache_misses = now.used[thread_resource::cache_misses];
  }

  static void add(counted_work& into, const counted_work& what, double share) {
    const auto part = [&](std::uint64_t whole) {
      return share == 1 ? whole : static_cast<std::uint64_t>(static_cast<double>(whole) * share);
    };
    into.cycles += part(what.cycles);
    into.instructions += part(what.instructions);
    into.cache_misses += part(what.cache_misses);
  }

  // Among the tasks that ran in the interval, by how long each did. A wait counts for the longest.
  void share_out(std::uint32_t w, const thread_time& seen) {
    thread_time& mine = out_.by_worker[w];
    mine.tasks_ns += seen.tasks_ns;
    mine.blocked_ns += seen.blocked_ns;
    mine.taken_ns += seen.taken_ns;
    mine.waits += seen.waits;
    add(mine.beside_few, seen.beside_few, 1);
    add(mine.beside_many, seen.beside_many, 1);
    if (inside_.empty()) return;
    const double present = 1 - share_of(seen.taken_ns, seen.tasks_ns);
    for (const stay& each : inside_) {
      changes_.push_back({each.begin_ns, 1, present});
      changes_.push_back({each.end_ns, -1, -present});
      thread_time& named = name_of(each.task);
      const time_ns taken_ns = part_of(seen.taken_ns, each.length_ns(), seen.tasks_ns);
      const double share = share_of(each.length_ns(), seen.tasks_ns);
      named.tasks_ns += each.length_ns();
      named.blocked_ns += part_of(seen.blocked_ns, each.length_ns(), seen.tasks_ns);
      named.taken_ns += taken_ns;
      out_.taken_of_task_ns[each.task] += taken_ns;
      add(named.beside_few, seen.beside_few, share);
      add(named.beside_many, seen.beside_many, share);
    }
    name_of(std::ranges::max(inside_, {}, &stay::length_ns).task).waits += seen.waits;
  }

  void make_steps() {
    if (out_.all.tasks_ns != 0) out_.present.usual = 1 - share_of(out_.all.taken_ns, out_.all.tasks_ns);
    std::ranges::sort(changes_, {}, &presence_change::at_ns);
    int running = 0;
    double present = 0;
    for (std::size_t i = 0; i != changes_.size(); ++i) {
      running += changes_[i].running;
      present = running == 0 ? 0 : present + changes_[i].present;
      if (i + 1 != changes_.size() && changes_[i + 1].at_ns == changes_[i].at_ns) continue;
      const double share = running == 0 ? out_.present.usual : std::clamp(present / running, 0.0, 1.0);
      out_.present.steps.push_back({changes_[i].at_ns, share});
    }
  }

  static double share_of(time_ns part_ns, time_ns whole_ns) {
    return part_ns == whole_ns ? 1 : static_cast<double>(part_ns) / static_cast<double>(whole_ns);
  }

  thread_time& name_of(std::uint32_t task) {
    return out_.by_name[std::min<std::size_t>(graph_.tasks[task].name, graph_.names.size())];
  }

  const dag& graph_;
  const trace::recording& from_;
  std::vector<std::vector<stay>> stays_;
  work_curve curve_;
  thread_use out_;
  std::vector<stay> inside_;  // the interval
  std::vector<presence_change> changes_;
};

}  // namespace

thread_use thread_use_of(const dag& graph, const trace::recording& from) { return reader{graph, from}.run(); }

std::vector<omission> omissions_of(const thread_use& threads, const dag& graph, const trace::recording& from) {
  if (from.about.source == "simulation" || graph.work_ns() == 0) return {};
  if (!threads.is_looked_at) {
    return {{"threads",
             "The recording does not hold the threads' use of processors: a task that waits inside the kernel, for a "
             "lock or for a "
             "processor counts as working."}};
  }
  std::vector<omission> out;
  constexpr double k_most_of_it = 0.9;
  const double seen = static_cast<double>(threads.all.tasks_ns) / static_cast<double>(graph.work_ns());
  if (seen < k_most_of_it) {
    out.push_back({"threads", "The threads' use of processors is known for " + percent_text(seen) +
                                  " of the work only; the rest counts as work on a processor."});
  }
  if (!threads.knows_run_queue) {
    out.push_back({"run-queue",
                   "The system does not say how long a thread waits for a processor: in a task that also waits "
                   "inside the kernel, the two waits are not told apart."});
  }
  if (!threads.has_counters) {
    out.push_back({"counters",
                   "The system gives no access to the processor's counters: tasks that share cache lines or wait for "
                   "memory count as computing."});
  } else {
    out.push_back({"shared-lines", "The counters do not say which cache lines threads share: perf c2c does."});
  }
  return out;
}

}  // namespace filch::analysis
