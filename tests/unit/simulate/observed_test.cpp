// The workload that watches another one.
#include <simulate/observed.hpp>

#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace filch;
using tool::observed_task;
using tool::observed_workload;

TEST(observed_workload, a_run_is_the_same_with_and_without_it) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    sim::branching_tasks plain{{.probability = 0.4, .join = sim::join_mode::continuation}, seed};
    sim::branching_tasks inner{{.probability = 0.4, .join = sim::join_mode::continuation}, seed};
    observed_workload watched{inner};
    const auto machine = sim::machine_model::free(3);
    const sim::run_result without = sim::simulate(machine, {}, plain, {.seed = seed});
    const sim::run_result with = sim::simulate(machine, {}, watched, {.seed = seed});
    EXPECT_EQ(without, with) << seed;
    EXPECT_EQ(watched.tasks().size(), with.tasks);
  }
}

TEST(observed_workload, tasks_wait_for_the_only_worker_in_turn) {
  sim::task_list list;
  for (int i = 0; i != 3; ++i) list.add(10, sim::target::injector());
  list.add(5, sim::target::injector(), 100, policy::priority::high);
  observed_workload watched{list};
  (void)sim::simulate(sim::machine_model::free(1), {}, watched);
  ASSERT_EQ(watched.tasks().size(), 4u);
  for (std::size_t i = 0; i != 3; ++i) {
    EXPECT_EQ(watched.tasks()[i].wait_ns(), static_cast<time_ns>(10 * i));
    EXPECT_EQ(watched.tasks()[i].sojourn_ns(), static_cast<time_ns>(10 * i + 10));
  }
  EXPECT_EQ(watched.tasks()[3].came_ns, 100);
  EXPECT_EQ(watched.tasks()[3].wait_ns(), 0);
  EXPECT_EQ(watched.tasks()[3].band, policy::priority::high);
}

TEST(observed_workload, spans_and_joins_of_a_tree_are_those_of_its_shape) {
  sim::fork_join_tree tree{{.depth = 3, .before_ns = 2, .after_ns = 3, .leaf_ns = 10}};
  observed_workload watched{tree};
  (void)sim::simulate(sim::machine_model::free(8), {.idle = policy::idle::eco}, watched);
  const std::vector<time_ns> spans = watched.spans_ns();
  EXPECT_EQ(spans.front(), tree.span_ns());
  EXPECT_EQ(watched.tasks().front().parent, observed_task::k_no_parent);
  // On a machine with a worker for each leaf nobody queues: a join takes as long as the chain below it.
  for (std::size_t i = 0; i != spans.size(); ++i) {
    EXPECT_EQ(watched.tasks()[i].joined_ns, spans[i] - watched.tasks()[i].work_ns) << i;
  }
}

// Tasks that come one after the other, each when all before it have ended.
class one_after_the_other final : public sim::workload {
 public:
  explicit one_after_the_other(int count) : left_{count} {}

  bool next_arrival(sim::arrival& out) override {
    if (has_begun_) return false;
    has_begun_ = true;
    return next_after_all(0, out);
  }
  bool next_after_all(time_ns ended_ns, sim::arrival& out) override {
    if (left_-- == 0) return false;
    out = {.at_ns = ended_ns + 5};
    return true;
  }
  sim::next_step resume(sim::task& self, sim::task_context&) override {
    return self.stage == 0 ? sim::next_step::work(10) : sim::next_step::end();
  }

 private:
  int left_;
  bool has_begun_ = false;
};

TEST(observed_workload, tasks_that_come_when_all_have_ended_are_noted) {
  one_after_the_other inner{3};
  observed_workload watched{inner};
  const sim::run_result result = sim::simulate(sim::machine_model::free(2), {}, watched);
  EXPECT_EQ(result.tasks, 3u);
  ASSERT_EQ(watched.tasks().size(), 3u);
  for (std::size_t i = 0; i != 3; ++i) EXPECT_EQ(watched.tasks()[i].came_ns, static_cast<time_ns>(15 * i + 5));
}

}  // namespace
