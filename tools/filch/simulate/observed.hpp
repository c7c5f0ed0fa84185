// A workload that notes when each of its tasks came, started and ended, while it does what another workload says.
#pragma once

#include <cstdint>
#include <filch/sim/workload.hpp>
#include <vector>

namespace filch::tool {

struct observed_task {
  static constexpr std::uint64_t k_no_parent = UINT64_MAX;

  time_ns came_ns = 0;  // when it was made
  time_ns start_ns = k_never_ns;
  time_ns end_ns = k_never_ns;
  policy::priority band = policy::priority::normal;
  std::uint64_t parent = k_no_parent;   // the task that made it; none: it came from outside
  time_ns work_ns = 0;                  // what it computed so far
  time_ns joined_ns = 0;                // in joins altogether, until it went on
  time_ns joins_since_ns = k_never_ns;  // when the join began in which it is now

  [[nodiscard]] bool has_started() const { return start_ns != k_never_ns; }
  [[nodiscard]] time_ns wait_ns() const { return start_ns - came_ns; }
  [[nodiscard]] time_ns sojourn_ns() const { return end_ns - came_ns; }
};

class observed_workload final : public sim::workload, private sim::task_context {
 public:
  explicit observed_workload(sim::workload& inner) : inner_{inner} {}

  // By task number: the order in which they were made.
  [[nodiscard]] const std::vector<observed_task>& tasks() const { return tasks_; }

  // Of every task: its work and the longest chain of work among its descendants.
  [[nodiscard]] std::vector<time_ns> spans_ns() const;

  bool next_arrival(sim::arrival& out) override;
  bool next_after_all(time_ns ended_ns, sim::arrival& out) override;
  sim::next_step resume(sim::task& self, sim::task_context& with) override;

 private:
  void spawn(std::uint64_t word0, std::uint64_t word1, policy::priority band) override;
  void release(std::uint64_t word0, std::uint64_t word1, policy::priority band) override;
  void inject(std::uint64_t word0, std::uint64_t word1, policy::priority band) override;
  void signal(std::uint64_t which) override { with_->signal(which); }
  [[nodiscard]] time_ns now_ns() const override { return with_->now_ns(); }
  [[nodiscard]] worker_id worker() const override { return with_->worker(); }
  [[nodiscard]] std::uint32_t queue_size() const override { return with_->queue_size(); }
  void note_root();

  sim::workload& inner_;
  sim::task_context* with_ = nullptr;  // of the task that is asked
  std::uint64_t asked_ = 0;
  std::vector<observed_task> tasks_;
  // The model asks for the next arrival ahead of time, so one that was given may not have come yet.
  bool has_announced_ = false;
  sim::arrival announced_{};
};

}  // namespace filch::tool
