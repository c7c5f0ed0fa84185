// The closed forms against known values, and simulations against the closed forms. Seeds are fixed: the tolerances are
// those of the sample, and a run is the same everywhere.
#include <filch/sim/theory.hpp>

#include <filch/base/random.hpp>
#include <filch/sim/event_heap.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace {

using namespace filch;
using sim::machine_model;
using sim::run_result;

namespace theory = sim::theory;

// Looks again at once, for as long as any run takes.
constexpr policy::idle k_restless{.cycles = 1'000'000'000};

TEST(theory, the_burdened_estimate_is_the_work_on_one_worker_and_nears_the_burdened_span_on_many) {
  EXPECT_EQ(sim::theory::burdened_ns(1'000, 100, 1), 1'000);
  EXPECT_EQ(sim::theory::burdened_ns(1'000, 100, 2), 585);
  EXPECT_EQ(sim::theory::burdened_ns(1'000, 100, 1'000'000), 170);
}

TEST(theory, known_values) {
  EXPECT_NEAR(theory::steal_on_empty(0.5).response, 1.6180, 5e-5);
  EXPECT_NEAR(theory::steal_on_empty(0.7).response, 2.1073, 5e-5);
  EXPECT_NEAR(theory::steal_on_empty(0.8).response, 2.5616, 5e-5);
  EXPECT_NEAR(theory::steal_on_empty(0.9).response, 3.5414, 5e-5);
  EXPECT_NEAR(4 / theory::single_source_throughput(4, 1), 2.286, 5e-4);
  EXPECT_NEAR(64 / theory::single_source_throughput(64, 0.1), 6.646, 5e-4);
  EXPECT_NEAR(256 / theory::single_source_throughput(256, 10), 232.7, 0.05);
  EXPECT_DOUBLE_EQ(theory::probing_response(0.5, 0), 2);         // M/M/1
  EXPECT_NEAR(theory::shared_queue_response(0.5, 1), 2, 1e-12);  // M/M/1
  EXPECT_NEAR(theory::shared_queue_response(0.5, 2), 4.0 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(theory::branching_mean(5, 0.6), 12.5);
  EXPECT_NEAR(theory::branching_sd(5, 0.6, 0.3 * 14 / 3 - 0.36), 9.01, 0.01);
  EXPECT_EQ(theory::greedy_most_ns(100, 10, 4), 32);
  EXPECT_EQ(theory::least_ns(101, 10, 4), 26);
  EXPECT_EQ(theory::tree_steals_most(2, 4, 2), 4 + 6);
}

// All work on one worker: whoever finds that one in P − 1 looks gets one task.
TEST(theory, a_single_source_feeds_thieves_as_fast_as_they_find_it) {
  struct row {
    std::uint32_t workers;
    time_ns cost_ns;  // a task takes 1000
  };
  for (const row& given : {row{4, 1000}, row{16, 500}, row{64, 100}}) {
    machine_model machine = machine_model::free(given.workers);
    machine.costs.steal = {{given.cost_ns, given.cost_ns, given.cost_ns}};
    constexpr int k_tasks = 40'000;
    sim::task_list list;
    for (int i = 0; i != k_tasks; ++i) list.add(1000, sim::target::at(worker_id{0}));
    const run_result result =
        sim::simulate(machine, {.victims = policy::victims::random_probe, .idle = k_restless}, list, {.seed = 3});
    const double cost = static_cast<double>(given.cost_ns) / 1000;
    const double throughput = k_tasks / (static_cast<double>(result.makespan_ns) / 1000);
    const double expected = theory::single_source_throughput(given.workers, cost);
    EXPECT_NEAR(throughput, expected, 0.02 * expected) << given.workers;
  }
}

// A binary tree in the steps of the theory: each of the two forks and the join of a node takes one unit, as a leaf does.
class unit_tree final : public sim::workload {
 public:
  static constexpr time_ns k_unit_ns = 1000;
  explicit unit_tree(std::uint64_t height) : height_{height} {}

  [[nodiscard]] time_ns work_ns() const { return ((time_ns{4} << height_) - 3) * k_unit_ns; }
  [[nodiscard]] time_ns span_ns() const { return (1 + 3 * static_cast<time_ns>(height_)) * k_unit_ns; }

  bool next_arrival(sim::arrival& out) override {
    out = {0, sim::target::at(worker_id{0}), {height_, 0}, policy::priority::normal};
    return !std::exchange(has_come_, true);
  }
  sim::next_step resume(sim::task& self, sim::task_context& with) override {
    const std::uint64_t height = self.words[0];
    if (height == 0) return self.stage == 0 ? sim::next_step::work(k_unit_ns) : sim::next_step::end();
    switch (self.stage) {
      case 0:
      case 2:
      case 5:
        return sim::next_step::work(k_unit_ns);
      case 1:
      case 3:
        with.spawn(height - 1);
        return sim::next_step::fork();
      case 4:
        return sim::next_step::join();
      default:
        return sim::next_step::end();
    }
  }

 private:
  std::uint64_t height_;
  bool has_come_ = false;
};

// Work-first forks, uniform victims, a look costs one unit: P·T = T1 + time spent looking, and per worker that time is
// below 1.8 spans on average and below 2.5 in every run.
TEST(theory, looking_costs_each_worker_less_than_two_spans) {
  constexpr std::uint32_t k_height = 10;
  for (const std::uint32_t workers : {2u, 8u, 32u, 128u}) {
    double sum = 0;
    constexpr int k_runs = 20;
    for (std::uint64_t seed = 0; seed != k_runs; ++seed) {
      machine_model machine = machine_model::free(workers);
      machine.costs.steal = {{1000, 1000, 1000}};
      unit_tree tree{k_height};
      const run_result result =
          sim::simulate(machine, {.victims = policy::victims::random_probe, .idle = k_restless}, tree, {.seed = seed});
      const sim::time_use total = result.total_use();
      ASSERT_EQ(total.work_ns, tree.work_ns());
      ASSERT_EQ(result.makespan_ns * workers, tree.work_ns() + total.steal_ns);
      const double spans = static_cast<double>(total.steal_ns) / workers / static_cast<double>(tree.span_ns());
      ASSERT_LT(spans, 2.5) << workers << ' ' << seed;
      sum += spans / k_runs;
      const auto steals = static_cast<double>(result.total_counts()[trace::count::stolen_by_me]);
      ASSERT_LE(steals, theory::tree_steals_most(2, k_height, workers));
    }
    EXPECT_LT(sum, 1.8) << workers;
  }
}

// A queueing model: servers with Poisson arrivals; one that becomes empty looks at one other and takes a waiting task.
// Time is in units of 2^-20 service times.
double mean_response(double load, std::uint32_t servers, std::uint64_t customers, std::uint64_t seed) {
  constexpr double k_unit = 1 << 20;
  random_stream random{seed};
  std::vector<std::deque<time_ns>> arrived(servers);  // of those who are there; the first is served
  sim::event_heap<std::uint32_t> pending;             // ends of service, and arrivals under the number of servers
  const auto after = [&](double mean) { return static_cast<time_ns>(random.exponential(mean * k_unit)); };
  double sum = 0;
  std::uint64_t served = 0;
  pending.push(0, servers);
  while (served != customers) {
    const auto next = pending.take();
    const time_ns now = next.at_ns;
    if (next.what == servers) {
      const auto at = static_cast<std::uint32_t>(random.below(servers));
      pending.push(now + after(1 / (load * servers)), servers);
      arrived[at].push_back(now);
      if (arrived[at].size() == 1) pending.push(now + after(1), at);
      continue;
    }
    auto& own = arrived[next.what];
    ++served;
    if (served > customers / 10) sum += static_cast<double>(now - own.front()) / k_unit;
    own.pop_front();
    if (own.empty()) {
      auto& other = arrived[(next.what + 1 + random.below(servers - 1)) % servers];
      if (other.size() >= 2) {
        own.push_back(other.back());
        other.pop_back();
      }
    }
    if (!own.empty()) pending.push(now + after(1), next.what);
  }
  return sum / static_cast<double>(customers - customers / 10);
}

TEST(theory, many_servers_that_steal_when_empty_come_to_the_mean_field) {
  for (const double load : {0.5, 0.8, 0.9}) {
    const double expected = theory::steal_on_empty(load).response;
    const double got = mean_response(load, 256, 1'000'000, 11);
    EXPECT_NEAR(got, expected, 0.02 * expected) << load;
    EXPECT_GT(got, theory::shared_queue_response(load, 256));
  }
}

}  // namespace
