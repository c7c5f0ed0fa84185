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
  time_ns work_ns = 0;
  time_ns mean_ns = 0;  // of the others
  bool are_siblings = false;

  [[nodiscard]] double times() const { return findings::ratio(work_ns, std::max<time_ns>(mean_ns, 1)); }
};

class judge {
 public:
  judge(const findings& found, const dag& graph, const trace::recording& from)
      : found_{found},
        graph_{graph},
        from_{from},
        total_ns_{found.spent.use.total_ns()},
        own_total_ns_{own_total_ns(found)} {}

  std::vector<verdict> run() {
    if (total_ns_ == 0) return {no_work()};
    serial_time();
    few_tasks();
    waits(true);
    waits(false);
    fine_tasks();
    blocked_in_kernel();
    memory_bound();
    starving();
    busy_machine();
    if (out_.empty()) out_.push_back(nothing_found(no_fault_text()));
    sort_by_cost(out_);
    return std::move(out_);
  }

 private:
  // Of the workers' time without the machine's part; of all of it.
  [[nodiscard]] double share_of(time_ns own_ns) const { return findings::ratio(own_ns, own_total_ns_); }
  [[nodiscard]] double share_of_all(time_ns part_ns) const { return findings::ratio(part_ns, total_ns_); }
  [[nodiscard]] double of_run(time_ns part_ns) const { return findings::ratio(part_ns, found_.makespan_ns); }
  [[nodiscard]] bool is_worth_saying(time_ns own_ns) const { return share_of(own_ns) >= k_worth_saying; }
  [[nodiscard]] time_ns idle_beside(time_ns alone_ns) const {
    return alone_ns * static_cast<time_ns>(found_.workers - 1);
  }

  [[nodiscard]] std::string no_fault_text() const {
    std::string out = "No fault found: the workers ran tasks for " +
                      percent_text(share_of_all(found_.spent.use.work_ns)) + " of their time";
    const thread_time& seen = found_.threads.all;
    if (seen.tasks_ns != 0) {
      out += ", " + percent_text(findings::ratio(seen.on_cpu_ns(), seen.tasks_ns)) + " of that on a processor";
    }
    return out + ".";
  }

  // ---- what a busy machine explains ----

  // Of a task, without what was taken from its thread.
  [[nodiscard]] time_ns own_work_ns(std::uint32_t which) const {
    return std::max<time_ns>(0, graph_.tasks[which].work_ns - found_.threads.taken_of_task_ns[which]);
  }
  // A task that was delayed before may be alone for that reason only: unless it is larger than others, all that was
  // taken from it counts.
  [[nodiscard]] time_ns alone_without_delay_ns(std::uint32_t which) const {
    const time_ns left_ns = found_.spent.alone_ns[which] - found_.threads.taken_of_task_ns[which];
    return std::clamp<time_ns>(left_ns, 0, found_.spent.own_alone_ns[which]);
  }
  // What is left of the workers' time without the machine's part in tasks and in the idle time beside them.
  [[nodiscard]] static time_ns own_total_ns(const findings& found) {
    const time_use& use = found.spent.use;
    const auto own_idle_ns = static_cast<time_ns>(found.spent.own_ns.any);
    return std::max<time_ns>(1, use.busy_ns() - found.threads.all.taken_ns + own_idle_ns);
  }
  // A cost without the machine's part; 0: not worth reporting.
  [[nodiscard]] time_ns own_cost_ns(time_ns cost_ns, double own_ns, std::string_view id) {
    const auto left_ns = static_cast<time_ns>(own_ns);
    if (is_worth_saying(left_ns)) return left_ns;
    if (share_of_all(cost_ns) >= k_worth_saying) explain(id, cost_ns);
    return 0;
  }
  void explain(std::string_view id, time_ns cost_ns) {
    explained_ns_ = std::max(explained_ns_, cost_ns);
    if (std::ranges::find(explained_, id) == explained_.end()) explained_.push_back(id);
  }

  static verdict nothing_found(std::string text) { return {.id = "ok", .text = std::move(text)}; }
  static verdict no_work() { return {.id = "no-work", .text = "No task of the recording took any time."}; }

  void say(std::string id, fault whose, std::string subject, time_ns cost_ns, std::string text, std::string advice) {
    out_.push_back(
        {std::move(id), whose, std::move(subject), cost_ns, share_of(cost_ns), std::move(text), std::move(advice)});
  }

  // ---- one task runs, the others have none ----

  // The others that `which` can be compared with: siblings that existed at the same time, or else tasks of its name.
  [[nodiscard]] std::optional<oversized> compared(std::uint32_t which) const {
    const task& big = graph_.tasks[which];
    for (const bool siblings : {true, false}) {
      oversized out{.task = which, .work_ns = own_work_ns(which), .are_siblings = siblings};
      time_ns sum_ns = 0;
      for (std::uint32_t i = 0; i != graph_.tasks.size(); ++i) {
        const task& each = graph_.tasks[i];
        if (i == which || each.last == k_none) continue;
        const bool counts = siblings ? is_beside(each, big) : big.name != trace::k_no_detail && each.name == big.name;
        if (!counts) continue;
        ++out.others;
        sum_ns += own_work_ns(i);
      }
      if (out.others < 2) continue;
      out.mean_ns = sum_ns / static_cast<time_ns>(out.others);
      if (out.times() >= k_oversized) return out;
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
    std::vector<time_ns> alone_ns(graph_.names.size() + 1);  // by name, without the large tasks
    std::vector<oversized> large;
    for (std::uint32_t i = 0; i != graph_.tasks.size(); ++i) {
      time_ns& of_name_ns = alone_ns[std::min<std::size_t>(graph_.tasks[i].name, graph_.names.size())];
      const auto found = is_worth_saying(idle_beside(found_.spent.own_alone_ns[i])) ? compared(i) : std::nullopt;
      if (found) large.push_back(*found);
      else of_name_ns += alone_without_delay_ns(i);
    }
    for (const oversized& each : large) say_oversized(each);
    for (const task_group& each : found_.groups) {
      const time_ns own_ns = alone_ns[std::min<std::size_t>(each.name_id, graph_.names.size())];
      if (is_worth_saying(idle_beside(own_ns))) say_serial(each, own_ns);
      else if (large.empty() && share_of_all(idle_beside(each.alone_ns)) >= k_worth_saying)
        explain("serial-phase", idle_beside(each.alone_ns));
    }
    nothing_to_run();
  }

  void nothing_to_run() {
    const time_ns nothing_ns = found_.spent.nothing_ns;
    const time_ns cost_ns =
        own_cost_ns(found_.spent.idle_beside_none_ns, found_.spent.own_ns.beside_none, "serial-phase");
    if (cost_ns == 0) return;
    say("serial-phase", fault::program, "outside the runtime", cost_ns,
        percent_text(of_run(nothing_ns)) + " of the run no task existed (" + time_text(nothing_ns) +
            "): the program did serial work outside the runtime, or waited for input.",
        "Submit more at once, or move that work into tasks.");
  }

  void say_oversized(const oversized& what) {
    const time_ns alone_ns = found_.spent.own_alone_ns[what.task];
    const std::string name = graph_.name_of_task(what.task);
    say("oversized-task", fault::program, name, idle_beside(alone_ns),
        "One task " + quoted(name) + " ran " + time_text(what.work_ns) + ", " + number_text(what.times()) +
            " times as long as its " + std::to_string(what.others) + (what.are_siblings ? " siblings" : " namesakes") +
            " on average (" + time_text(what.mean_ns) + "): " + percent_text(of_run(alone_ns)) +
            " of the run no other task was left.",
        "Split it, or spawn it before the others.");
  }

  void say_serial(const task_group& what, time_ns alone_ns) {
    say("serial-phase", fault::program, what.name, idle_beside(alone_ns),
        percent_text(of_run(alone_ns)) + " of the run only one task was ready: serial phase in task " +
            quoted(what.name) + " (" + time_text(alone_ns) + ").",
        "Split " + quoted(what.name) + ", or let it spawn work earlier.");
  }

  void few_tasks() {
    const time_ns cost_ns =
        own_cost_ns(found_.spent.idle_beside_few_ns, found_.spent.own_ns.beside_few, "too-few-tasks");
    if (cost_ns == 0) return;
    say("too-few-tasks", fault::program, "", cost_ns,
        "Workers had no task for " + percent_text(share_of(cost_ns)) +
            " of their time while others ran the last ready tasks: the program has a parallelism of " +
            number_text(found_.parallelism()) + " for " + count_text(found_.workers, "worker") + ".",
        "Divide the work into more tasks, or use fewer workers.");
  }

  // ---- waits ----

  void waits(bool locks) {
    const time_use& use = found_.spent.use;
    const time_ns cost_ns = locks ? own_cost_ns(use.blocked_lock_ns, found_.spent.own_ns.lock, "hot-lock")
                                  : own_cost_ns(use.blocked_outside_ns, found_.spent.own_ns.outside, "blocking-call");
    if (cost_ns == 0) return;
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
        "For " + percent_text(share_of(cost_ns)) + " of the workers' time no task could run while ";
    if (locks) {
      const std::string lock = reason.empty() ? std::string{"a lock"} : std::string{reason};
      say("hot-lock", fault::program, lock, cost_ns,
          lost + "tasks waited for " + lock + ": " + count_text(count, "wait") + ", " + time_text(waited_ns) +
              " in all, most of it in " + who + ".",
          "Hold it for less time, or split the data that it guards.");
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
    busy_ns -= found_.spawning_ns;  // it is in the work of the parents, and in the handling of the children
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
    const time_ns cost_ns = own_cost_ns(found_.spent.policy_ns, found_.spent.own_ns.policy, "starving-policy");
    if (cost_ns == 0) return;
    const auto ready = static_cast<std::uint64_t>(std::llround(std::max(1.0, found_.spent.ready_while_policy)));
    const std::string policy = from_.about.policy.empty() ? std::string{} : " (" + from_.about.policy + ")";
    say("starving-policy", fault::scheduler, from_.about.policy, cost_ns,
        "Workers were idle for " + percent_text(share_of(cost_ns)) + " of their time while " +
            count_text(ready, "task") + (ready == 1 ? " was" : " were") + " ready on average: the policy" + policy +
            " let them sleep, or search queues without tasks.",
        "Choose another policy for victims or idle workers: see 'filch policies'.");
  }

  // ---- the threads ----

  void blocked_in_kernel() {
    const thread_use& threads = found_.threads;
    const time_ns cost_ns = threads.all.blocked_ns;
    if (!is_worth_saying(cost_ns)) return;
    const auto& most = std::ranges::max(found_.groups, {}, &task_group::blocked_ns);
    say("blocked-in-kernel", fault::program, most.name, cost_ns,
        "For " + percent_text(share_of(cost_ns)) + " of the workers' time their threads slept in the kernel inside " +
            "tasks: of " + time_text(threads.all.tasks_ns) + " in tasks they were on a processor for " +
            time_text(threads.all.on_cpu_ns()) + ", and waited " + count_text(threads.all.waits, "time") + " (" +
            time_text(cost_ns) + "), most of it in " + quoted(most.name) + " (" + time_text(most.blocked_ns) +
            "). A read, a sleep or a std::mutex does that.",
        "Wait with filch's own timers, channels and mutex, or put the call into filch::blocking.");
  }

  // The same tasks beside few and beside many others: the difference comes from what they share, not from the program.
  void memory_bound() {
    const trace::name_entry* worst = nullptr;
    double factor = k_inflated;
    time_ns cost_ns = 0;
    const thread_time* seen = nullptr;
    for (std::size_t i = 0; i != graph_.names.size(); ++i) {
      const thread_time& each = found_.threads.by_name[i];
      constexpr std::uint64_t k_enough = 10'000'000;  // instructions
      if (std::min(each.beside_few.instructions, each.beside_many.instructions) < k_enough) continue;
      const double now = each.beside_many.cycles_each() / each.beside_few.cycles_each();
      if (!(now >= k_inflated)) continue;
      const auto lost_ns = static_cast<time_ns>(static_cast<double>(each.on_cpu_ns()) * (1 - 1 / now));
      cost_ns += lost_ns;
      if (worst != nullptr && now <= factor) continue;
      worst = &graph_.names[i];
      factor = now;
      seen = &each;
    }
    if (worst == nullptr || !is_worth_saying(cost_ns)) return;
    say("memory-bound", fault::program, worst->text, cost_ns,
        "An instruction of " + quoted(worst->text) + " took " + number_text(seen->beside_many.cycles_each()) +
            " cycles while most workers ran tasks, and " + number_text(seen->beside_few.cycles_each()) +
            " while few did: tasks wait for memory, or for cache lines that several of them write. The counters do not "
            "say which.",
        "Put data that different tasks write on different cache lines (64 bytes); let a task reuse loaded data "
        "again.");
  }

  // ---- the machine ----

  void busy_machine() {
    const thread_use& threads = found_.threads;
    if (share_of_all(threads.machine_ns) < k_worth_saying && explained_.empty()) return;
    const bool has_more_workers = threads.processors != 0 && found_.workers > threads.processors;
    std::string text = "For " + percent_text(share_of_all(threads.machine_ns)) + " of the workers' time (" +
                       time_text(threads.machine_ns) + ") their threads were ready to run and had no processor: ";
    text += has_more_workers
                ? count_text(found_.workers, "worker") + " shared " + count_text(threads.processors, "processor") + "."
                : "other programs ran as well.";
    for (std::size_t i = 0; i != explained_.size(); ++i) {
      text += i == 0 ? " That alone explains what looks like " : i + 1 == explained_.size() ? " and " : ", ";
      text += explained_[i];
    }
    if (!explained_.empty()) text += ": up to " + percent_text(share_of_all(explained_ns_)) + " of the workers' time.";
    say("busy-machine", fault::machine, "", threads.machine_ns, std::move(text),
        has_more_workers ? "Use no more workers than processors, and record again."
                         : "Record again when no other program runs.");
    out_.back().share = share_of_all(threads.machine_ns);
  }

  const findings& found_;
  const dag& graph_;
  const trace::recording& from_;
  const time_ns total_ns_;
  const time_ns own_total_ns_;
  std::vector<verdict> out_;
  std::vector<std::string_view> explained_;  // verdicts that a busy machine alone explains
  time_ns explained_ns_ = 0;                 // the most expensive of them
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
