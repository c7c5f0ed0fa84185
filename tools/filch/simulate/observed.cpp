#include "observed.hpp"

#include <algorithm>

namespace filch::tool {

bool observed_workload::next_arrival(sim::arrival& out) {
  note_root();
  has_announced_ = inner_.next_arrival(out);
  announced_ = out;
  return has_announced_;
}

bool observed_workload::next_after_all(time_ns ended_ns, sim::arrival& out) {
  note_root();
  has_announced_ = inner_.next_after_all(ended_ns, out);
  announced_ = out;
  return has_announced_;
}

// The arrival announced before has come by now.
void observed_workload::note_root() {
  if (!has_announced_) return;
  tasks_.push_back({.came_ns = announced_.at_ns, .band = announced_.band});
}

sim::next_step observed_workload::resume(sim::task& self, sim::task_context& with) {
  {
    observed_task& seen = tasks_[self.number];
    if (self.stage == 0) seen.start_ns = with.now_ns();
    if (seen.joins_since_ns != k_never_ns) {
      seen.joined_ns += with.now_ns() - seen.joins_since_ns;
      seen.joins_since_ns = k_never_ns;
    }
  }
  with_ = &with;
  asked_ = self.number;
  const sim::next_step next = inner_.resume(self, *this);
  observed_task& seen = tasks_[self.number];  // the tasks it made may have moved it
  seen.work_ns += next.work_ns;
  if (next.what == sim::next_step::kind::join) seen.joins_since_ns = with.now_ns();
  if (next.what == sim::next_step::kind::end) seen.end_ns = with.now_ns();
  return next;
}

// A task's children have higher numbers than itself.
std::vector<time_ns> observed_workload::spans_ns() const {
  std::vector<time_ns> spans(tasks_.size());
  std::vector<time_ns> longest_below(tasks_.size());
  for (std::size_t i = tasks_.size(); i-- != 0;) {
    spans[i] = tasks_[i].work_ns + longest_below[i];
    const std::uint64_t parent = tasks_[i].parent;
    if (parent != observed_task::k_no_parent) longest_below[parent] = std::max(longest_below[parent], spans[i]);
  }
  return spans;
}

void observed_workload::spawn(std::uint64_t word0, std::uint64_t word1, policy::priority band) {
  tasks_.push_back({.came_ns = now_ns(), .band = band, .parent = asked_});
  with_->spawn(word0, word1, band);
}

void observed_workload::release(std::uint64_t word0, std::uint64_t word1, policy::priority band) {
  tasks_.push_back({.came_ns = now_ns(), .band = band, .parent = asked_});
  with_->release(word0, word1, band);
}

void observed_workload::inject(std::uint64_t word0, std::uint64_t word1, policy::priority band) {
  tasks_.push_back({.came_ns = now_ns(), .band = band, .parent = asked_});
  with_->inject(word0, word1, band);
}

}  // namespace filch::tool
