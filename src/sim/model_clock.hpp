// The clock and the books of a run.
#pragma once

#include "model.hpp"

#include <filch/base/assert.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace filch::inline v0::sim {

template <class Trace>
model<Trace>::model(const machine_model& machine, const policy::search_options& policy, workload& load,
                    const run_options& options)
    : machine_{machine},
      policy_{policy},
      load_{load},
      options_{options},
      has_migration_{!machine.costs.migration_ns.empty()},
      has_disturbances_{!machine.disturbances.empty()},
      stealable_(machine.workers),
      sleepers_{machine.workers},
      wakes_{policy.wake},
      wake_random_{random_stream{options.seed}.split(std::uint64_t{UINT32_MAX} + 2)},
      placement_{policy.placement, machine.workers},
      placement_random_{random_stream{options.seed}.split(std::uint64_t{UINT32_MAX} + 1)},
      outside_{recorder_for(worker_id::none())} {
  if (policy.victims == policy::victims::largest && machine.workers > policy::victim_order::k_most_listed) {
    most_loaded_.emplace(machine.workers, 0u);
  }
  if (policy.placement == policy::placement::least_loaded) least_loaded_.emplace(machine.workers, UINT32_MAX);
  is_ranked_ = most_loaded_ || least_loaded_;
  if (machine.distances.workers() == 0) {
    make_workers(policy::equal_distances{});
  } else {
    make_workers([&machine](worker_id a, worker_id b) { return machine.distance(a, b); });
  }
}

template <class Trace>
template <class Distance>
void model<Trace>::make_workers(const Distance& distance) {
  workers_.reserve(machine_.workers);
  for (std::uint32_t w = 0; w != machine_.workers; ++w) {
    policy::search search{policy_, worker_id{w}, machine_.workers, distance, random_stream{options_.seed}.split(w)};
    workers_.emplace_back(std::move(search), recorder_for(worker_id{w}));
  }
}

template <class Trace>
Trace model<Trace>::recorder_for(worker_id who) {
  if constexpr (std::is_same_v<Trace, trace::virtual_recorder>) {
    auto& recording = *options_.record;
    return Trace{who, now_ns_, who.is_some() ? recording.workers[who.value] : recording.outside};
  } else {
    return Trace();
  }
}

template <class Trace>
run_result model<Trace>::run() {
  has_arrival_ = load_.next_arrival(next_arrival_);
  while (has_arrival_ && !is_done_ && next_arrival_.at_ns <= 0) {
    place(next_arrival_);
    has_arrival_ = load_.next_arrival(next_arrival_);
  }
  schedule_arrivals();
  end_if_done();
  if (!is_done_) {
    start_workers();
    loop();
  }
  return results();
}

template <class Trace>
void model<Trace>::start_workers() {
  for (auto& w : workers_) {
    w.search.begin();
    pause(w, state::looking, activity::overhead, 0);
  }
}

template <class Trace>
void model<Trace>::loop() {
  const auto arrivals = static_cast<std::uint32_t>(workers_.size());
  while (!is_done_ && !pending_.is_empty()) {
    if (pending_.top().at_ns > options_.until_ns) {
      now_ns_ = options_.until_ns;
      return;
    }
    const auto next = pending_.take_top();
    if (next.what == arrivals) {
      now_ns_ = next.at_ns;
      take_arrivals();
      continue;
    }
    auto& w = workers_[next.what];
    if (w.awaited != next.ticket) continue;
    now_ns_ = next.at_ns;
    if (++events_ > options_.most_events) [[unlikely]]
      return stop(run_end::event_limit);
    go_on(w);
  }
  // Nothing is pending, though there are tasks.
  if (!is_done_) end_ = run_end::stuck;
}

// The worker's time since the last entry goes into its books.
template <class Trace>
void model<Trace>::charge(sim_worker& w) {
  const time_ns elapsed_ns = now_ns_ - std::exchange(w.since_ns, now_ns_);
  const time_ns owed_ns = std::min(w.owed_ns, elapsed_ns);
  w.owed_ns -= owed_ns;
  w.spent[static_cast<std::size_t>(activity::overhead)] += owed_ns;
  time_ns spent_ns = elapsed_ns - owed_ns;
  if (w.does == activity::park && w.linger_ns != 0) {
    const time_ns lingered_ns = std::min(w.linger_ns, spent_ns);
    w.linger_ns -= lingered_ns;
    w.spent[static_cast<std::size_t>(activity::wait)] += lingered_ns;
    spent_ns -= lingered_ns;
  }
  w.spent[static_cast<std::size_t>(w.does)] += spent_ns;
}

// The worker does this for so long, after what it owes.
template <class Trace>
typename model<Trace>::then model<Trace>::pause(sim_worker& w, state at, activity does, time_ns span_ns) {
  FILCH_ASSERT(span_ns >= 0 && span_ns <= k_never_ns / 2 - now_ns_ - w.owed_ns, span_ns, now_ns_);
  enter(w, at);
  w.does = does;
  w.awaited = pending_.push(now_ns_ + w.owed_ns + span_ns, id_of(w).value);
  return then::pause;
}

// Changes the state, and counts those that may yet make work for others.
template <class Trace>
void model<Trace>::enter(sim_worker& w, state at) {
  w.at = at;
  set_busy(w, at == state::running || at == state::carrying || at == state::waking);
}

template <class Trace>
void model<Trace>::set_busy(sim_worker& w, bool is_busy) {
  if (w.is_busy == is_busy) return;
  w.is_busy = is_busy;
  is_busy ? ++busy_ : --busy_;
}

template <class Trace>
void model<Trace>::go_on(sim_worker& w) {
  charge(w);
  then now = then::look;
  switch (w.at) {
    case state::running:
      now = then::run;
      break;
    case state::carrying:
      begin_task(w);
      now = then::run;
      break;
    case state::waking:
      w.trace.wake();
      w.search.woken();
      break;
    case state::looking:
    case state::waiting:
      break;
    case state::blocked:
      unblock(w);
      now = then::run;
      break;
    case state::parked:
      FILCH_ASSERT(false, id_of(w));
  }
  if (now == then::look && has_kept_ready(w)) now = go_on_with_kept(w);
  while (now != then::pause && !is_done_) now = now == then::run ? advance(w) : look(w);
}

template <class Trace>
run_result model<Trace>::results() {
  run_result out{.makespan_ns = now_ns_,
                 .is_complete = end_ == run_end::complete,
                 .end = end_,
                 .tasks = made_,
                 .unfinished = living_,
                 .suspended = suspended_,
                 .most_pending = tasks_.most(),
                 .events = events_,
                 .use = {},
                 .counts = {},
                 .stuck = {},
                 .outside = {}};
  if (end_ == run_end::stuck) explain_stuck(out.stuck);
  for (auto& w : workers_) {
    charge(w);
    const auto spent = [&w](activity what) { return w.spent[static_cast<std::size_t>(what)]; };
    const time_use use{spent(activity::work), spent(activity::overhead), spent(activity::steal),
                       spent(activity::wait), spent(activity::park),     spent(activity::block)};
    const policy::search_counters& seen = w.search.counters();
    w.counts[trace::count::steal_attempts] = seen.attempts;
    w.counts[trace::count::steal_failures] = seen.failures;
    w.counts[trace::count::steal_lost] = seen.lost;
    w.counts[trace::count::search_ns] = static_cast<std::uint64_t>(use.steal_ns + use.wait_ns);
    w.counts[trace::count::idle_ns] = static_cast<std::uint64_t>(use.park_ns);
    out.use.push_back(use);
    out.counts.push_back(w.counts);
  }
  return out;
}

}  // namespace filch::inline v0::sim
