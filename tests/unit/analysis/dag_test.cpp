// The graph of the tasks: by hand, against a longest path found by brute force, and on simulated runs whose work and
// span are known.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <dag.hpp>
#include <filch/base/random.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>
#include <string>
#include <vector>

#include "script.hpp"

namespace {

using namespace filch;
using analysis::dag;
using analysis::edge_kind;
using analysis::entry;
using filch_analysis_test::none;
using filch_analysis_test::script;

std::uint64_t seed_of_test() {
  const char* const given = std::getenv("FILCH_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
}

// (I1), (I2) and (I3) of dag.hpp.
void expect_sound(const dag& graph) {
  std::vector<time_ns> busy_until_ns(graph.workers, INT64_MIN);
  for (std::uint32_t i = 0; i != graph.strands.size(); ++i) {
    const analysis::strand& each = graph.strands[i];
    ASSERT_GE(each.begin_ns, busy_until_ns[each.worker]);
    ASSERT_GE(each.end_ns, each.begin_ns);
    ASSERT_LE(each.ready_ns, each.begin_ns);
    busy_until_ns[each.worker] = each.end_ns;
    if (each.before == analysis::k_none) continue;
    ASSERT_LT(each.before, i);
    ASSERT_LE(graph.strands[each.before].end_ns, each.begin_ns);
    ASSERT_EQ(graph.strands[each.before].task, each.task);
  }
  for (std::size_t i = 0; i != graph.edges.size(); ++i) {
    const analysis::edge& each = graph.edges[i];
    ASSERT_LT(each.from, each.to);
    ASSERT_LE(graph.strands[each.from].end_ns, graph.strands[each.to].begin_ns);
    if (i != 0) {
      ASSERT_LE(graph.edges[i - 1].to, each.to);
    }
  }
}

// The longest chain, by trying every one.
time_ns longest_from(const dag& graph, std::uint32_t strand, time_ns burden_ns) {
  time_ns best_ns = 0;
  for (std::uint32_t i = 0; i != graph.strands.size(); ++i) {
    if (graph.strands[i].before == strand) best_ns = std::max(best_ns, longest_from(graph, i, burden_ns));
  }
  for (const analysis::edge& each : graph.edges) {
    if (each.from == strand) best_ns = std::max(best_ns, burden_ns + longest_from(graph, each.to, burden_ns));
  }
  return graph.strands[strand].length_ns() + best_ns;
}

time_ns longest_of(const dag& graph, time_ns burden_ns) {
  time_ns best_ns = 0;
  for (std::uint32_t i = 0; i != graph.strands.size(); ++i) {
    best_ns = std::max(best_ns, longest_from(graph, i, burden_ns));
  }
  return best_ns;
}

// main runs 10, spawns a child of 30, runs 20 more, waits for it, runs 5: work 65, span 10 + 30 + 5.
trace::recording one_child() {
  script s{2};
  s.at(0).outside().spawn(1, none, "main");
  s.at(0).on(0).start(1).at(10).spawn(2, 1, "child");
  s.at(12).on(1).start(2).at(42).end(2);
  s.at(30).on(0).suspend(1).at(45).resume(1).join(1).at(50).end(1);
  return s.recording();
}

TEST(dag, of_a_task_with_one_child_is_what_the_hand_computes) {
  const dag graph = dag::from(one_child());
  expect_sound(graph);
  EXPECT_EQ(graph.work_ns(), 65);
  EXPECT_EQ(graph.span_ns(), 45);
  EXPECT_EQ(graph.span_ns(100), 245);
  EXPECT_EQ(graph.makespan_ns(), 50);
  EXPECT_EQ(graph.ended_tasks(), 2u);
  ASSERT_EQ(graph.edges.size(), 2u);
  EXPECT_EQ(graph.edges[0].kind, edge_kind::spawn);
  EXPECT_EQ(graph.edges[1].kind, edge_kind::join);
  const analysis::strand& child = graph.strands[graph.edges[0].to];
  EXPECT_EQ(child.ready_ns, 10);
  EXPECT_EQ(child.begin_ns, 12);
  const analysis::strand& behind = graph.strands[graph.edges[1].to];
  EXPECT_EQ(behind.why, entry::joined);
  EXPECT_EQ(behind.ready_ns, 42);
  EXPECT_EQ(behind.begin_ns, 45);
}

TEST(dag, names_the_tasks_of_its_critical_path) {
  const dag graph = dag::from(one_child());
  const analysis::chain path = graph.critical_path();
  std::string names;
  time_ns sum_ns = 0;
  for (const std::uint32_t each : path.strands) {
    names += graph.name_of_task(graph.strands[each].task) + " ";
    sum_ns += graph.strands[each].length_ns();
  }
  EXPECT_EQ(names, "main child main ");
  EXPECT_EQ(sum_ns, path.length_ns);
}

TEST(dag, without_recorded_joins_takes_a_resume_and_an_end_for_one) {
  script s{2};
  s.at(0).on(0).spawn(1).start(1).at(10).spawn(2, 1).at(15).end(1);
  s.at(10).on(1).start(2).at(14).end(2);
  const dag graph = dag::from(s.recording());
  EXPECT_EQ(graph.work_ns(), 19);
  EXPECT_EQ(graph.span_ns(), 15);
  EXPECT_EQ(graph.span_ns(10), 34);  // main up to the spawn, the child, and the end behind it: two burdens
}

TEST(dag, gives_the_time_of_a_task_inside_another_to_the_inner_one) {
  script s{1};
  s.at(0).on(0).spawn(1).start(1).at(10).spawn(2, 1).start(2).at(40).end(2).at(45).end(1);
  const dag graph = dag::from(s.recording());
  expect_sound(graph);
  EXPECT_EQ(graph.tasks[0].work_ns, 15);
  EXPECT_EQ(graph.tasks[1].work_ns, 30);
}

TEST(dag, does_not_count_a_blocking_call_as_work) {
  script s{1};
  s.at(0).on(0).spawn(1, none, "call").start(1).at(10).block(1, "sleep").at(90).unblock(1).at(95).end(1);
  s.at(20).on(0).spawn(2).start(2).at(50).end(2);
  const dag graph = dag::from(s.recording());
  expect_sound(graph);
  EXPECT_EQ(graph.tasks[0].work_ns, 15);
  EXPECT_EQ(graph.tasks[1].work_ns, 30);
  const analysis::strand& after = graph.strands[graph.tasks[0].last];
  EXPECT_EQ(after.why, entry::blocked);
  EXPECT_EQ(graph.text_of(after.reason), "sleep");
}

TEST(dag, lets_a_woken_task_come_after_what_its_waker_did_before) {
  script s{2};
  s.at(0).on(0).spawn(1).start(1).at(0).on(1).spawn(2).start(2);
  s.at(5).on(1).suspend(2, "mutex");
  s.at(30).on(0).woken(2, 1, "mutex");
  s.at(32).on(1).resume(2).at(42).end(2);
  s.at(90).on(0).end(1);
  const dag graph = dag::from(s.recording());
  expect_sound(graph);
  ASSERT_EQ(graph.edges.size(), 1u);
  EXPECT_EQ(graph.edges[0].kind, edge_kind::wake);
  const analysis::strand& after = graph.strands[graph.edges[0].to];
  EXPECT_EQ(after.why, entry::woken);
  EXPECT_EQ(after.ready_ns, 30);
  EXPECT_EQ(graph.text_of(after.reason), "mutex");
  EXPECT_EQ(graph.strands[graph.edges[0].from].end_ns, 30);
  EXPECT_EQ(graph.span_ns(), 90);
  EXPECT_EQ(graph.span_ns(60), 100);  // 30, the burden, 10
}

TEST(dag, joins_only_the_child_that_a_join_names) {
  script s{3};
  s.at(0).on(0).spawn(1).start(1).spawn(2, 1).spawn(3, 1);
  s.at(0).on(1).start(2).at(10).end(2).at(0).on(2).start(3).at(50).end(3);
  s.at(60).on(0).join_child(1, 2).at(65).end(1);
  const dag graph = dag::from(s.recording());
  expect_sound(graph);
  int joins = 0;
  for (const analysis::edge& each : graph.edges) {
    if (each.kind != edge_kind::join) continue;
    ++joins;
    EXPECT_EQ(graph.tasks[graph.strands[each.from].task].id, 2u);
  }
  EXPECT_EQ(joins, 1);
}

TEST(dag, of_a_simulated_tree_has_its_work_and_span_whatever_the_schedule) {
  for (const bool work_first : {false, true}) {
    for (const std::uint32_t workers : {1u, 3u, 16u}) {
      const sim::fork_join_options options{
          .depth = 7, .arity = 2, .before_ns = 11, .after_ns = 7, .leaf_ns = 100, .work_first = work_first};
      trace::recording seen;
      sim::fork_join_tree load{options};
      (void)sim::simulate(sim::machine_model::free(workers), {}, load, {.seed = workers, .record = &seen});
      const dag graph = dag::from(seen);
      expect_sound(graph);
      EXPECT_EQ(graph.work_ns(), load.work_ns());
      EXPECT_EQ(graph.span_ns(), load.span_ns());
      EXPECT_EQ(graph.span_ns(1'000), load.span_ns() + 2 * 7 * 1'000);
      EXPECT_EQ(graph.ended_tasks(), load.tasks());
    }
  }
}

// Property: the span is the longest chain over all chains. Oracle: brute force. Method: random events of three workers,
// most of which make no sense together; whatever is read of them is a sound graph.
TEST(dag, has_the_longest_chain_of_random_recordings_as_its_span) {
  const std::uint64_t seed = seed_of_test();
  SCOPED_TRACE("FILCH_SEED=" + std::to_string(seed));
  random_stream random{seed};
  for (int round = 0; round != 300; ++round) {
    script s{3};
    time_ns now_ns = 0;
    for (int i = 0; i != 24; ++i) {
      now_ns += static_cast<time_ns>(random.below(4));
      s.at(now_ns).on(static_cast<std::uint32_t>(random.below(3)));
      const std::uint64_t task = random.below(6);
      switch (random.below(9)) {
        case 0:
        case 1:
          s.spawn(task, random.below(3) == 0 ? none : random.below(6));
          break;
        case 2:
        case 3:
          s.start(task);
          break;
        case 4:
          s.end(task);
          break;
        case 5:
          s.suspend(task);
          break;
        case 6:
          s.resume(task);
          break;
        case 7:
          s.join(task);
          break;
        default:
          if (random.below(2) == 0) s.block(task);
          else s.unblock(task);
      }
    }
    const dag graph = dag::from(s.recording());
    expect_sound(graph);
    const auto burden_ns = static_cast<time_ns>(random.below(5));
    ASSERT_EQ(graph.span_ns(), longest_of(graph, 0));
    ASSERT_EQ(graph.span_ns(burden_ns), longest_of(graph, burden_ns));
    ASSERT_LE(graph.span_ns(), graph.makespan_ns());
    ASSERT_LE(graph.work_ns(), graph.makespan_ns() * 3);
  }
}

// Property: work and span are those of the program, not of the schedule. Oracle: the program itself, as a list of what
// every task does, with its span by recursion. Method: random programs, run by hand on one worker in depth-first order.
struct random_program {
  struct step {
    time_ns work_ns = 0;
    std::vector<std::uint32_t> children;  // spawned after the work, and joined at once
  };
  std::vector<std::vector<step>> tasks;

  explicit random_program(random_stream& random, std::uint32_t count) : tasks(count) {
    for (std::uint32_t i = 0; i != count; ++i) {
      tasks[i].resize(1 + random.below(3));
      for (step& each : tasks[i]) each.work_ns = static_cast<time_ns>(random.below(50));
    }
    for (std::uint32_t i = 1; i != count; ++i) {
      auto& steps = tasks[random.below(i)];
      steps[random.below(steps.size())].children.push_back(i);
    }
  }

  [[nodiscard]] time_ns span_ns(std::uint32_t task) const {
    time_ns sum_ns = 0;
    for (const step& each : tasks[task]) {
      time_ns longest_ns = 0;
      for (const std::uint32_t child : each.children) longest_ns = std::max(longest_ns, span_ns(child));
      sum_ns += each.work_ns + longest_ns;
    }
    return sum_ns;
  }
  [[nodiscard]] time_ns work_ns() const {
    time_ns sum_ns = 0;
    for (const auto& steps : tasks) {
      for (const step& each : steps) sum_ns += each.work_ns;
    }
    return sum_ns;
  }

  void record(script& s, std::uint32_t task, time_ns& now_ns) const {
    s.at(now_ns).start(task);
    for (const step& each : tasks[task]) {
      now_ns += each.work_ns;
      for (const std::uint32_t child : each.children) s.at(now_ns).spawn(child, task);
      if (each.children.empty()) continue;
      s.at(now_ns).suspend(task);
      for (const std::uint32_t child : each.children) record(s, child, now_ns);
      s.at(now_ns).resume(task).join(task);
    }
    s.at(now_ns).end(task);
  }
};

TEST(dag, of_random_programs_has_their_work_and_span) {
  const std::uint64_t seed = seed_of_test();
  SCOPED_TRACE("FILCH_SEED=" + std::to_string(seed));
  random_stream random{seed};
  for (int round = 0; round != 200; ++round) {
    const random_program program{random, 1 + static_cast<std::uint32_t>(random.below(40))};
    script s{1};
    time_ns now_ns = 0;
    s.on(0).spawn(0);
    program.record(s, 0, now_ns);
    const dag graph = dag::from(s.recording());
    expect_sound(graph);
    ASSERT_EQ(graph.work_ns(), program.work_ns());
    ASSERT_EQ(graph.span_ns(), program.span_ns(0));
  }
}

TEST(dag, of_nothing_is_nothing) {
  const dag graph = dag::from({});
  EXPECT_EQ(graph.makespan_ns(), 0);
  EXPECT_EQ(graph.span_ns(), 0);
  EXPECT_TRUE(graph.critical_path().strands.empty());
}

// The bug: each of these blocks cost a strand for each of the tasks it lay in, so 36 kB took 3 GB.
TEST(dag, a_block_inside_many_tasks_costs_few_strands) {
  constexpr std::uint64_t k_tasks = 1'000;
  script s{1};
  s.on(0);
  for (std::uint64_t i = 1; i <= k_tasks; ++i) s.at(static_cast<time_ns>(i)).start(i);
  for (std::uint64_t i = 0; i != k_tasks; ++i) {
    s.at(static_cast<time_ns>(k_tasks + 10 * i)).block(k_tasks);
    s.at(static_cast<time_ns>(k_tasks + 10 * i + 4)).unblock(k_tasks);
  }
  for (std::uint64_t i = k_tasks; i != 0; --i) s.at(static_cast<time_ns>(12 * k_tasks - i)).end(i);
  const dag graph = dag::from(s.recording());
  expect_sound(graph);
  EXPECT_LE(graph.strands.size(), 5 * k_tasks);
  EXPECT_EQ(graph.ended_tasks(), k_tasks);
  EXPECT_EQ(graph.tasks[k_tasks - 1].work_ns, static_cast<time_ns>(6 * k_tasks));
  EXPECT_EQ(graph.tasks[k_tasks - 2].work_ns, 1 + 1);  // before the innermost starts, and when that has ended
}

}  // namespace
