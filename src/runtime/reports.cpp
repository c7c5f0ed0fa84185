#include "reports.hpp"

#include "core.hpp"
#include "task_registry.hpp"

#include <algorithm>
#include <utility>

namespace filch::inline v0 {
namespace {

const char* describe_state(const worker& of) {
  if (of.is_in(worker_state::running)) return "running";
  return of.is_in(worker_state::searching) ? "searching" : "sleeping";
}

// A hint: of workers that sleep now and are woken meanwhile no thread is told, because they end what they run.
bool do_all_sleep(const runtime::core& of) {
  return std::ranges::all_of(of.workers, [](const worker& each) { return each.is_in(worker_state::sleeping); });
}

}  // namespace

filch::statistics statistics_of(const runtime::core& of) {
  filch::statistics out;
  for (const worker& each : of.workers) {
    out.workers.push_back({each.counters.snapshot(), each.queued_hint() + each.queues.pinned_hint()});
  }
  out.submitted_outside = of.admits.unfinished_outside();
  out.injector_length = of.queues->injected_hint();
  out.spare_threads = of.threads->thread_count() - *of.chosen.workers;
  out.stacks = of.stacks->made();
  out.suspended_stacks = of.stacks->suspended();
  out.suspended_stacks_max = of.stacks->suspended_max();
  return out;
}

std::string dump_of(const runtime::core& of) {
  std::string out = "filch runtime \"" + of.chosen.name + "\", ";
  out.append(describe(of.admits.now())).append(", ").append(std::to_string(of.workers.size())).append(" workers, ");
  out.append(std::to_string(of.threads->thread_count())).append(" threads, ");
  out.append(policy::describe(of.search_options)).append("\n");
  out.append("  injector: ").append(std::to_string(of.queues->injected_hint())).append(" tasks\n");
  for (const worker& each : of.workers) {
    out.append("  worker ").append(std::to_string(each.self.value)).append(": ");
    out.append(describe_state(each)).append(", ");
    out.append(each.runs.describe()).append(", queue ").append(std::to_string(each.queued_hint()));
    out.append(", pinned ").append(std::to_string(each.queues.pinned_hint())).append("\n");
  }
  out += of.wakes->sources.describe() + of.waits.describe();
  if (of.tracks_tasks) out += task_registry::the_one().describe(&of);
  return out;
}

void wait_for_the_rest(runtime::core& of, bool is_late) {
  constexpr time_ns k_patience_ns = 250 * k_ns_per_ms;  // guess
  bool is_told = !of.tracks_tasks && !is_late;
  while (!is_told && !of.wait_idle(monotonic_now_ns() + k_patience_ns)) {
    if (!do_all_sleep(of)) continue;
    const std::string tasks = of.tracks_tasks ? task_registry::the_one().describe(&of) : std::string{};
    if (tasks.empty() && !is_late) continue;
    of.report("filch: the shutdown of runtime \"" + of.chosen.name +
              "\" waits for tasks that wait, and no worker has anything to do\n" +
              (of.tracks_tasks ? tasks + of.waits.describe()
                               : "  set options::track_tasks or FILCH_TRACK_TASKS=on to see which\n"));
    is_told = true;
  }
  (void)of.wait_idle(k_never_ns);
}

void report_long_tasks(const runtime::core& of, std::vector<std::uint64_t>& reported) {
  reported.resize(of.workers.size(), task_id::none().value);
  for (const worker& each : of.workers) {
    const current_task::holding now = each.runs.held();
    if (now.number == task_id::none().value || now.held_ns < *of.chosen.watchdog_ns) continue;
    if (std::exchange(reported[each.self.value], now.number) == now.number) continue;
    of.report("filch watchdog: " + each.runs.describe() + " has held worker " + std::to_string(each.self.value) +
              " for " + std::to_string(now.held_ns / k_ns_per_ms) +
              " ms. If it blocks, wrap the call in filch::blocking(); if it computes, split it.\n");
  }
}

}  // namespace filch::inline v0
