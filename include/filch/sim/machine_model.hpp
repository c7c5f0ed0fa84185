// The machine of a simulation as plain data: how many workers, how far apart, how fast, and the cost of each operation.
//
// Costs are nanoseconds of the worker that acts. All are 0 by default, which is the machine of the theory: only work
// takes time, and a search finds work at once.
#pragma once

#include <filch/base/units.hpp>
#include <filch/topology/distance_table.hpp>
#include <filch/topology/machine.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace filch::inline v0::sim {

// One look at a victim, by how it ends.
struct steal_cost {
  time_ns success_ns = 0;
  time_ns empty_ns = 0;
  time_ns lost_ns = 0;

  friend bool operator==(const steal_cost&, const steal_cost&) = default;
};

struct machine_costs {
  time_ns spawn_ns = 0;     // making a task
  time_ns push_ns = 0;      // putting it into the own queue
  time_ns pop_ns = 0;       // taking one from the own queue
  time_ns inbox_ns = 0;     // taking one from the inbox or the mail
  time_ns injector_ns = 0;  // taking one from the injector
  time_ns resume_ns = 0;    // going on with a parent whose last child has ended
  time_ns notify_ns = 0;    // waking another worker, for the waking one
  time_ns park_ns = 0;      // from the decision to sleep until asleep; no wake-up is sooner
  time_ns wake_ns = 0;      // from the notification until awake
  time_ns notice_ns = 0;    // from the announcement of work until a waiting worker sees it
  time_ns switch_ns = 0;    // until a worker that blocked in a join has its CPU again, beside wake_ns

  // Of sharing on request (sharing_model.hpp).
  time_ns fork_ns = 0;     // making a frame
  time_ns join_ns = 0;     // taking it back when no thief has it
  time_ns look_ns = 0;     // between two blocks of a loop: the clock, and whether there is a request
  time_ns offer_ns = 0;    // answering a request: finding the oldest frame, dividing it, putting it out
  time_ns visit_ns = 0;    // visiting an owner that does not answer, for the visitor
  time_ns visited_ns = 0;  // … and for the owner

  // By distance; the last entry holds for all greater distances, and an empty list is free.
  std::vector<steal_cost> steal{};
  // So long after a successful steal the next thief of the same victim loses the race.
  time_ns steal_exposure_ns = 0;
  // By distance, as `steal`: what a task costs more that goes on, or begins, on another worker than the one that ran it
  // last or made it. Its caches are cold there.
  std::vector<time_ns> migration_ns{};

  [[nodiscard]] steal_cost steal_at(std::uint32_t distance) const {
    if (steal.empty()) return {};
    return steal[distance < steal.size() ? distance : steal.size() - 1];
  }

  [[nodiscard]] time_ns migration_at_ns(std::uint32_t distance) const {
    return migration_ns[distance < migration_ns.size() ? distance : migration_ns.size() - 1];
  }

  friend bool operator==(const machine_costs&, const machine_costs&) = default;
};

// A time during which a worker computes more slowly or not at all, because something else has its CPU.
struct disturbance {
  std::uint32_t worker = 0;
  time_ns from_ns = 0;  // the first one
  time_ns for_ns = 0;
  time_ns every_ns = 0;              // from one beginning to the next; 0: it happens once
  std::uint32_t speed_permille = 0;  // of the worker's own speed

  friend bool operator==(const disturbance&, const disturbance&) = default;
};

// The most workers of a run that is not recorded; recordings number at most trace::k_max_workers - 1.
inline constexpr std::uint32_t k_most_workers = 100'000;

struct machine_model {
  std::uint32_t workers = 1;
  // Between workers; empty: all are equally far, at distance `apart`.
  topology::distance_table distances{};
  std::uint32_t apart = topology::k_distance_cache;
  // Of each worker's core, 1000 for the fastest; empty: all alike.
  std::vector<std::uint32_t> speed_permille{};
  machine_costs costs{};
  // By worker, then time. Those of one worker do not overlap, and one that happens again and again is its worker's
  // only.
  std::vector<disturbance> disturbances{};
  std::string name = "free";  // for people

  // Nothing but work takes time.
  [[nodiscard]] static machine_model free(std::uint32_t workers) { return {.workers = workers}; }
  // Worker w runs on cpu_of_worker[w] of that machine: distances and speeds are its.
  [[nodiscard]] static machine_model of(const topology::machine& machine,
                                        std::span<const topology::cpu_number> cpu_of_worker,
                                        const machine_costs& costs);

  [[nodiscard]] std::uint32_t distance(worker_id a, worker_id b) const {
    return distances.workers() == 0 ? apart : distances.between(a, b);
  }
  // How long so much work takes there: rounded up.
  [[nodiscard]] time_ns duration_ns(std::uint32_t worker, time_ns work_ns) const;
  // How long it takes there from this time on when undisturbed it takes `span_ns`.
  [[nodiscard]] time_ns disturbed_ns(std::uint32_t worker, time_ns from_ns, time_ns span_ns) const;

  friend bool operator==(const machine_model&, const machine_model&) = default;
};

// Throws std::invalid_argument, which names the field, its value and what is allowed.
void require_valid(const machine_model& machine);

}  // namespace filch::inline v0::sim
