// The books of simulated workers, for machines, policies and workloads at random; and that runs repeat.
#include <filch/sim/worker_model.hpp>

#include "hash.hpp"

#include <filch/base/random.hpp>
#include <filch/sim/workloads.hpp>
#include <filch/trace/binary.hpp>

#include <gtest/gtest.h>
#include <support/test_seed.hpp>

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace filch;
using sim::machine_model;
using sim::run_result;
using sim::target;
using trace::count;

machine_model random_machine(random_stream& random) {
  machine_model machine = machine_model::free(1 + static_cast<std::uint32_t>(random.below(12)));
  const auto cost = [&random] { return static_cast<time_ns>(random.below(3) == 0 ? 0 : random.below(50)); };
  if (random.below(4) == 0) return machine;
  auto& costs = machine.costs;
  costs.spawn_ns = cost(), costs.push_ns = cost(), costs.pop_ns = cost(), costs.inbox_ns = cost();
  costs.injector_ns = cost(), costs.resume_ns = cost(), costs.notify_ns = cost(), costs.park_ns = cost();
  costs.wake_ns = cost(), costs.notice_ns = cost();
  costs.steal = {{cost(), cost(), 1 + cost()}};
  costs.steal_exposure_ns = cost();
  for (std::uint32_t i = 0; i != machine.workers; ++i) {
    machine.speed_permille.push_back(400 + static_cast<std::uint32_t>(random.below(601)));
  }
  return machine;
}

policy::search_options random_policy(random_stream& random) {
  policy::search_options options;
  options.victims = static_cast<policy::victims>(random.below(policy::names<policy::victims>::all.size()));
  options.steal = random.below(2) == 0 ? policy::steal::one : policy::steal::half;
  options.order = static_cast<policy::order>(random.below(2));
  options.wake = static_cast<policy::wake>(random.below(4));
  const policy::idle growing{.initial_ns = 10, .factor = 2, .cap_ns = 100, .cycles = 6};
  const policy::idle idles[] = {policy::idle::eco, growing, policy::idle::poll(70)};
  options.idle = idles[random.below(3)];
  const policy::placement places[] = {policy::placement::injector, policy::placement::random,
                                      policy::placement::round_robin, policy::placement::least_loaded};
  options.placement = places[random.below(4)];
  return options;
}

run_result random_run(random_stream random, trace::recording* record) {
  const machine_model machine = random_machine(random);
  const policy::search_options policy = random_policy(random);
  const sim::run_options options{.seed = random.bits(), .deaf_waits = random.below(3) == 0, .record = record};
  switch (random.below(3)) {
    case 0: {
      sim::task_list list;
      time_ns at_ns = 0;
      for (int i = 0; i != 200; ++i) {
        if (random.below(2) == 0) at_ns += static_cast<time_ns>(random.below(300));
        const worker_id worker{static_cast<std::uint32_t>(random.below(machine.workers))};
        const target targets[] = {target::by_policy(), target::at(worker), target::pinned_to(worker)};
        const auto band =
            random.below(5) == 0 ? static_cast<policy::priority>(random.below(3)) : policy::priority::normal;
        const auto work_ns = static_cast<time_ns>(random.below(500));
        const target where = targets[random.below(3)];
        list.add(work_ns, where, at_ns, band);
      }
      return sim::simulate(machine, policy, list, options);
    }
    case 1: {
      sim::fork_join_tree tree{{.depth = static_cast<std::uint32_t>(random.below(6)),
                                .arity = 1 + static_cast<std::uint32_t>(random.below(3)),
                                .before_ns = 10,
                                .after_ns = 20,
                                .leaf_ns = 100,
                                .work_first = random.below(2) == 0}};
      return sim::simulate(machine, policy, tree, options);
    }
    default: {
      sim::branching_tasks tasks{{.roots = 20,
                                  .every_ns = 100,
                                  .root_least_ns = 50,
                                  .root_most_ns = 800,
                                  .child_least_ns = 0,
                                  .child_most_ns = 300},
                                 random.bits()};
      return sim::simulate(machine, policy, tasks, options);
    }
  }
}

TEST(worker_books, every_workers_time_is_accounted_for_exactly_and_no_task_is_lost) {
  const random_stream random{filch_test::test_seed()};
  for (std::uint64_t i = 0; i != 600; ++i) {
    SCOPED_TRACE(i);
    const run_result result = random_run(random.split(i), nullptr);
    ASSERT_TRUE(result.is_complete);
    ASSERT_EQ(result.unfinished, 0u);
    for (const sim::time_use& use : result.use) {
      ASSERT_EQ(use.total_ns(), result.makespan_ns);
      for (const time_ns part : {use.work_ns, use.overhead_ns, use.steal_ns, use.wait_ns, use.park_ns}) {
        ASSERT_GE(part, 0);
      }
    }
    const auto total = result.total_counts();
    ASSERT_EQ(total[count::executed], result.tasks);
    ASSERT_EQ(total[count::stolen_by_me], total[count::stolen_from_me]);
    ASSERT_EQ(total[count::suspends], total[count::resumes]);
    ASSERT_LE(total[count::steal_failures], total[count::steal_attempts]);
  }
}

std::string bytes_of(const trace::recording& recording) {
  std::ostringstream out;
  EXPECT_EQ(trace::write_binary(recording, out), std::nullopt);
  return out.str();
}

// What happened, in words that depend on no file format.
std::string text_of(const trace::recording& recording) {
  std::string text;
  for (const auto& list : recording.workers) {
    for (const trace::event& one : list) {
      text.append(trace::name_of(one.kind)).append(" ").append(std::to_string(one.time_ns));
      text.append(" ").append(std::to_string(one.worker)).append(" ").append(std::to_string(one.task)).append("\n");
    }
  }
  return text;
}

TEST(worker_books, the_same_seed_gives_the_same_bytes_and_recording_changes_nothing) {
  const random_stream random{2024};
  std::uint64_t hash = k_hash_of_nothing;
  for (std::uint64_t i = 0; i != 60; ++i) {
    SCOPED_TRACE(i);
    trace::recording first;
    trace::recording second;
    const run_result result = random_run(random.split(i), &first);
    ASSERT_EQ(random_run(random.split(i), &second), result);
    ASSERT_EQ(random_run(random.split(i), nullptr), result);
    ASSERT_EQ(bytes_of(first), bytes_of(second));
    ASSERT_EQ(first.check(), "");
    ASSERT_EQ(first.about.source, "simulation");
    hash = hash_of(text_of(first), hash);
  }
  EXPECT_EQ(hash, 13402895116172669471u);
}

TEST(worker_books, a_recording_shows_every_task_once) {
  trace::recording seen;
  sim::branching_tasks tasks{{.roots = 50}, 3};
  const run_result result = sim::simulate(machine_model::free(4), {}, tasks, {.record = &seen});
  std::vector<int> starts(result.tasks), ends(result.tasks), spawns(result.tasks);
  for (const auto& one : seen.outside) spawns[one.task] += one.kind == trace::event_kind::spawn ? 1 : 0;
  for (const auto& list : seen.workers) {
    for (const auto& one : list) {
      if (one.kind == trace::event_kind::start) ++starts[one.task];
      if (one.kind == trace::event_kind::end) ++ends[one.task];
      if (one.kind == trace::event_kind::spawn) ++spawns[one.task];
    }
  }
  const std::vector<int> once(result.tasks, 1);
  EXPECT_EQ(starts, once);
  EXPECT_EQ(ends, once);
  EXPECT_EQ(spawns, once);
  EXPECT_EQ(seen.workers.size(), 4u);
}

}  // namespace
