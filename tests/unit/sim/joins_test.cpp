// How a worker waits in a join: continuations and helping go on always, blocking can get stuck, and says why.
#include <filch/sim/worker_model.hpp>

#include <filch/base/random.hpp>
#include <filch/sim/workloads.hpp>

#include <gtest/gtest.h>
#include <support/test_seed.hpp>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

using namespace filch;
using sim::join_mode;
using sim::machine_model;
using sim::run_end;
using sim::run_result;
using trace::count;

// The lesson's joining tasks: 5 roots, one every half second; two in five tasks have 1 to 3 children and wait for them.
constexpr sim::branching_options joining(join_mode how) {
  return {.child_most_ns = 8 * k_ns_per_s / 10, .probability = 0.4, .join = how};
}

// Looks at the queues ten times a second and hears nothing meanwhile, as the lesson's workers do.
run_result run_joining(join_mode how, std::uint32_t workers, std::uint64_t seed) {
  sim::branching_tasks tasks{joining(how), seed};
  const policy::search_options policy{.idle = policy::idle::poll(k_ns_per_s / 10),
                                      .placement = policy::placement::random};
  return sim::simulate(machine_model::free(workers), policy, tasks, {.seed = seed, .deaf_waits = true});
}

// The lesson's rates over 1000 seeds; both samples vary, so four standard deviations of their difference are allowed.
TEST(joins, blocking_gets_stuck_as_often_as_in_the_lesson_and_the_others_never) {
  constexpr int k_runs = 1000;
  const std::pair<std::uint32_t, double> expected[] = {{1, 0.924}, {2, 0.818}, {4, 0.597}, {8, 0.280}, {16, 0.097}};
  for (const auto& [workers, rate] : expected) {
    int stuck = 0;
    for (std::uint64_t seed = 0; seed != k_runs; ++seed) {
      const run_result blocking = run_joining(join_mode::blocking, workers, seed);
      ASSERT_EQ(blocking.is_complete, blocking.end == run_end::complete);
      ASSERT_EQ(blocking.end == run_end::stuck, !blocking.stuck.empty());
      ASSERT_TRUE(blocking.is_complete || blocking.end == run_end::stuck);
      stuck += blocking.is_complete ? 0 : 1;
      ASSERT_TRUE(run_joining(join_mode::continuation, workers, seed).is_complete);
      ASSERT_TRUE(run_joining(join_mode::helping, workers, seed).is_complete);
    }
    const double got = static_cast<double>(stuck) / k_runs;
    EXPECT_NEAR(got, rate, 4 * std::sqrt(2 * rate * (1 - rate) / k_runs)) << workers;
  }
}

// One worker is stuck exactly when one of the five roots has children.
TEST(joins, one_worker_is_stuck_as_often_as_a_root_has_children) {
  constexpr int k_runs = 20'000;
  int stuck = 0;
  for (std::uint64_t seed = 0; seed != k_runs; ++seed) {
    stuck += run_joining(join_mode::blocking, 1, seed).end == run_end::stuck ? 1 : 0;
  }
  const double rate = 1 - std::pow(0.6, 5);
  EXPECT_NEAR(static_cast<double>(stuck) / k_runs, rate, 4 * std::sqrt(rate * (1 - rate) / k_runs));
}

TEST(joins, waiting_for_children_is_shortest_with_continuations_and_longest_with_blocking) {
  double sum_s[3] = {};
  int runs = 0;
  for (std::uint64_t seed = 0; seed != 1000; ++seed) {
    const run_result blocking = run_joining(join_mode::blocking, 4, seed);
    if (!blocking.is_complete) continue;
    ++runs;
    for (const join_mode how : {join_mode::continuation, join_mode::helping, join_mode::blocking}) {
      sum_s[static_cast<int>(how)] += static_cast<double>(run_joining(how, 4, seed).makespan_ns) * 1e-9;
    }
  }
  // The lesson's workers on the seeds where blocking survives: 4.84, 4.95 and 6.05 s.
  EXPECT_NEAR(sum_s[0] / runs, 4.84, 0.25);
  EXPECT_NEAR(sum_s[1] / runs, 4.95, 0.25);
  EXPECT_NEAR(sum_s[2] / runs, 6.05, 0.35);
}

// ---- who waits for whom ---------------------------------------------------------------------------------------------

// A root with one child, which has one child, and so on; each blocks its worker.
class chain final : public sim::workload {
 public:
  explicit chain(std::uint64_t length) : length_{length} {}
  bool next_arrival(sim::arrival& out) override {
    out = {0, sim::target::at(worker_id{0}), {length_, 0}, policy::priority::normal};
    return !std::exchange(has_come_, true);
  }
  sim::next_step resume(sim::task& self, sim::task_context& with) override {
    if (self.stage == 0) return sim::next_step::work(10);
    if (self.stage != 1 || self.words[0] == 0) return sim::next_step::end();
    with.spawn(self.words[0] - 1);
    return sim::next_step::join(join_mode::blocking);
  }

 private:
  std::uint64_t length_;
  bool has_come_ = false;
};

TEST(joins, a_stuck_run_names_every_worker_the_task_and_the_child) {
  for (const policy::idle& idle : {policy::idle::eco, policy::idle::poll(100)}) {
    chain load{5};
    const run_result result = sim::simulate(machine_model::free(2), {.idle = idle}, load);
    EXPECT_EQ(result.end, run_end::stuck);
    EXPECT_EQ(result.unfinished, 3u);
    ASSERT_EQ(result.stuck.size(), 2u);
    EXPECT_EQ(to_string(result.stuck[0]),
              "worker 0 sits in the join of task 0, which waits for task 1, which sits in its join on worker 1");
    EXPECT_EQ(to_string(result.stuck[1]),
              "worker 1 sits in the join of task 1, which waits for task 2, which lies in the queue of worker 1");
  }
}

TEST(joins, as_many_workers_as_the_chain_is_long_are_not_stuck) {
  chain load{5};
  const run_result result = sim::simulate(machine_model::free(6), {}, load);
  EXPECT_TRUE(result.is_complete);
  EXPECT_EQ(result.makespan_ns, 60);
  EXPECT_EQ(result.total_use().block_ns, 10 + 20 + 30 + 40 + 50);
}

// ---- costs and books ------------------------------------------------------------------------------------------------

TEST(joins, a_blocked_worker_pays_for_its_wake_up) {
  machine_model machine = machine_model::free(2);
  machine.costs.wake_ns = 100;
  machine.costs.switch_ns = 7;
  chain load{1};
  const run_result result = sim::simulate(machine, {.idle = policy::idle::poll(1000)}, load, {.deaf_waits = false});
  EXPECT_EQ(result.makespan_ns, 10 + 10 + 107);
  EXPECT_EQ(result.use[0].block_ns, 10 + 107);
}

TEST(joins, trees_end_and_their_books_balance_however_they_wait) {
  random_stream random{filch_test::test_seed()};
  for (int i = 0; i != 300; ++i) {
    SCOPED_TRACE(i);
    const auto workers = 1 + static_cast<std::uint32_t>(random.below(8));
    const join_mode how = static_cast<join_mode>(random.below(3));
    sim::fork_join_tree tree{{.depth = 1 + static_cast<std::uint32_t>(random.below(5)),
                              .arity = 1 + static_cast<std::uint32_t>(random.below(3)),
                              .before_ns = static_cast<time_ns>(random.below(50)),
                              .after_ns = static_cast<time_ns>(random.below(50)),
                              .leaf_ns = 100,
                              .join = how}};
    machine_model machine = machine_model::free(workers);
    machine.costs = {.spawn_ns = 3, .pop_ns = 1, .resume_ns = 5, .notify_ns = 4, .park_ns = 9, .wake_ns = 20};
    machine.costs.steal = {{10, 5, 5}};
    machine.costs.switch_ns = 11;
    const policy::search_options policy{.idle = random.below(2) == 0 ? policy::idle::eco : policy::idle::poll(30),
                                        .wake = static_cast<policy::wake>(random.below(4))};
    trace::recording seen;
    const run_result result = sim::simulate(
        machine, policy, tree, {.seed = random.bits(), .deaf_waits = random.below(2) == 0, .record = &seen});
    ASSERT_EQ(seen.check(), "");
    if (how == join_mode::blocking) {
      ASSERT_TRUE(result.is_complete || result.end == run_end::stuck);
    } else {
      ASSERT_TRUE(result.is_complete);
      ASSERT_EQ(result.total_use().work_ns, tree.work_ns());
      ASSERT_EQ(result.total_counts()[count::suspends], result.total_counts()[count::resumes]);
    }
    for (const sim::time_use& use : result.use) ASSERT_EQ(use.total_ns(), result.makespan_ns);
  }
}

// A helper that runs something else when its children end goes on with its own task afterwards.
TEST(joins, a_helping_worker_returns_to_its_own_task) {
  sim::fork_join_tree tree{
      {.depth = 6, .arity = 3, .before_ns = 5, .after_ns = 5, .leaf_ns = 40, .join = join_mode::helping}};
  trace::recording seen;
  const run_result result = sim::simulate(machine_model::free(5), {}, tree, {.record = &seen});
  ASSERT_TRUE(result.is_complete);
  for (const auto& list : seen.workers) {
    std::vector<std::uint64_t> kept;
    for (const trace::event& one : list) {
      if (one.kind == trace::event_kind::suspend) kept.push_back(one.task);
      if (one.kind != trace::event_kind::resume) continue;
      ASSERT_FALSE(kept.empty());
      ASSERT_EQ(kept.back(), one.task);
      kept.pop_back();
    }
    EXPECT_TRUE(kept.empty());
  }
}

// One task that only the worker `home` may run. It has two children and waits for them.
class parent_at final : public sim::workload {
 public:
  parent_at(worker_id home, join_mode how) : home_{home}, how_{how} {}

  bool next_arrival(sim::arrival& out) override {
    out = {0, sim::target::pinned_to(home_), {1, 0}, policy::priority::normal};
    return !std::exchange(has_come_, true);
  }
  sim::next_step resume(sim::task& self, sim::task_context& with) override {
    if (self.words[0] == 0) return self.stage == 0 ? sim::next_step::work(k_ns_per_ms) : sim::next_step::end();
    if (self.stage == 1) {
      went_on_at_ = with.worker();
      return sim::next_step::end();
    }
    with.spawn(0);
    with.spawn(0);
    return sim::next_step::join(how_);
  }
  [[nodiscard]] worker_id went_on_at() const { return went_on_at_; }

 private:
  worker_id home_;
  join_mode how_;
  bool has_come_ = false;
  worker_id went_on_at_ = worker_id::none();
};

// A task numbers its worker with more than 16 bits: with 16, the end of these children would wake worker 4464.
TEST(joins, a_task_goes_on_at_a_worker_with_a_large_number) {
  policy::search_options policy{.idle = policy::idle::eco};
  policy.idle.attempts_per_cycle = 4;  // not 80 000 victims for each of as many workers
  for (const join_mode how : {join_mode::helping, join_mode::blocking}) {
    parent_at tasks{worker_id{70'000}, how};
    const run_result got = sim::simulate(machine_model::free(80'000), policy, tasks);
    EXPECT_TRUE(got.is_complete);
    EXPECT_EQ(tasks.went_on_at(), worker_id{70'000});
  }
}

TEST(joins, a_recording_of_more_workers_than_it_can_number_is_refused) {
  parent_at tasks{worker_id{0}, join_mode::helping};
  trace::recording seen;
  const auto said = [&](std::uint32_t workers, trace::recording* record) -> std::string {
    try {
      (void)sim::simulate(machine_model::free(workers), {}, tasks, {.record = record});
    } catch (const std::invalid_argument& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(said(65'535, &seen), "machine.workers = 65535: allowed in a recording are 1 to 65534");
  EXPECT_EQ(said(100'001, nullptr), "machine.workers = 100001: allowed is a number from 1 to 100000");
}

}  // namespace
