#include <filch/sim/workloads.hpp>

#include <filch/base/assert.hpp>

#include <algorithm>

namespace filch::inline v0::sim {
namespace {

time_ns between(random_stream& random, time_ns least_ns, time_ns most_ns) {
  FILCH_ASSERT(least_ns >= 0 && least_ns <= most_ns, least_ns, most_ns);
  return least_ns + static_cast<time_ns>(random.below(static_cast<std::uint64_t>(most_ns - least_ns) + 1));
}

}  // namespace

// ---- task_list ------------------------------------------------------------------------------------------------------

void task_list::add(time_ns work_ns, target where, time_ns at_ns, policy::priority band) {
  FILCH_ASSERT(work_ns >= 0 && at_ns >= 0, work_ns, at_ns);
  FILCH_ASSERT(tasks_.empty() || tasks_.back().at_ns <= at_ns, at_ns);
  tasks_.push_back({at_ns, where, {static_cast<std::uint64_t>(work_ns), 0}, band});
  work_ns_ += work_ns;
}

bool task_list::next_arrival(arrival& out) {
  if (next_ == tasks_.size()) return false;
  out = tasks_[next_++];
  return true;
}

next_step task_list::resume(task& self, task_context&) {
  return self.stage == 0 ? next_step::work(static_cast<time_ns>(self.words[0])) : next_step::end();
}

// ---- branching_tasks ------------------------------------------------------------------------------------------------

double mean_children(const branching_options& of) { return of.probability * (1.0 + of.most_children) / 2; }

// words: length, seed.
bool branching_tasks::next_arrival(arrival& out) {
  if (rooted_ == options_.roots) return false;
  const time_ns work_ns = between(random_, options_.root_least_ns, options_.root_most_ns);
  out = {rooted_ * options_.every_ns, target::by_policy(), {static_cast<std::uint64_t>(work_ns), random_.bits()}, {}};
  out.band = policy::priority::normal;
  ++rooted_;
  return true;
}

next_step branching_tasks::resume(task& self, task_context& with) {
  const auto work_ns = static_cast<time_ns>(self.words[0]);
  if (self.stage == 0) return next_step::work(work_ns / 2);
  if (self.stage == 2 && options_.join) return next_step::work(work_ns - work_ns / 2);
  if (self.stage != 1) return next_step::end();
  random_stream random{self.words[1]};
  if (random.unit() < options_.probability) {
    const std::uint64_t children = 1 + random.below(options_.most_children);
    for (std::uint64_t i = 0; i != children; ++i) {
      const time_ns child_ns = between(random, options_.child_least_ns, options_.child_most_ns);
      const std::uint64_t seed = random.bits();
      if (options_.join) with.spawn(static_cast<std::uint64_t>(child_ns), seed);
      if (!options_.join) with.release(static_cast<std::uint64_t>(child_ns), seed);
    }
  }
  return options_.join ? next_step::join(*options_.join) : next_step::work(work_ns - work_ns / 2);
}

// ---- fork_join_tree -------------------------------------------------------------------------------------------------

std::uint64_t fork_join_tree::nodes_at(std::uint32_t depth) const {
  std::uint64_t nodes = 1;
  for (std::uint32_t i = 0; i != depth; ++i) nodes *= options_.arity;
  return nodes;
}

std::uint64_t fork_join_tree::tasks() const {
  std::uint64_t sum = 0;
  for (std::uint32_t depth = 0; depth <= options_.depth; ++depth) sum += nodes_at(depth);
  return sum;
}

time_ns fork_join_tree::work_ns() const {
  const auto leaves = static_cast<time_ns>(nodes_at(options_.depth));
  const auto inner = static_cast<time_ns>(tasks()) - leaves;
  return leaves * options_.leaf_ns + inner * (options_.before_ns + options_.after_ns);
}

time_ns fork_join_tree::span_ns() const {
  return options_.leaf_ns + options_.depth * (options_.before_ns + options_.after_ns);
}

bool fork_join_tree::next_arrival(arrival& out) {
  if (has_come_) return false;
  has_come_ = true;
  out = {0, target::at(worker_id{0}), {options_.depth, 0}, policy::priority::normal};
  return true;
}

// words: height above the leaves, children made so far.
next_step fork_join_tree::resume(task& self, task_context& with) {
  const std::uint64_t height = self.words[0];
  std::uint64_t& made = self.words[1];
  if (height == 0) return self.stage == 0 ? next_step::work(options_.leaf_ns) : next_step::end();
  if (self.stage == 0) return next_step::work(options_.before_ns);
  if (made < options_.arity) {
    do {
      with.spawn(height - 1);
      ++made;
    } while (!options_.work_first && made != options_.arity);
    return options_.work_first ? next_step::fork() : next_step::join(options_.join);
  }
  if (made == options_.arity && options_.work_first) {
    ++made;
    return next_step::join(options_.join);
  }
  if (made <= options_.arity + 1u) {
    made = options_.arity + 2u;
    return next_step::work(options_.after_ns);
  }
  return next_step::end();
}

// ---- task_graph -----------------------------------------------------------------------------------------------------

std::uint32_t task_graph::add(time_ns work_ns, policy::priority band) {
  FILCH_ASSERT(work_ns >= 0, work_ns);
  work_ns_.push_back(work_ns);
  bands_.push_back(band);
  successors_.emplace_back();
  predecessors_.push_back(0);
  return static_cast<std::uint32_t>(work_ns_.size() - 1);
}

void task_graph::add_edge(std::uint32_t before, std::uint32_t after) {
  FILCH_ASSERT(before < after && after < size(), before, after, size());
  successors_[before].push_back(after);
  ++predecessors_[after];
}

time_ns task_graph::work_ns() const {
  time_ns sum = 0;
  for (const time_ns one : work_ns_) sum += one;
  return sum;
}

time_ns task_graph::span_ns() const {
  std::vector<time_ns> start_ns(size(), 0);
  time_ns longest_ns = 0;
  for (std::uint32_t i = 0; i != size(); ++i) {
    const time_ns end_ns = start_ns[i] + work_ns_[i];
    longest_ns = std::max(longest_ns, end_ns);
    for (const std::uint32_t next : successors_[i]) start_ns[next] = std::max(start_ns[next], end_ns);
  }
  return longest_ns;
}

bool graph_workload::next_arrival(arrival& out) {
  while (next_ != graph_.size() && graph_.predecessor_counts()[next_] != 0) ++next_;
  if (next_ == graph_.size()) return false;
  out = {0, roots_, {next_, 0}, graph_.band_of(next_)};
  ++next_;
  return true;
}

next_step graph_workload::resume(task& self, task_context& with) {
  const auto which = static_cast<std::uint32_t>(self.words[0]);
  if (self.stage == 0) return next_step::work(graph_.work_of_ns(which));
  for (const std::uint32_t next : graph_.successors(which)) {
    if (--left_[next] != 0) continue;
    if (where_ == ready_goes::to_the_worker) {
      with.release(next, 0, graph_.band_of(next));
    } else {
      with.inject(next, 0, graph_.band_of(next));
    }
  }
  return next_step::end();
}

}  // namespace filch::inline v0::sim
