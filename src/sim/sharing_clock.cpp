// The clock and the books of a run.
#include "recorded_run.hpp"
#include "sharing_run.hpp"

#include <filch/base/assert.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace filch::inline v0::sim {

sharing_run::sharing_run(const machine_model& machine, const policy::search_options& policy,
                         const policy::demand& rules, const sharing_program& program, const sharing_options& options)
    : machine_{machine},
      costs_{machine.costs},
      policy_{policy},
      program_{program},
      options_{options},
      rules_{rules, options.rules},
      can_visit_{options.can_visit},
      monitor_{.pace = policy::monitor_pace{rules}},
      sleepers_{machine.workers},
      wakes_{policy.wake},
      wake_random_{random_stream{options.seed}.split(std::uint64_t{UINT32_MAX} + 2)},
      costs_known_(program.parts(), options.knows_costs) {
  if (!options.has_monitor) monitor_.at = monitor::state::none;
  make_actors();
}

void sharing_run::make_actors() {
  actors_.resize(workers() + 1);
  const auto distance = [this](worker_id a, worker_id b) { return machine_.distance(a, b); };
  for (std::uint32_t w = 0; w != workers(); ++w) {
    actor& made = actors_[w];
    made.search.emplace(policy_, worker_id{w}, workers(), distance, random_stream{options_.seed}.split(w));
    if (options_.record != nullptr) made.trace = {worker_id{w}, now_ns_, options_.record->workers[w]};
  }
  if (options_.record != nullptr) actors_[outside()].trace = {worker_id::none(), now_ns_, options_.record->outside};
}

sharing_result sharing_run::run() {
  if (program_.phases().empty()) {
    is_done_ = true;
    end_ = run_end::complete;
  } else {
    start();
    loop();
  }
  return results();
}

// The caller begins, and all other workers look for work.
void sharing_run::start() {
  const std::uint32_t caller = options_.is_called_outside ? outside() : 0;
  const stack_number stack = stacks_.make();
  actor& first = actors_[caller];
  first.stack = stack;
  stacks_[stack].runs_at = caller;
  if (is_worker(caller)) {
    stacks_[stack].task = task_id{++tasks_};
    actors_[outside()].trace.spawn(stacks_[stack].task);
    actors_[outside()].trace.inject(stacks_[stack].task);
    first.trace.start(stacks_[stack].task);
    ++first.counts[trace::count::injected];
    // What the runtime's worker did before: it searched, and found the task in the injector.
    first.search->begin();
    for (policy::step now = first.search->next(no_sizes{});; now = first.search->next(no_sizes{})) {
      const bool is_found = now.kind == policy::step_kind::injector;
      first.search->report(is_found ? policy::outcome::found : policy::outcome::empty);
      if (is_found) break;
    }
  }
  for (std::uint32_t w = 0; w != workers(); ++w) {
    if (w == caller) continue;
    actors_[w].search->begin();
    (void)pause(actors_[w], state::looking, activity::overhead, 0);
  }
  (void)pause(first, state::computing, activity::overhead, 0);
}

void sharing_run::loop() {
  const auto of_monitor = static_cast<std::uint32_t>(actors_.size());
  while (!is_done_ && !pending_.is_empty()) {
    if (pending_.top().at_ns > options_.until_ns) {
      now_ns_ = options_.until_ns;
      return;
    }
    const auto next = pending_.take_top();
    const bool is_monitor = next.what == of_monitor;
    const ticket awaited = is_monitor ? monitor_.awaited : actors_[next.what].awaited;
    if (awaited != next.ticket) continue;
    now_ns_ = next.at_ns;
    if (++events_ > options_.most_events) [[unlikely]]
      return stop(run_end::event_limit);
    if (is_monitor) go_on_with_monitor();
    else go_on(actors_[next.what]);
  }
  // Nothing is pending, though the phases have not ended.
  if (!is_done_) end_ = run_end::stuck;
}

void sharing_run::stop(run_end why) {
  is_done_ = true;
  end_ = why;
}

// The actor's time since the last entry goes into its books.
void sharing_run::charge(actor& a) {
  const time_ns elapsed_ns = now_ns_ - std::exchange(a.since_ns, now_ns_);
  const time_ns owed_ns = std::min(a.owed_ns, elapsed_ns);
  a.owed_ns -= owed_ns;
  a.spent[static_cast<std::size_t>(activity::overhead)] += owed_ns;
  a.spent[static_cast<std::size_t>(a.does)] += elapsed_ns - owed_ns;
}

// The actor does this for so long, after what it owes. Its books are up to date.
sharing_run::then sharing_run::pause(actor& a, state at, activity does, time_ns span_ns) {
  FILCH_ASSERT(span_ns >= 0 && span_ns <= k_never_ns / 2 - now_ns_ - a.owed_ns, span_ns, now_ns_);
  a.at = at;
  a.does = does;
  expect(a, now_ns_ + a.owed_ns + span_ns);
  return then::pause;
}

void sharing_run::expect(actor& a, time_ns at_ns) {
  a.until_ns = at_ns;
  a.awaited = pending_.push(at_ns, number_of(a));
}

void sharing_run::go_on(actor& a) {
  charge(a);
  then now = then::look;
  switch (std::exchange(a.at, state::acting)) {
    case state::walking:
      end_walk(a);
      now = then::run;
      break;
    case state::computing:
    case state::pausing:
    case state::blocked:
      now = then::run;
      break;
    case state::carrying:
      begin_offer(a, std::exchange(a.loot, k_none));
      now = then::run;
      break;
    case state::waking:
      a.trace.wake();
      a.search->woken();
      if (a.cell != k_none) a.search->begin();
      break;
    case state::looking:
      break;
    case state::waiting:
      if (a.cell != k_none) a.search->begin();
      break;
    case state::lingering:
      a.at = state::lingering;
      linger(a);
      return;
    case state::awaiting:
      a.at = state::awaiting;
      await_answer(a);
      return;
    case state::acting:
    case state::asleep:
    case state::away:
      FILCH_ASSERT(false, number_of(a));
  }
  while (now != then::pause && !is_done_) {
    now = now == then::run ? advance(a) : look(a);
    if (++steps_ > options_.most_events) [[unlikely]]
      stop(run_end::event_limit);
  }
}

sharing_result sharing_run::results() {
  sharing_result out{.run = {.makespan_ns = now_ns_,
                             .is_complete = end_ == run_end::complete,
                             .end = end_,
                             .tasks = tasks_,
                             .unfinished = 0,
                             .suspended = 0,
                             .most_pending = 0,
                             .events = events_,
                             .use = {},
                             .counts = {},
                             .stuck = {},
                             .outside = {}},
                     .counts = counts_,
                     .phase_ns = std::move(phase_ns_)};
  const auto use_of = [](const actor& a) {
    const auto spent = [&a](activity what) { return a.spent[static_cast<std::size_t>(what)]; };
    return time_use{spent(activity::work), spent(activity::overhead), spent(activity::steal),
                    spent(activity::wait), spent(activity::park),     spent(activity::block)};
  };
  std::uint64_t executed = 0;
  for (std::uint32_t w = 0; w != workers(); ++w) {
    actor& a = actors_[w];
    charge(a);
    const time_use use = use_of(a);
    const policy::search_counters& seen = a.search->counters();
    a.counts[trace::count::steal_attempts] = seen.attempts;
    a.counts[trace::count::steal_failures] = seen.failures;
    a.counts[trace::count::steal_lost] = seen.lost;
    a.counts[trace::count::search_ns] = static_cast<std::uint64_t>(use.steal_ns + use.wait_ns);
    a.counts[trace::count::idle_ns] = static_cast<std::uint64_t>(use.park_ns);
    executed += a.counts[trace::count::executed];
    out.run.use.push_back(use);
    out.run.counts.push_back(a.counts);
  }
  charge(actors_[outside()]);
  if (options_.is_called_outside) out.run.outside = use_of(actors_[outside()]);
  out.run.unfinished = tasks_ - executed;
  return out;
}

// ---- entry ----------------------------------------------------------------------------------------------------------

namespace {

void require_rules(const policy::demand& rules) {
  std::string message;
  for (const policy::problem& what : policy::validate(rules)) {
    if (!message.empty()) message.append("\n");
    message.append(policy::to_string(what));
  }
  if (!message.empty()) throw std::invalid_argument{message};
}

}  // namespace

sharing_result simulate_sharing(const machine_model& machine, const policy::search_options& policy,
                                const policy::demand& rules, const sharing_program& program,
                                const sharing_options& options) {
  require_valid(machine);
  policy::require_valid(policy, machine.workers);
  require_rules(rules);
  if (options.until_ns < 0) {
    throw std::invalid_argument{"until_ns = " + std::to_string(options.until_ns) + ": allowed is a time from 0 ns on"};
  }
  if (options.record != nullptr) describe_run(*options.record, machine, policy, options.seed);
  return sharing_run{machine, policy, rules, program, options}.run();
}

}  // namespace filch::inline v0::sim
