#include "outlook.hpp"

#include <algorithm>
#include <cmath>
#include <filch/sim/theory.hpp>
#include <iostream>
#include <map>

#include "../text.hpp"

namespace filch::tool {
namespace {

double mean_ns(const sim::lengths& of) {
  switch (of.what) {
    case sim::lengths::kind::constant:
    case sim::lengths::kind::exponential:
      break;
    case sim::lengths::kind::uniform:
      return (static_cast<double>(of.low_ns) + static_cast<double>(of.high_ns)) / 2;
    case sim::lengths::kind::listed: {
      double sum = 0;
      for (const time_ns one : of.listed_ns) sum += static_cast<double>(one);
      return of.listed_ns.empty() ? 0 : sum / static_cast<double>(of.listed_ns.size());
    }
  }
  return static_cast<double>(of.low_ns);
}

// Tasks that arrive again and again at some workers.
struct stream {
  double rate = 0;  // tasks per ns
  double work = 0;  // ns of it per ns: how many workers it keeps busy
  double span_ns = 0;
  bool is_random = false;  // lengths or times

  stream& operator+=(const stream& other) {
    rate += other.rate;
    work += other.work;
    span_ns = std::max(span_ns, other.span_ns);
    is_random = is_random || other.is_random;
    return *this;
  }
};

// Rate 0: the group is there at once, or at listed times.
stream stream_of(const sim::task_group& group) {
  using kind = sim::arrival_times::kind;
  const kind how = group.arrives.what;
  if (how == kind::at_once || how == kind::listed || group.arrives.gap_ns == 0) return {};
  const std::uint64_t size = how == kind::bursts ? group.arrives.size : 1;
  if (group.count <= size) return {};
  const auto gap_ns = static_cast<double>(group.arrives.gap_ns);
  stream out{.rate = static_cast<double>(size) / gap_ns};
  out.work = out.rate * mean_ns(group.length);
  out.span_ns = static_cast<double>(group.count) / out.rate;
  out.is_random = how != kind::every || group.length.what != sim::lengths::kind::constant;
  return out;
}

std::string busy_text(const std::string& who, double load) {
  return "the arrivals keep " + who + " busy for " + fixed(100 * load, 1) + " % of the time";
}

std::string span_text(double span_ns) { return duration_text(span_ns / static_cast<double>(k_ns_per_s)); }

// The part of the settling time that a stream lasts; 0: it brings more work than the workers can do.
struct finding {
  double part = 1;
  std::string text{};
};

finding look_at(const stream& of, std::uint32_t workers, const std::string& who) {
  const double load = of.work / workers;
  if (load >= 1) {
    return {0, "Never settled: " + busy_text(who, load) + ", so waits grow for as long as tasks arrive."};
  }
  if (!of.is_random || load <= 0) return {};
  const double needed_ns = of.work / of.rate * sim::theory::shared_queue_settling_time(load, workers);
  if (of.span_ns >= needed_ns) return {};
  return {of.span_ns / needed_ns,
          "Not settled: " + busy_text(who, load) + ". From empty queues it takes about " + span_text(needed_ns) +
              " until waits are those of a steady state, and tasks "
              "arrive for " +
              span_text(of.span_ns) + ": the waits hold for this run, not for continuing arrivals."};
}

void look_at_streams(const scenario::tasks_load& load, std::uint32_t workers, outlook& into) {
  stream all;
  std::map<std::uint32_t, stream> of_worker;
  for (const sim::task_group& group : load.groups) {
    const stream one = stream_of(group);
    if (one.rate == 0) continue;
    all += one;
    if (group.where.what == sim::target::kind::pinned) of_worker[group.where.worker.value] += one;
  }
  if (all.rate == 0) return;
  finding worst = look_at(all, workers, count_text(workers, "worker"));
  for (const auto& [worker, of] : of_worker) {
    finding one = look_at(of, 1, "worker " + std::to_string(worker));
    if (one.part < worst.part) worst = std::move(one);
  }
  into.settled = worst.text.empty();
  into.unsettled = std::move(worst.text);
}

std::string endless_text(const sim::branching_options& of) {
  const double children = sim::mean_children(of);
  if (children < 1) return "";
  const double ends = sim::theory::branching_end_probability(of.roots, of.probability, of.most_children);
  const std::string so = ends < 1 ? "its tasks never end with a probability of " + fixed(100 * (1 - ends), 1) + " %"
                                  : "there is no mean number of tasks"s;
  return "Each task has "s + fixed(children, 2) + " children on average, so " + so + ": a run is cut off at " +
         std::to_string(scenario::k_most_endless_tasks) + " tasks.";
}

}  // namespace

outlook outlook_of(const scenario::document& what) {
  outlook out;
  if (const auto* tasks = std::get_if<scenario::tasks_load>(&what.workload)) {
    look_at_streams(*tasks, what.worker_count(), out);
  } else if (const auto* branching = std::get_if<scenario::branching_load>(&what.workload)) {
    out.endless = endless_text(branching->options);
  }
  return out;
}

void say_at_once(const std::string& sentence, bool as_json) {
  if (as_json) {
    std::cerr << "filch: " << sentence << "\n";
    return;
  }
  std::cout << wrapped(sentence) << "\n";
  std::cout.flush();
}

std::string_view name_of(sim::run_end end) {
  switch (end) {
    case sim::run_end::complete:
      return "complete";
    case sim::run_end::until:
      return "until";
    case sim::run_end::task_limit:
      return "task_limit";
    case sim::run_end::event_limit:
      return "event_limit";
    case sim::run_end::stuck:
      break;
  }
  return "stuck";
}

bool is_cut_off(sim::run_end end) { return end == sim::run_end::task_limit || end == sim::run_end::event_limit; }

std::string limits_text(const scenario::document& what) {
  return "allowed are " + std::to_string(scenario::most_tasks(what)) + " tasks and " +
         std::to_string(scenario::k_most_events) + " events per run";
}

std::string limit_text(const scenario::document& what, sim::run_end end) {
  if (end == sim::run_end::event_limit) return std::to_string(scenario::k_most_events) + " events";
  return std::to_string(scenario::most_tasks(what)) + " tasks";
}

}  // namespace filch::tool
