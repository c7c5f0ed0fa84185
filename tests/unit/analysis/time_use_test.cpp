// Where the workers' time went: by hand, and the laws that hold on any recording.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <filch/fork/join.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>
#include <filch/sync/mutex.hpp>
#include <filch/trace/session.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <time_use.hpp>

#include "script.hpp"

namespace {

using namespace filch;
using analysis::dag;
using analysis::time_use;
using analysis::usage;
using filch_analysis_test::none;
using filch_analysis_test::script;

usage usage_of(const trace::recording& what) { return analysis::usage_of(dag::from(what), what); }

// What holds on every recording without a gap, to the nanosecond:
//   - every worker's kinds of time add up to the makespan, and work is the work of the graph;
//   - the moments add up to the makespan;
//   - T_P ≥ max(T1/P, T∞) and T_P ≥ the span with what is outside;
//   - Graham: T_P ≤ T1/P + T∞ + losses, with T∞ the span with what is outside, and as losses the moments in which a
//     worker did not work though a task was ready, or lay below another on a stack.
void expect_laws(const trace::recording& what) {
  const dag graph = dag::from(what);
  const usage spent = analysis::usage_of(graph, what);
  const time_ns makespan_ns = graph.makespan_ns();
  const auto workers = static_cast<time_ns>(graph.workers);
  for (const time_use& each : spent.by_worker) EXPECT_EQ(each.total_ns(), makespan_ns);
  EXPECT_EQ(spent.use.total_ns(), makespan_ns * workers);
  EXPECT_EQ(spent.use.work_ns, graph.work_ns());
  EXPECT_EQ(spent.at.total_ns(), makespan_ns);
  EXPECT_LE(spent.policy_ns, spent.use.idle_ready_ns);
  EXPECT_EQ(spent.idle_beside_one_ns + spent.idle_beside_few_ns + spent.idle_beside_none_ns, spent.use.idle_no_work_ns);
  EXPECT_LE(graph.span_ns(), graph.elapsed_span_ns());
  EXPECT_LE(graph.elapsed_span_ns(), makespan_ns);
  EXPECT_LE(graph.work_ns(), makespan_ns * workers);
  EXPECT_LE(spent.at.short_of_work_ns, graph.elapsed_span_ns());
  EXPECT_LE(makespan_ns * workers,
            graph.work_ns() + workers * (graph.elapsed_span_ns() + spent.at.ready_ns + spent.at.held_ns));
}

TEST(time_use, of_two_workers_is_what_the_hand_computes) {
  script s{2};
  s.at(0).on(0).spawn(1).start(1).at(40).spawn(2, 1).at(100).end(1);
  s.at(0).on(1).look_at(0).at(2).find_nothing_at(0).at(3).park().at(45).wake();
  s.at(50).look_at(0).at(52).steal(2, 0).at(55).start(2).at(75).end(2).at(80).park();
  const usage spent = usage_of(s.recording());
  EXPECT_EQ(spent.by_worker[0], (time_use{.work_ns = 100}));
  EXPECT_EQ(spent.by_worker[1],
            (time_use{.work_ns = 20, .steal_ns = 5, .idle_ready_ns = 10, .idle_no_work_ns = 40 + 25}));
  EXPECT_EQ(spent.at.all_work_ns, 20);
  EXPECT_EQ(spent.at.ready_ns, 15);
  EXPECT_EQ(spent.at.short_of_work_ns, 65);
  EXPECT_EQ(spent.alone_ns[0], 65);
  EXPECT_EQ(spent.policy_ns, 5);  // asleep from 40 to 45, and nobody was told to wake it
  expect_laws(s.recording());
}

TEST(time_use, takes_a_wake_up_that_is_under_way_for_latency) {
  script s{2};
  s.at(0).on(0).spawn(1).start(1).at(40).spawn(2, 1).notify(1).at(100).end(1);
  s.at(0).on(1).park().at(90).wake().start(2).at(95).end(2);
  const usage spent = usage_of(s.recording());
  EXPECT_EQ(spent.use.idle_ready_ns, 50);
  EXPECT_EQ(spent.policy_ns, 0);
}

TEST(time_use, gives_idle_time_to_a_lock_when_somebody_waits_for_it) {
  script s{2};
  s.at(0).on(0).spawn(1).start(1).at(0).on(1).spawn(2).start(2);
  s.at(10).on(1).suspend(2, "mutex").at(70).on(0).woken(2, 1, "mutex").at(100).end(1);
  s.at(70).on(1).resume(2).at(100).end(2);
  const usage spent = usage_of(s.recording());
  EXPECT_EQ(spent.use.blocked_lock_ns, 60);
  ASSERT_EQ(spent.waits.size(), 1u);
  EXPECT_TRUE(spent.waits[0].is_lock);
  EXPECT_EQ(spent.waits[0].wait_ns, 60);
  expect_laws(s.recording());
}

TEST(time_use, gives_idle_time_to_what_is_outside_when_a_task_is_blocked) {
  script s{2};
  s.at(0).on(0).spawn(1).start(1).at(10).block(1, "sleep").at(90).unblock(1).at(100).end(1);
  s.at(0).on(1).park();
  const usage spent = usage_of(s.recording());
  EXPECT_EQ(spent.use.blocked_outside_ns, 160);
  EXPECT_EQ(spent.use.idle_no_work_ns, 20);
  expect_laws(s.recording());
}

TEST(time_use, adds_up_on_simulated_runs) {
  for (const std::uint32_t workers : {1u, 2u, 5u, 33u}) {
    for (const bool work_first : {false, true}) {
      sim::machine_model machine = sim::machine_model::free(workers);
      machine.costs.steal = {{200, 50, 80}};
      machine.costs.pop_ns = 20;
      machine.costs.spawn_ns = 30;
      machine.costs.wake_ns = 900;
      sim::fork_join_tree load{{.depth = 8, .before_ns = 40, .after_ns = 30, .leaf_ns = 700, .work_first = work_first}};
      trace::recording seen;
      (void)sim::simulate(machine, {}, load, {.seed = workers, .record = &seen});
      SCOPED_TRACE(std::to_string(workers) + (work_first ? " workers, work first" : " workers"));
      expect_laws(seen);
    }
  }
}

// Property: the laws above hold on what threads record, whatever the schedule. Method: forks, spawns, a lock, blocking
// calls and waits for futures, all at once.
TEST(time_use, adds_up_on_runs_of_threads) {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    trace::session session{{.workers = workers, .ring_events = std::size_t{1} << 16}};
    {
      runtime rt{{.workers = workers, .trace = &session}};
      session.start();
      mutex guard;
      std::uint64_t sum = 0;
      std::atomic<std::uint64_t> spawned{0};
      const std::function<std::uint64_t(int)> fib = [&](int n) -> std::uint64_t {
        if (n < 2) return 1;
        const auto [a, b] = join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
        return a + b;
      };
      rt.run([&] {
        for (int i = 0; i != 40; ++i) {
          rt.spawn([&] {
            const std::lock_guard lock{guard};
            sum += fib(8);
            spawned.fetch_add(1, std::memory_order_relaxed);  // statistic
          });
        }
        const auto value = fib(14);
        auto child = rt.submit([&] { return fib(10); });
        return value + child.get();
      });
      blocking([] {});
      rt.wait_idle();
      session.stop();
    }
    const trace::recording seen = session.collect();
    ASSERT_EQ(seen.dropped_count(), 0u);
    SCOPED_TRACE(std::to_string(workers) + " workers");
    expect_laws(seen);
  }
}

}  // namespace
