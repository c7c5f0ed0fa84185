// Changes of recorded tasks, computed by hand, and random ones that must keep what they do not change.
#include <gtest/gtest.h>

#include <cstdint>
#include <filch/base/random.hpp>
#include <filch/sim/theory.hpp>
#include <filch/sim/what_if.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>
#include <stdexcept>
#include <string>
#include <support/test_seed.hpp>
#include <vector>

namespace {

using namespace filch;
using sim::change;
using sim::machine_model;
using sim::recorded_tasks;
using act = recorded_tasks::act;
using kind = recorded_tasks::act::kind;
using namespace std::string_literals;

std::vector<act> acts_of(const recorded_tasks& tasks, std::size_t which) {
  const auto found = tasks.acts_of(which);
  return {found.begin(), found.end()};
}

time_ns makespan_ns(const recorded_tasks& tasks, const machine_model& machine, std::uint64_t seed = 1) {
  sim::replay load{tasks};
  const sim::run_result result = sim::simulate(machine, {}, load, {.seed = seed});
  EXPECT_TRUE(result.is_complete);
  EXPECT_EQ(result.total_use().work_ns, tasks.work_ns());
  return result.makespan_ns;
}

// A root that computes 100, spawns five leaves of 40 with 10 of its own work before each, waits, and computes 7.
recorded_tasks loop_of_leaves() {
  recorded_tasks out;
  const std::uint32_t root = out.number_of_name("root");
  const std::uint32_t leaf = out.number_of_name("leaf");
  std::vector<act> does{{kind::work, 100}};
  for (std::uint32_t i = 1; i <= 5; ++i) {
    does.push_back({kind::work, 10});
    does.push_back({kind::spawn, i});
  }
  does.push_back({kind::join, 0});
  does.push_back({kind::work, 7});
  out.add(does, root);
  for (int i = 0; i != 5; ++i) out.add(std::vector<act>{{kind::work, 40}}, leaf);
  out.roots.push_back({0, 0});
  return out;
}

TEST(what_if, work_and_span_of_a_loop_are_those_computed_by_hand) {
  const recorded_tasks tasks = loop_of_leaves();
  EXPECT_EQ(tasks.work_ns(), 100 + 5 * 10 + 5 * 40 + 7);
  EXPECT_EQ(tasks.span_ns(), 100 + 5 * 10 + 40 + 7);
  EXPECT_EQ(tasks.span_ns(1000), 100 + 5 * 10 + 1000 + 40 + 1000 + 7);
  EXPECT_EQ(tasks.work_by_name_ns(), (std::vector<time_ns>{157, 200}));
  EXPECT_EQ(makespan_ns(tasks, machine_model::free(1)), tasks.work_ns());
  EXPECT_EQ(makespan_ns(tasks, machine_model::free(6)), tasks.span_ns());
}

TEST(what_if, a_scaled_name_takes_its_part_and_nothing_else_changes) {
  const recorded_tasks tasks = loop_of_leaves();
  const recorded_tasks half = change::from("scale name=leaf 0.5").apply(tasks, 0);
  EXPECT_EQ(half.work_by_name_ns(), (std::vector<time_ns>{157, 100}));
  EXPECT_EQ(half.span_ns(), 100 + 5 * 10 + 20 + 7);
  const recorded_tasks none = change::from("scale name=root 0").apply(tasks, 0);
  EXPECT_EQ(none.work_ns(), 200);
  EXPECT_EQ(none.span_ns(), 40);
}

TEST(what_if, leaves_in_a_row_become_one_where_the_last_was_made) {
  const recorded_tasks tasks = change::from("grain name=leaf 2").apply(loop_of_leaves(), 3);
  ASSERT_EQ(tasks.size(), 4u);  // 2 + 2 + 1 leaves
  EXPECT_EQ(acts_of(tasks, 0), (std::vector<act>{{kind::work, 107 + 10},
                                                 {kind::spawn, 1},
                                                 {kind::work, 7 + 10},
                                                 {kind::spawn, 2},
                                                 {kind::work, 10},
                                                 {kind::spawn, 3},
                                                 {kind::join, 0},
                                                 {kind::work, 7}}));
  EXPECT_EQ(acts_of(tasks, 1), (std::vector<act>{{kind::work, 80}}));
  EXPECT_EQ(acts_of(tasks, 3), (std::vector<act>{{kind::work, 40}}));
  EXPECT_EQ(tasks.span_ns(), 117 + 17 + 80 + 7);  // the second pair, made at 134, ends after the last leaf, made at 144
}

TEST(what_if, a_small_family_is_done_where_it_was_made) {
  sim::fork_join_tree tree{{.depth = 3, .before_ns = 5, .after_ns = 7, .leaf_ns = 100}};
  trace::recording seen;
  ASSERT_TRUE(sim::simulate(machine_model::free(2), {}, tree, {.record = &seen}).is_complete);
  const recorded_tasks tasks = recorded_tasks::from(seen);
  ASSERT_EQ(tasks.size(), 15u);
  const recorded_tasks cut = sim::cut_off(tasks, 0, 213);  // a node over two leaves has 212
  EXPECT_EQ(cut.size(), 3u);
  EXPECT_EQ(cut.work_ns(), tasks.work_ns());
  EXPECT_EQ(cut.span_ns(), 12 + 12 + 2 * 212);
  EXPECT_EQ(sim::cut_off(tasks, 0, 100).size(), 15u);
  EXPECT_EQ(sim::cut_off(tasks, 0, 1'000'000).size(), 1u);
}

TEST(what_if, words_that_make_no_sense_are_refused_with_what_is_allowed) {
  for (const char* const text :
       {"", "scale", "scale name=x", "shrink name=x 2", "scale x 2", "scale name=x -1", "scale name=x nan",
        "grain name=x 1", "grain name=x 2.5", "cutoff name=x 5", "cutoff name=x 0ns"}) {
    SCOPED_TRACE(text);
    try {
      (void)change::from(text);
      ADD_FAILURE();
    } catch (const std::invalid_argument& problem) {
      EXPECT_NE(std::string{problem.what()}.find("allowed is"), std::string::npos);
    }
  }
  EXPECT_EQ(change::from("cutoff name=a b 50us").name, "a b");
  EXPECT_EQ(change::from("cutoff name=a b 50us").value, 50'000);
  try {
    (void)change::from("grain name=twig 2").apply(loop_of_leaves(), 0);
    ADD_FAILURE();
  } catch (const std::invalid_argument& problem) {
    EXPECT_NE(std::string{problem.what()}.find("\"root\", \"leaf\""), std::string::npos);
  }
}

// ---- random graphs --------------------------------------------------------------------------------------------------

// A task with children that it joins all at once, or one by one inside out as nested forks do, and some that nobody
// joins.
std::uint32_t grow(recorded_tasks& out, std::vector<std::vector<act>>& all, random_stream& random,
                   std::uint32_t depth) {
  const auto self = static_cast<std::uint32_t>(all.size());
  all.emplace_back();
  std::vector<act> does;
  const auto work = [&] { does.push_back({kind::work, static_cast<std::int64_t>(1 + random.below(1000))}); };
  work();
  for (std::uint64_t round = depth == 0 ? 0 : random.below(3); round != 0; --round) {
    std::vector<std::uint32_t> children;
    const auto how = static_cast<std::uint32_t>(random.below(3));
    for (std::uint64_t i = 1 + random.below(3); i != 0; --i) {
      children.push_back(grow(out, all, random, depth - 1));
      does.push_back({how == 0 ? kind::spawn : how == 1 ? kind::fork : kind::release, children.back()});
      if (random.below(2) == 0) work();
    }
    if (how == 0) does.push_back({kind::join, 0});
    for (; how == 1 && !children.empty(); children.pop_back()) {
      does.push_back({kind::await, children.back()});
      work();
    }
  }
  work();
  all[self] = std::move(does);
  return self;
}

recorded_tasks random_tasks(random_stream& random) {
  recorded_tasks out;
  std::vector<std::vector<act>> all;
  out.roots.push_back({0, grow(out, all, random, 6)});
  for (std::size_t i = 0; i != all.size(); ++i) {
    const std::uint32_t name = out.number_of_name("abc"s.substr(random.below(3), 1));
    out.add(all[i], name);
  }
  return out;
}

// No schedule beats work and span; with free steals none exceeds Graham's bound; with costs it exceeds it by no more
// than what the workers spend on other things than work.
TEST(what_if, replayed_graphs_stay_between_the_bounds) {
  random_stream random{filch_test::test_seed()};
  for (int i = 0; i != 150; ++i) {
    SCOPED_TRACE(i);
    const recorded_tasks tasks = random_tasks(random);
    const auto workers = static_cast<std::uint32_t>(1 + random.below(12));
    const time_ns work_ns = tasks.work_ns();
    const time_ns span_ns = tasks.span_ns();
    const time_ns free_ns = makespan_ns(tasks, machine_model::free(workers), random.bits());
    ASSERT_GE(free_ns, sim::theory::least_ns(work_ns, span_ns, workers));
    ASSERT_LE((free_ns - span_ns) * workers, work_ns - span_ns);
    machine_model costly = machine_model::free(workers);
    costly.costs.steal = {{.success_ns = 200, .empty_ns = 50, .lost_ns = 50}};
    costly.costs.spawn_ns = 20;
    costly.costs.wake_ns = 500;
    costly.costs.resume_ns = 30;
    sim::replay load{tasks};
    const sim::run_result result = sim::simulate(costly, {}, load, {.seed = random.bits()});
    ASSERT_TRUE(result.is_complete);
    ASSERT_GE(result.makespan_ns, sim::theory::least_ns(work_ns, span_ns, workers));
    const sim::time_use use = result.total_use();
    ASSERT_LE(result.makespan_ns * workers,
              work_ns + span_ns * (workers - 1) + (use.total_ns() - use.work_ns) * workers);
  }
}

// Whatever is merged or cut off, no work is lost, and no schedule of the changed tasks beats the old span by magic:
// tasks only become longer.
TEST(what_if, merging_and_cutting_off_keep_all_work_and_shorten_no_chain) {
  random_stream random{filch_test::test_seed()};
  for (int i = 0; i != 100; ++i) {
    SCOPED_TRACE(i);
    const recorded_tasks tasks = random_tasks(random);
    const auto name = static_cast<std::uint32_t>(random.below(tasks.names.size()));
    const auto count = static_cast<std::uint32_t>(2 + random.below(4));
    for (const recorded_tasks& changed :
         {sim::coarsened(tasks, name, count), sim::cut_off(tasks, name, static_cast<time_ns>(random.below(9000)))}) {
      ASSERT_LE(changed.size(), tasks.size());
      ASSERT_EQ(changed.work_ns(), tasks.work_ns());
      ASSERT_GE(changed.span_ns(), tasks.span_ns());
      ASSERT_EQ(makespan_ns(changed, machine_model::free(1)), tasks.work_ns());
      (void)makespan_ns(changed, machine_model::free(7));
    }
  }
}

// A signal orders what no join orders: the waiter goes on after the giver has come so far.
TEST(what_if, a_task_that_waits_for_a_signal_goes_on_behind_it) {
  recorded_tasks tasks;
  tasks.signals = 1;
  const std::uint32_t name = tasks.number_of_name("");
  tasks.add(std::vector<act>{{kind::spawn, 1}, {kind::spawn, 2}, {kind::join, 0}}, name);
  tasks.add(std::vector<act>{{kind::work, 10}, {kind::wait, 0}, {kind::work, 10}}, name);
  tasks.add(std::vector<act>{{kind::work, 100}, {kind::signal, 0}, {kind::work, 1}}, name);
  tasks.roots.push_back({0, 0});
  EXPECT_EQ(tasks.span_ns(), 110);
  EXPECT_EQ(tasks.span_ns(1000), 1000 + 100 + 1000 + 10 + 1000);
  EXPECT_EQ(makespan_ns(tasks, machine_model::free(2)), 110);
  EXPECT_EQ(makespan_ns(tasks, machine_model::free(1)), 121);
}

}  // namespace
