// What the simulated body of sharing on request does, and that nothing is lost or done twice.
//
// Random programs on random machines under random rules: whatever was shared with whom, every piece of work ran once,
// the books are right, and no run is faster than its work and its longest chain allow.
#include <filch/base/random.hpp>
#include <filch/sim/sharing_model.hpp>
#include <filch/trace/recording.hpp>

#include <gtest/gtest.h>
#include <support/test_seed.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace filch;
using sim::machine_model;
using sim::part_id;
using sim::sharing_options;
using sim::sharing_program;
using sim::sharing_result;
using trace::count;

constexpr time_ns us = k_ns_per_us;

// ---- random runs ----------------------------------------------------------------------------------------------------

struct random_run {
  machine_model machine;
  policy::search_options policy;
  policy::demand rules;
  sharing_program program;
  sharing_options options;
};

time_ns up_to(random_stream& random, time_ns most_ns) {
  return static_cast<time_ns>(random.below(static_cast<std::uint64_t>(most_ns) + 1));
}

machine_model random_machine(random_stream& random) {
  machine_model made = machine_model::free(1 + static_cast<std::uint32_t>(random.below(9)));
  if (random.below(4) == 0) return made;
  sim::machine_costs& costs = made.costs;
  for (time_ns* const cost : {&costs.resume_ns, &costs.notify_ns, &costs.park_ns, &costs.wake_ns, &costs.notice_ns,
                              &costs.switch_ns, &costs.fork_ns, &costs.join_ns, &costs.look_ns, &costs.offer_ns,
                              &costs.visit_ns, &costs.visited_ns, &costs.pop_ns}) {
    *cost = random.below(3) == 0 ? 0 : up_to(random, 3000);
  }
  costs.steal = {{up_to(random, 600), up_to(random, 60), 30}};
  costs.migration_ns = {up_to(random, 500)};
  return made;
}

policy::demand random_rules(random_stream& random) {
  policy::demand rules{.notify_ns = up_to(random, 6 * us),
                       .wake_ns = 1 + up_to(random, 20 * us),
                       .transfer_ns = 1 + up_to(random, 3 * us)};
  rules.searchers = 1 + static_cast<std::uint32_t>(random.below(4));
  rules.throttle = random.below(3) != 0;
  rules.join_first = random.below(3) != 0;
  rules.one_place = random.below(3) != 0;
  return rules;
}

part_id random_part(random_stream& random, sharing_program& into, int depth) {
  const std::uint64_t which = depth == 0 ? random.below(2) : random.below(5);
  if (which == 0) return into.add_work(up_to(random, 3 * us));
  if (which == 1) return into.add_loop(1 + random.below(20'000), up_to(random, 100 * us));
  if (which == 2) {
    return into.add_tree(static_cast<std::uint32_t>(random.below(7)), up_to(random, 2 * us), up_to(random, 100));
  }
  const part_id first = random_part(random, into, depth - 1);
  if (which == 3) return into.add_loop(1 + random.below(60), first);
  return into.add_join(first, random_part(random, into, depth - 1), up_to(random, 500), up_to(random, 500));
}

random_run some_run(random_stream& random) {
  random_run made{
      .machine = random_machine(random), .policy = {}, .rules = random_rules(random), .program = {}, .options = {}};
  const policy::idle idles[] = {policy::idle::eco, policy::idle::balanced, policy::idle::latency};
  made.policy.idle = idles[random.below(3)];
  made.policy.wake = static_cast<policy::wake>(random.below(4));
  const policy::victims victims[] = {policy::victims::random, policy::victims::nearest, policy::victims::last_victim,
                                     policy::victims::round_robin, policy::victims::largest};
  made.policy.victims = victims[random.below(5)];
  for (std::uint64_t i = 1 + random.below(4); i != 0; --i) {
    const part_id what = random_part(random, made.program, 2);
    made.program.add_phase(what, random.below(2) == 0 ? 0 : up_to(random, 200 * us));
  }
  made.options.seed = random.bits();
  made.options.most_events = 50'000'000;
  made.options.is_called_outside = random.below(2) == 0;
  made.options.has_monitor = random.below(4) != 0;
  made.options.can_visit = random.below(4) != 0;
  made.options.knows_costs = random.below(2) == 0;
  made.options.has_cpu_each = random.below(4) != 0;
  return made;
}

sharing_result simulated(const random_run& of) {
  return sim::simulate_sharing(of.machine, of.policy, of.rules, of.program, of.options);
}

TEST(sharing_model, everything_runs_exactly_once) {
  random_stream random{filch_test::test_seed()};
  std::uint64_t taken = 0;
  std::uint64_t taken_back = 0;
  std::uint64_t visits = 0;
  std::uint64_t deferred = 0;
  for (int i = 0; i != 600; ++i) {
    SCOPED_TRACE(i);
    const random_run what = some_run(random);
    const sharing_result result = simulated(what);
    ASSERT_TRUE(result.run.is_complete) << static_cast<int>(result.run.end);
    ASSERT_EQ(result.counts.leaves, what.program.leaves());
    ASSERT_EQ(result.run.total_use().work_ns + result.run.outside.work_ns, what.program.work_ns());
    ASSERT_EQ(result.counts.offers, result.counts.taken + result.counts.taken_back);
    ASSERT_EQ(result.run.unfinished, 0u);
    ASSERT_EQ(result.run.tasks, result.counts.taken + (what.options.is_called_outside ? 0 : 1));
    ASSERT_EQ(result.phase_ns.size(), what.program.phases().size());
    taken += result.counts.taken;
    taken_back += result.counts.taken_back;
    visits += result.counts.visits_found;
    deferred += result.counts.deferred;
  }
  EXPECT_GT(taken, 5000u);
  EXPECT_GT(taken_back, 500u);
  EXPECT_GT(visits, 50u);
  EXPECT_GT(deferred, 500u);
}

TEST(sharing_model, books_add_up_and_no_run_beats_its_work_or_its_longest_chain) {
  random_stream random{filch_test::test_seed()};
  for (int i = 0; i != 300; ++i) {
    SCOPED_TRACE(i);
    const random_run what = some_run(random);
    const sharing_result result = simulated(what);
    const auto workers = static_cast<time_ns>(what.machine.workers);
    time_ns pauses_ns = 0;
    for (const sim::program_phase& each : what.program.phases()) pauses_ns += each.pause_ns;
    ASSERT_EQ(result.run.total_use().total_ns(), workers * result.run.makespan_ns);
    const time_ns actors = workers + (what.options.is_called_outside ? 1 : 0);
    ASSERT_GE((result.run.makespan_ns - pauses_ns) * actors, what.program.work_ns());
    ASSERT_GE(result.run.makespan_ns - pauses_ns, what.program.span_ns());
  }
}

TEST(sharing_model, the_same_seed_gives_the_same_run_and_recording) {
  random_stream random{filch_test::test_seed()};
  for (int i = 0; i != 40; ++i) {
    random_run what = some_run(random);
    trace::recording first;
    trace::recording second;
    what.options.record = &first;
    const sharing_result a = simulated(what);
    what.options.record = &second;
    const sharing_result b = simulated(what);
    ASSERT_EQ(a.run, b.run);
    ASSERT_EQ(a.counts, b.counts);
    ASSERT_EQ(a.phase_ns, b.phase_ns);
    ASSERT_EQ(first.workers, second.workers);
    what.options.record = nullptr;
    ASSERT_EQ(simulated(what).run, a.run) << "recording changes nothing";
  }
}
}  // namespace
