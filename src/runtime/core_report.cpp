// What a runtime tells about itself: statistics, dumps, and tasks that hold a worker too long.
#include "base/escape.hpp"
#include "core.hpp"
#include "task_registry.hpp"

#include <cstdio>

namespace filch::inline v0 {
namespace {

std::string describe_task(const worker& of) {
  const std::uint64_t number = of.task_number.load(std::memory_order_relaxed);  // statistic
  if (number == task_id::none().value) return "no task";
  const char* const name = of.task_name.load(std::memory_order_relaxed);  // statistic
  std::string text = "task ";
  text += std::to_string(number);
  if (name != nullptr) text.append(" (").append(escape::shown(name)).append(")");
  return text;
}

const char* describe_state(worker_state state) {
  switch (state) {
    case worker_state::running:
      return "running";
    case worker_state::searching:
      return "searching";
    case worker_state::sleeping:
      return "sleeping";
  }
  return "?";
}

const char* describe_life(life now) {
  switch (now) {
    case life::open:
      return "open";
    case life::draining:
      return "draining";
    case life::cancelling:
      return "cancelling";
    case life::stopped:
      return "stopped";
  }
  return "?";
}

}  // namespace

filch::statistics runtime::core::statistics() const {
  filch::statistics out;
  for (const worker& each : workers) {
    out.workers.push_back({each.counters.snapshot(), each.queued_hint() + each.queues.pinned_hint()});
  }
  out.submitted_outside = outside_books_.made_so_far() - outside_books_.finished_so_far();
  for (std::size_t i = 0; i != policy::k_priorities; ++i) out.injector_length += injectors_[i].size_hint();
  out.spare_threads = crew_->thread_count() - *chosen.workers;
  out.stacks = stacks_->made();
  out.suspended_stacks = stacks_->suspended();
  out.suspended_stacks_max = stacks_->suspended_max();
  return out;
}

std::string runtime::core::dump() const {
  std::string out = "filch runtime \"" + chosen.name + "\", ";
  out.append(describe_life(life_now())).append(", ").append(std::to_string(workers.size())).append(" workers, ");
  out.append(std::to_string(crew_->thread_count())).append(" threads, ");
  out.append(policy::describe(search_options)).append("\n");
  std::uint64_t injected = 0;
  for (std::size_t i = 0; i != policy::k_priorities; ++i) injected += injectors_[i].size_hint();
  out.append("  injector: ").append(std::to_string(injected)).append(" tasks\n");
  for (const worker& each : workers) {
    out.append("  worker ").append(std::to_string(each.self.value)).append(": ");
    out.append(describe_state(each.state.load(std::memory_order_relaxed))).append(", ");  // hint
    out.append(describe_task(each)).append(", queue ").append(std::to_string(each.queued_hint()));
    out.append(", pinned ").append(std::to_string(each.queues.pinned_hint())).append("\n");
  }
  out += sources.describe() + waits.describe();
  if (tracks_tasks) out += task_registry::the_one().describe(this);
  return out;
}

// A hint: of workers that sleep now and are woken meanwhile nobody is told, because they end what they run.
bool runtime::core::all_sleep() const {
  for (const worker& each : workers) {
    if (each.state.load(std::memory_order_relaxed) != worker_state::sleeping) return false;  // hint
  }
  return true;
}

// Tells once if what is left waits while no worker has anything to do.
void runtime::core::wait_for_the_rest(bool is_late) {
  constexpr time_ns k_patience_ns = 250 * k_ns_per_ms;  // guess
  bool is_told = !tracks_tasks && !is_late;
  while (!is_told && !wait_idle(monotonic_now_ns() + k_patience_ns)) {
    if (!all_sleep()) continue;
    const std::string tasks = tracks_tasks ? task_registry::the_one().describe(this) : std::string{};
    if (tasks.empty() && !is_late) continue;
    report("filch: the shutdown of runtime \"" + chosen.name +
           "\" waits for tasks that wait, and no worker has anything to do\n" +
           (tracks_tasks ? tasks + waits.describe()
                         : "  set options::track_tasks or FILCH_TRACK_TASKS=on to see which\n"));
    is_told = true;
  }
  (void)wait_idle(k_never_ns);
}

void runtime::core::report(const std::string& text) const {
  if (chosen.on_report) {
    chosen.on_report(text);
  } else {
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  }
}

// The watchdog's thread.
void runtime::core::report_long_tasks() {
  reported_tasks_.resize(workers.size(), task_id::none().value);
  const time_ns now_ns = monotonic_now_ns();
  for (const worker& each : workers) {
    // [R11] acquire load: the beginning below is this task's or a later one's ← [R10].
    const std::uint64_t number = each.task_number.load(std::memory_order_acquire);
    const time_ns held_ns = now_ns - each.task_since_ns.load(std::memory_order_relaxed);  // ordered by [R11]
    if (number == task_id::none().value || held_ns < *chosen.watchdog_ns) continue;
    if (std::exchange(reported_tasks_[each.self.value], number) == number) continue;
    report("filch watchdog: " + describe_task(each) + " has held worker " + std::to_string(each.self.value) + " for " +
           std::to_string(held_ns / k_ns_per_ms) +
           " ms. If it blocks, wrap the call in filch::blocking(); if it computes, split it.\n");
  }
}

}  // namespace filch::inline v0
