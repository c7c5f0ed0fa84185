#include "verdicts.hpp"

#include <algorithm>
#include <base/escape.hpp>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "words.hpp"

namespace filch::analysis {
namespace {

std::string quoted(const std::string& name) {
  std::string out = "'";
  out += escape::shown(name);
  out += "'";
  return out;
}

bool may_be_fine(const task_group& tasks) { return tasks.median_ns <= k_never_fine * k_dearest_task_ns; }

// A task that others wait for, beside those it can be compared with.
struct oversized {
  std::uint32_t task = k_none;
  std::uint64_t others = 0;
  time_ns mean_ns = 0;  // of the others
  bool are_siblings = false;

  [[nodiscard]] double times(const dag& graph) const {
    return findings::ratio(graph.tasks[task].work_ns, std::max<time_ns>(mean_ns, 1));
  }
};

class judge {
 public:
  judge(const findings& found, const dag& graph, const trace::recording& from)
      : found_{found}, graph_{graph}, from_{from}, total_ns_{found.spent.use.total_ns()} {}

  std::vector<verdict> run() {
    if (total_ns_ == 0) return {nothing_found("The recording holds no task that ran.")};
    serial_time();
    few_tasks();
    waits(true);
    waits(false);
    fine_tasks();
    starving();
    if (out_.empty()) {
      out_.push_back(nothing_found("No fault found: the workers ran tasks for " +
                                   percent_text(share_of(found_.spent.use.work_ns)) + " of their time."));
    }
    sort_by_cost(out_);
    return std::move(out_);
  }

 private:
  [[nodiscard]] double share_of(time_ns part_ns) const { return findings::ratio(part_ns, total_ns_); }
  [[nodiscard]] double of_run(time_ns part_ns) const { return findings::ratio(part_ns, found_.makespan_ns); }
  [[nodiscard]] bool is_worth_saying(time_ns cost_ns) const { return share_of(cost_ns) >= k_worth_saying; }
  [[nodiscard]] time_ns idle_beside(time_ns alone_ns) const {
    return alone_ns * static_cast<time_ns>(found_.workers - 1);
  }

  static verdict nothing_found(std::string text) { return {.id = "ok", .text = std::move(text)}; }

  void say(std::string id, fault whose, std::string subject, time_ns cost_ns, std::string text, std::string advice) {
    out_.push_back(
        {std::move(id), whose, std::move(subject), cost_ns, share_of(cost_ns), std::move(text), std::move(advice)});
  }

  // ---- one task runs, the others have none ----

  // The others that `which` can be compared with: siblings that existed at the same time, or else tasks of its name.
  [[nodiscard]] std::optional<oversized> compared(std::uint32_t which) const {
    const task& big = graph_.tasks[which];
    for (const bool siblings : {true, false}) {
      oversized out{.task = which, .are_siblings = siblings};
      time_ns sum_ns = 0;
      for (std::uint32_t i = 0; i != graph_.tasks.size(); ++i) {
        const task& each = graph_.tasks[i];
        if (i == which || each.last == k_none) continue;
        const bool counts = siblings ? is_beside(each, big) : big.name != trace::k_no_detail && each.name == big.name;
        if (!counts) continue;
        ++out.others;
        sum_ns += each.work_ns;
      }
      if (out.others < 2) continue;
      out.mean_ns = sum_ns / static_cast<time_ns>(out.others);
      if (out.times(graph_) >= k_oversized) return out;
    }
    return std::nullopt;
  }

  // A sibling that was there before the other had done half of its run. What is spawned later may be what comes after
  // it.
  [[nodiscard]] bool is_beside(const task& each, const task& big) const {
    const time_ns half_ns = big.started_ns + (end_of(big) - big.started_ns) / 2;
    return each.parent == big.parent && each.spawned_ns < half_ns &&
           end_of(each) > std::max<time_ns>(big.spawned_ns, 0);
  }

  [[nodiscard]] time_ns end_of(const task& which) const { return which.has_ended() ? which.ended_ns : graph_.end_ns; }

  void serial_time() {
    std::vector<task_group> serial = found_.groups;
    std::vector<oversized> large;
    for (std::uint32_t i = 0; i != graph_.tasks.size(); ++i) {
      const time_ns alone_ns = found_.spent.alone_ns[i];
      if (!is_worth_saying(idle_beside(alone_ns))) continue;
      const auto found = compared(i);
      if (!found) continue;
      large.push_back(*found);
      const auto group = std::ranges::find(serial, graph_.tasks[i].name, &task_group::name_id);
      if (group != serial.end()) group->alone_ns -= alone_ns;
    }
    for (const oversized& each : large) say_oversized(each);
    for (const task_group& each : serial) {
      if (is_worth_saying(idle_beside(each.alone_ns))) say_serial(each);
    }
    const time_ns nothing_ns = found_.spent.nothing_ns;
    if (!is_worth_saying(found_.spent.idle_beside_none_ns)) return;
    say("serial-phase", fault::program, "outside the runtime", found_.spent.idle_beside_none_ns,
        percent_text(of_run(nothing_ns)) + " of the run there was no task at all (" + time_text(nothing_ns) +
            "): the program did something else outside the runtime, or waited for input.",
        "Submit more at once, or move that work into tasks.");
  }

  void say_oversized(const oversized& what) {
    const task& big = graph_.tasks[what.task];
    const time_ns alone_ns = found_.spent.alone_ns[what.task];
    const std::string name = graph_.name_of_task(what.task);
    say("oversized-task", fault::program, name, idle_beside(alone_ns),
        "One task " + quoted(name) + " ran " + time_text(big.work_ns) + ", " + number_text(what.times(graph_)) +
            " times as long as its " + std::to_string(what.others) + (what.are_siblings ? " siblings" : " namesakes") +
            " on average (" + time_text(what.mean_ns) + "): " + percent_text(of_run(alone_ns)) +
            " of the run nothing else was left to run.",
        "Split it, or spawn it before the others.");
  }

  void say_serial(const task_group& what) {
    say("serial-phase", fault::program, what.name, idle_beside(what.alone_ns),
        percent_text(of_run(what.alone_ns)) + " of the run only one task was runnable: serial phase in task " +
            quoted(what.name) + " (" + time_text(what.alone_ns) + ").",
        "Split " + quoted(what.name) + ", or let it spawn work earlier.");
  }

  void few_tasks() {
    const time_ns cost_ns = found_.spent.idle_beside_few_ns;
    if (!is_worth_saying(cost_ns)) return;
    say("too-few-tasks", fault::program, "", cost_ns,
        "Workers had nothing to do for " + percent_text(share_of(cost_ns)) +
            " of their time while others ran the last ready tasks: the program has a parallelism of " +
            number_text(found_.parallelism()) + " for " + count_text(found_.workers, "worker") + ".",
        "Cut the work into more tasks, or use fewer workers.");
  }

  // ---- waits ----

  void waits(bool locks) {
    const time_use& use = found_.spent.use;
    const time_ns cost_ns = locks ? use.blocked_lock_ns : use.blocked_outside_ns;
    if (!is_worth_saying(cost_ns)) return;
    time_ns waited_ns = 0;
    std::uint64_t count = 0;
    const waited_for* longest = nullptr;
    for (const waited_for& each : found_.spent.waits) {
      if (each.is_lock != locks) continue;
      waited_ns += each.wait_ns;
      count += each.count;
      if (longest == nullptr) longest = &each;
    }
    if (longest == nullptr) return;
    const std::string_view reason = graph_.text_of(longest->reason);
    const std::string_view name = graph_.text_of(longest->task_name);
    const std::string who = name.empty() ? "tasks without a name" : quoted(std::string{name});
    const std::string lost =
        "For " + percent_text(share_of(cost_ns)) + " of the workers' time nothing could run while ";
    if (locks) {
      const std::string lock = reason.empty() ? std::string{"a lock"} : std::string{reason};
      say("hot-lock", fault::program, lock, cost_ns,
          lost + "tasks waited for " + lock + ": " + count_text(count, "wait") + ", " + time_text(waited_ns) +
              " in all, most of it in " + who + ".",
          "Hold it for less time, or split what it guards.");
      return;
    }
    const std::string where = reason.empty() ? std::string{} : " (" + std::string{reason} + ")";
    say("blocking-call", fault::program, name.empty() ? std::string{reason} : std::string{name}, cost_ns,
        lost + "tasks were blocked outside: " + count_text(count, "wait") + ", " + time_text(waited_ns) +
            " in all, most of it in " + who + where + ".",
        "Start more of these calls at once, or let other tasks run beside them.");
  }

  // ---- sizes ----

  void fine_tasks() {
    time_ns busy_ns = 0;
    for (const task_group& each : found_.groups) busy_ns += each.usual_work_ns + each.handling_ns;
    busy_ns -= found_.spawning_ns;  // it is in the work of those who spawn, and in the handling of what they spawn
    for (const task_group& each : found_.groups) {
      const bool is_fine = findings::ratio(each.handling_ns, each.handling_ns + each.usual_work_ns) >= k_fine;
      const double share = findings::ratio(each.handling_ns, busy_ns);
      if (!is_fine || !may_be_fine(each) || share < k_worth_saying || each.count < 2) continue;
      say("fine-tasks", fault::program, each.name, each.handling_ns,
          "Tasks of name " + quoted(each.name) + " are " + time_text(each.median_ns) + " long (" +
              std::to_string(each.count) + " of them), and handling one takes " +
              time_text(each.handling_per_task_ns()) + ": " + percent_text(share) + " of the busy time.",
          "Merge at least " + std::to_string(each.merge) + " of them into one task.");
      out_.back().share = share;
    }
  }

  // ---- the scheduler ----

  void starving() {
    const time_ns cost_ns = found_.spent.policy_ns;
    if (!is_worth_saying(cost_ns)) return;
    const auto ready = static_cast<std::uint64_t>(std::llround(std::max(1.0, found_.spent.ready_while_policy)));
    const std::string policy = from_.about.policy.empty() ? std::string{} : " (" + from_.about.policy + ")";
    say("starving-policy", fault::scheduler, from_.about.policy, cost_ns,
        "Workers were idle for " + percent_text(share_of(cost_ns)) + " of their time while " +
            count_text(ready, "task") + (ready == 1 ? " was" : " were") + " ready on average: the policy" + policy +
            " let them sleep, or look where there was nothing.",
        "Choose another policy for victims or idle workers: see 'filch policies'.");
  }

  const findings& found_;
  const dag& graph_;
  const trace::recording& from_;
  const time_ns total_ns_;
  std::vector<verdict> out_;
};

}  // namespace

std::uint64_t merge_of(const task_group& tasks) {
  if (tasks.handling_ns == 0 || tasks.count < 2 || !may_be_fine(tasks)) return 1;
  const double mean_ns = std::max(1.0, static_cast<double>(tasks.usual_work_ns) / static_cast<double>(tasks.count));
  const double handling_ns = static_cast<double>(tasks.handling_ns) / static_cast<double>(tasks.count);
  const double wanted = handling_ns * (1 - k_handling_goal) / k_handling_goal / mean_ns;
  return static_cast<std::uint64_t>(std::max(1.0, std::ceil(wanted)));
}

void sort_by_cost(std::vector<verdict>& all) {
  std::ranges::sort(all, {}, [](const verdict& each) {
    return std::tuple{each.whose, -each.cost_ns, std::string_view{each.id}, std::string_view{each.subject}};
  });
}

std::vector<verdict> verdicts_of(const findings& found, const dag& graph, const trace::recording& from) {
  return judge{found, graph, from}.run();
}

}  // namespace filch::analysis
