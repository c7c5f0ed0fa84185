// Recorded runs as workloads: the tasks of a recording, with the work, the children and the waits that it shows, on
// another machine, with more workers or under another policy.
//
// What a recording tells, and how it is read:
//   - A task computes between its start (or resume, unblock) and its end (or suspend, block), less the time of tasks that
//     ran inside it on the same worker.
//   - A spawn cuts the parent's work in two: it happens when the parent has done as much as it had then.
//   - A task that suspended or blocked while a child had not ended waits there for all its children so far. One that had
//     none waited for something that the events do not name: it goes on at once, and waits_left_out counts it.
//   - When all children of a task had ended before it ended, it waits for them at its end. Otherwise nobody waits for
//     those that had not.
//   - A task without a parent comes from outside at the time of its spawn.
//   - A task without a start, and all that a gap in the recording hides, is left out; `gaps` counts the lost events.
#pragma once

#include <filch/base/units.hpp>
#include <filch/sim/workload.hpp>
#include <filch/trace/recording.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace filch::inline v0::sim {

// What the tasks of a recording do.
struct recorded_tasks {
  struct act {
    enum class kind : std::uint8_t { work, spawn, release, join };
    kind what = kind::work;
    std::int64_t value = 0;  // nanoseconds of work, or the number of the child

    friend bool operator==(const act&, const act&) = default;
  };
  struct root {
    time_ns at_ns = 0;
    std::uint32_t task = 0;

    friend bool operator==(const root&, const root&) = default;
  };

  std::vector<std::vector<act>> acts;  // by task
  std::vector<root> roots;             // in the order of their times
  std::uint64_t waits_left_out = 0;
  std::uint64_t gaps = 0;

  [[nodiscard]] std::size_t size() const { return acts.size(); }
  [[nodiscard]] time_ns work_ns() const;
  // The longest chain of work, from the first arrival on.
  [[nodiscard]] time_ns span_ns() const;

  // Throws std::invalid_argument when the recording is broken (recording::check) or holds no task that ran.
  [[nodiscard]] static recorded_tasks from(const trace::recording& recording);
};

class replay final : public workload {
 public:
  // The tasks outlive the workload.
  explicit replay(const recorded_tasks& tasks, join_mode how = join_mode::continuation) : tasks_{tasks}, how_{how} {}

  bool next_arrival(arrival& out) override;
  next_step resume(task& self, task_context& with) override;

 private:
  const recorded_tasks& tasks_;
  join_mode how_;
  std::size_t next_ = 0;
};

}  // namespace filch::inline v0::sim
