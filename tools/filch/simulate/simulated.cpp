#include "simulated.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "../plan.hpp"
#include "../text.hpp"

namespace filch::tool {
namespace {

using trace::event;
using trace::event_kind;

// How many tasks lie in each worker's queues at the end of a run that did not complete.
std::vector<std::uint64_t> left_in_queues(const trace::recording& of) {
  std::unordered_map<std::uint64_t, std::uint32_t> waiting;  // task → worker
  for (const event& e : of.outside) {
    if (e.kind == event_kind::inject && e.detail != trace::k_no_detail) waiting[e.task] = e.detail;
  }
  for (const auto& events : of.workers) {
    for (const event& e : events) {
      if (e.kind == event_kind::spawn) waiting[e.task] = e.worker;
    }
  }
  for (const auto& events : of.workers) {
    for (const event& e : events) {
      if (e.kind == event_kind::start) waiting.erase(e.task);
    }
  }
  std::vector<std::uint64_t> out(of.workers.size());
  for (const auto& [task, worker] : waiting) ++out[worker];
  return out;
}

}  // namespace

void name_tasks(trace::recording& in) {
  struct named {
    std::string name;
    std::uint32_t children = 0;
  };
  std::unordered_map<std::uint64_t, named> known;
  std::uint32_t roots = 0;
  const auto give = [&](event& e, std::string name) {
    e.detail = static_cast<std::uint32_t>(in.names.size());
    in.names.push_back({.text = name});
    known[e.task].name = std::move(name);
  };
  for (event& e : in.outside) {
    if (e.kind == event_kind::spawn && e.detail == trace::k_no_detail) give(e, numbered("T", ++roots));
  }
  // Children come after their parents in time, not in the lists: give names in the order of the tasks' numbers.
  std::vector<event*> spawns;
  for (auto& events : in.workers) {
    for (event& e : events) {
      if (e.kind == event_kind::spawn && e.detail == trace::k_no_detail) spawns.push_back(&e);
    }
  }
  std::ranges::sort(spawns, {}, [](const event* e) { return e->task; });
  for (event* const e : spawns) {
    named& parent = known[e->argument];
    give(*e, parent.name + "." + std::to_string(parent.children++));
  }
}

simulated_run simulate_once(const scenario::document& what, std::uint64_t seed, bool is_recorded) {
  simulated_run out;
  executed_plan& done = out.done;
  trace::recording* const record = is_recorded ? &done.recording : nullptr;
  if (std::holds_alternative<scenario::sharing_load>(what.workload)) {
    out.sharing = scenario::run_sharing(what, seed, record);
    out.result = out.sharing->run;
  } else {
    out.result = scenario::run(what, seed, record);
  }
  const sim::run_result& result = out.result;
  done.is_simulated = true;
  done.workers = what.worker_count();
  done.work_ns = result.total_use().work_ns + result.outside.work_ns;
  done.wall_ns = result.makespan_ns;
  const std::vector<std::uint64_t> left =
      result.is_complete || !is_recorded ? std::vector<std::uint64_t>(done.workers) : left_in_queues(done.recording);
  for (std::uint32_t w = 0; w != done.workers; ++w) {
    const trace::count_values& counts = result.counts[w];
    done.executed.push_back(counts[trace::count::executed]);
    done.tasks += counts[trace::count::executed];
    done.busy_ns.push_back(result.use[w].busy_ns());
    done.statistics.workers.push_back({.counts = counts, .queue_length = left[w]});
  }
  done.statistics.submitted_outside = result.tasks - result.total_counts()[trace::count::spawned];
  if (!is_recorded) {
    done.recording.about.workers = done.workers;
    done.recording.workers.resize(done.workers);
    return out;
  }
  name_tasks(done.recording);
  done.recording.about.version = FILCH_VERSION;
  done.recording.about.extra.emplace_back("workload", what.name);
  return out;
}

}  // namespace filch::tool
