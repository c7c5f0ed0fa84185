// Workloads to simulate: lists of tasks, tasks that branch at random, trees of forks and joins, and graphs.
//
// Each is used for one run; make a new one for the next.
#pragma once

#include <filch/base/random.hpp>
#include <filch/base/units.hpp>
#include <filch/sim/workload.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace filch::inline v0::sim {

// Tasks that only compute, each with its length, its time and its place.
class task_list final : public workload {
 public:
  // Times do not decrease from one call to the next.
  void add(time_ns work_ns, target where = target::by_policy(), time_ns at_ns = 0,
           policy::priority band = policy::priority::normal);
  void reserve(std::size_t tasks) { tasks_.reserve(tasks); }

  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  // All lengths together.
  [[nodiscard]] time_ns work_ns() const { return work_ns_; }

  bool next_arrival(arrival& out) override;
  next_step resume(task& self, task_context& with) override;

 private:
  std::vector<arrival> tasks_;
  std::size_t next_ = 0;
  time_ns work_ns_ = 0;
};

// Tasks that may have children when half their work is done: a branching process. They do not wait for their children,
// or wait at once and do the other half afterwards.
struct branching_options {
  std::uint32_t roots = 5;
  time_ns every_ns = k_ns_per_s / 2;  // between two roots
  time_ns root_least_ns = 1 * k_ns_per_s;
  time_ns root_most_ns = 3 * k_ns_per_s;
  time_ns child_least_ns = 3 * k_ns_per_s / 10;
  time_ns child_most_ns = 1 * k_ns_per_s;
  double probability = 0.3;         // of having children at all
  std::uint32_t most_children = 3;  // at least 1, each number equally likely
  std::optional<join_mode> join{};  // how they wait; nothing: not at all

  friend bool operator==(const branching_options&, const branching_options&) = default;
};

// How many children a task has on average. From one on, the process is supercritical or critical: it may never end.
[[nodiscard]] double mean_children(const branching_options& of);

class branching_tasks final : public workload {
 public:
  branching_tasks(const branching_options& options, std::uint64_t seed) : options_{options}, random_{seed} {}

  bool next_arrival(arrival& out) override;
  next_step resume(task& self, task_context& with) override;

 private:
  branching_options options_;
  random_stream random_;  // of the roots
  std::uint32_t rooted_ = 0;
};

// A tree: every node computes, forks its children, joins them and computes again; every leaf computes.
struct fork_join_options {
  std::uint32_t depth = 10;  // of the leaves; 0: the root is a leaf
  std::uint32_t arity = 2;
  time_ns before_ns = 0;
  time_ns after_ns = 0;
  time_ns leaf_ns = k_ns_per_us;
  bool work_first = false;  // a fork runs the child at once and leaves the parent to thieves; else the other way round
  join_mode join = join_mode::continuation;

  friend bool operator==(const fork_join_options&, const fork_join_options&) = default;
};

class fork_join_tree final : public workload {
 public:
  explicit fork_join_tree(const fork_join_options& options) : options_{options} {}

  // Total work, and the longest chain in it.
  [[nodiscard]] time_ns work_ns() const;
  [[nodiscard]] time_ns span_ns() const;
  [[nodiscard]] std::uint64_t tasks() const;

  bool next_arrival(arrival& out) override;
  next_step resume(task& self, task_context& with) override;

 private:
  [[nodiscard]] std::uint64_t nodes_at(std::uint32_t depth) const;

  fork_join_options options_;
  bool has_come_ = false;
};

// Tasks that follow one another. Edges go from lower to higher numbers, so there is no circle.
class task_graph {
 public:
  // The number of the new task.
  std::uint32_t add(time_ns work_ns, policy::priority band = policy::priority::normal);
  // `after` starts when `before` has ended; before < after.
  void add_edge(std::uint32_t before, std::uint32_t after);

  [[nodiscard]] std::size_t size() const { return work_ns_.size(); }
  [[nodiscard]] time_ns work_of_ns(std::uint32_t which) const { return work_ns_[which]; }
  [[nodiscard]] policy::priority band_of(std::uint32_t which) const { return bands_[which]; }
  [[nodiscard]] const std::vector<std::uint32_t>& successors(std::uint32_t which) const { return successors_[which]; }
  [[nodiscard]] const std::vector<std::uint32_t>& predecessor_counts() const { return predecessors_; }

  [[nodiscard]] time_ns work_ns() const;
  [[nodiscard]] time_ns span_ns() const;

 private:
  std::vector<time_ns> work_ns_;
  std::vector<policy::priority> bands_;
  std::vector<std::vector<std::uint32_t>> successors_;
  std::vector<std::uint32_t> predecessors_;
};

// Runs a graph: a task that becomes ready goes into the queue of the worker that made it so, or into the injector.
class graph_workload final : public workload {
 public:
  enum class ready_goes : std::uint8_t { to_the_worker, to_the_injector };

  // The graph outlives the workload.
  explicit graph_workload(const task_graph& graph, ready_goes where = ready_goes::to_the_worker,
                          target roots = target::injector())
      : graph_{graph}, where_{where}, roots_{roots}, left_{graph.predecessor_counts()} {}

  bool next_arrival(arrival& out) override;
  next_step resume(task& self, task_context& with) override;

 private:
  const task_graph& graph_;
  ready_goes where_;
  target roots_;
  std::vector<std::uint32_t> left_;  // predecessors that have not ended
  std::uint32_t next_ = 0;
};

}  // namespace filch::inline v0::sim
