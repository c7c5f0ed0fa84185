// The simulated body of sharing on request: workers that keep their forks to themselves until a thief requests work.
//
// It carries out the rules of policy/demand.hpp in virtual time, as the threads do: a thief that finds nothing requests
// work of its victims, an owner answers at its next fork, join or block of a loop with its oldest frame, a sleeper is
// woken for it, a victim that does not answer is visited, and a monitor thread sees to requests that were deferred.
// Each worker owns a policy::search, the object that a thread's worker asks.
//
// A loop of plain elements takes one event, however long it is, and one more for each block at whose end something
// concerns it. A join takes an event for each piece that computes.
#pragma once

#include <filch/base/units.hpp>
#include <filch/policy/demand.hpp>
#include <filch/policy/options.hpp>
#include <filch/sim/machine_model.hpp>
#include <filch/sim/sharing_program.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/trace/recording.hpp>

#include <cstdint>
#include <vector>

namespace filch::inline v0::sim {

// One question to a rule of policy::demand: what went in, and what came out. What each field holds: rule_asked.
struct rule_call {
  enum class rule_asked : std::uint8_t {
    throttle_after,   // in: how long the child lasted, now · out: the streak
    may_wake,         // in: now · out: may it
    may_request,      // in: now · out: may it. Of the thief's request_pace
    request_judged,   // in: was it tiny, now
    request_taken,    // in: now · out: shall the victim put the next offer out ahead of time
    request_target,   // in: can visit, has a latent frame · out: is it the join
    join_answered,    // in: has it offered · out: the count
    may_visit,        // in: now · out: may it
    visit_after,      // in: has it found something, now · out: the pause
    visits_open,      // the next visit may come at once
    joins_given_up,   // forks shall answer again
    monitor_called,   // it begins to look · out: the pause. `who` of the monitor is UINT32_MAX
    monitor_after,    // in: has it acted, when the next request is due, now · out: the pause
    is_aged,          // in: how long the offer has lain · out: is it
    wakes_for_offer,  // in: is throttled, lingers any, is monitored · out: is it the monitor
    is_searched,      // in: how many search · out: are these enough
    place_sleeper,    // in: sleepers, does an external thread compute · out: is there a place
    place_awake,      // as place_sleeper
    linger,           // in: wanted, since the last theft, has each a CPU · out: how long
  };

  rule_asked what;
  std::uint32_t who;  // the worker whose rule it is; the number of workers is the external thread
  time_ns in[3] = {0, 0, 0};
  time_ns out = 0;

  friend bool operator==(const rule_call&, const rule_call&) = default;
};

struct sharing_options {
  std::uint64_t seed = 1;
  bool is_called_outside = false;  // an external thread runs the phases; else a worker does
  bool has_monitor = true;
  bool can_visit = true;     // an owner that does not answer is visited
  bool knows_costs = true;   // loops know from before what their elements cost
  bool has_cpu_each = true;  // without that no worker lingers
  time_ns until_ns = k_never_ns;
  std::uint64_t most_events = UINT64_MAX;   // and as many steps that take no time
  trace::recording* record = nullptr;       // everything that happens is written there
  std::vector<rule_call>* rules = nullptr;  // … and every question to a rule there
};

// What was shared, and how.
struct sharing_counts {
  std::uint64_t forks = 0;       // frames of joins and loops
  std::uint64_t offers = 0;      // put out: by their owner, or by a visitor
  std::uint64_t taken = 0;       // … taken by thieves
  std::uint64_t taken_back = 0;  // … taken back by the owner
  std::uint64_t requests = 0;    // that were not made before
  std::uint64_t deferred = 0;    // requests that were put off
  std::uint64_t visits = 0;
  std::uint64_t visits_found = 0;
  std::uint64_t looks = 0;  // of the monitor thread
  std::uint64_t wakes_by_owner = 0;
  std::uint64_t wakes_by_thief = 0;  // after a theft, for the next one
  std::uint64_t wakes_by_monitor = 0;
  std::uint64_t leaves = 0;  // works and plain elements that ran

  friend bool operator==(const sharing_counts&, const sharing_counts&) = default;
};

struct sharing_result {
  run_result run;
  sharing_counts counts;
  std::vector<time_ns> phase_ns;  // how long each phase took that ended, without its pause
};

// Throws std::invalid_argument for a machine, policy or rules with which a run cannot work.
[[nodiscard]] sharing_result simulate_sharing(const machine_model& machine, const policy::search_options& policy,
                                              const policy::demand& rules, const sharing_program& program,
                                              const sharing_options& options = {});

}  // namespace filch::inline v0::sim
