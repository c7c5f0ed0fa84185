// The tasks of simulated workers, which a workload makes and drives.
//
// The model gets two things from a workload: the tasks from outside, and the next step of a task. Tasks from outside
// come at their times, or when all tasks before them have ended, because a thread waited for these. `resume` is called
// when a task starts and after each of its steps, so the task goes through stages:
//
//   next_step resume(task& self, task_context& with) override {
//     switch (self.stage) {
//       case 0: return next_step::work(10);
//       case 1: with.spawn(…); with.spawn(…); return next_step::join();
//       case 2: return next_step::work(5);
//       default: return next_step::end();
//     }
//   }
//
// A workload that draws at random takes its numbers from the task (a seed in its words), not from a stream of its own:
// then the work is the same whatever the schedule.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/base/units.hpp>
#include <filch/policy/names.hpp>

#include <cstdint>

namespace filch::inline v0::sim {

// Where in the model's memory a task lies.
using task_place = std::uint32_t;
inline constexpr task_place k_no_place = UINT32_MAX;

// What a worker does while the task it runs waits for its children.
enum class join_mode : std::uint8_t {
  continuation,  // leaves the task and looks for other work; the worker of the last child goes on with it
  helping,       // keeps the task and runs others on top of it; goes on with it when those and the children have ended
  blocking,      // nothing: it sits there. When all workers do, and children lie in their queues, nothing goes on.
};

// A task that was made and has not ended.
struct task {
  static constexpr std::uint32_t k_no_home = (1u << 28) - 1;

  enum class wait : std::uint8_t { none, suspended, helped, blocked };  // in a join

  std::uint64_t number = 0;     // in the order in which they were made
  std::uint64_t words[2] = {};  // the workload's own
  task_place parent = k_no_place;
  std::uint32_t pending = 0;  // children that have not ended
  std::uint32_t stage = 0;    // how often it was asked before
  policy::priority band : 2 = policy::priority::normal;
  wait waits : 2 = wait::none;
  std::uint32_t home : 28 =
      k_no_home;  // the worker that made it, or ran it last where that matters; none: from outside

  void set_home(std::uint32_t worker) { home = worker & k_no_home; }
};
static_assert(sizeof(task) <= 40);

// What a task does next.
struct next_step {
  enum class kind : std::uint8_t {
    work,  // computes for so long
    fork,  // puts itself into the worker's queue, and the child it made last runs at once: work-first
    join,  // goes on when all its children have ended; what its worker does meanwhile is the join_mode
    wait,  // leaves its worker and goes on when the signal has come, or at once if it has; one task waits for a signal
    end,
  };
  static constexpr std::uint64_t k_no_signal = UINT64_MAX;

  kind what = kind::end;
  join_mode how = join_mode::continuation;
  time_ns work_ns = 0;
  std::uint64_t signal = k_no_signal;  // to wait for; with `end`: to give; its worker then resumes the waiter

  [[nodiscard]] static next_step work(time_ns span_ns) { return {kind::work, {}, span_ns}; }
  [[nodiscard]] static next_step fork() { return {kind::fork, {}, 0}; }
  [[nodiscard]] static next_step join(join_mode how = join_mode::continuation) { return {kind::join, how, 0}; }
  [[nodiscard]] static next_step wait(std::uint64_t signal) { return {kind::wait, {}, 0, signal}; }
  [[nodiscard]] static next_step end(std::uint64_t signal = k_no_signal) { return {kind::end, {}, 0, signal}; }
};

// What a task can do inside `resume`.
class task_context {
 public:
  // A child: into the own queue, and the next join waits for it. Children of one answer become visible together.
  virtual void spawn(std::uint64_t word0, std::uint64_t word1 = 0,
                     policy::priority band = policy::priority::normal) = 0;
  // A task that is not awaited: into the own queue, or into the injector.
  virtual void release(std::uint64_t word0, std::uint64_t word1 = 0,
                       policy::priority band = policy::priority::normal) = 0;
  virtual void inject(std::uint64_t word0, std::uint64_t word1 = 0,
                      policy::priority band = policy::priority::normal) = 0;
  // The task that waits for this signal, or will, becomes ready: it lies in the own queue now if it waits. Signals are
  // small numbers, each given once. In a body that does not know them no task waits.
  virtual void signal(std::uint64_t /*which*/) {}

  [[nodiscard]] virtual time_ns now_ns() const = 0;
  [[nodiscard]] virtual worker_id worker() const = 0;
  // How many tasks lie in the worker's own queue, all bands together.
  [[nodiscard]] virtual std::uint32_t queue_size() const = 0;

 protected:
  ~task_context() = default;
};

// Where a task from outside goes.
struct target {
  enum class kind : std::uint8_t {
    policy,  // where the placement policy says
    injector,
    worker,  // to that worker: into its queue at the very beginning, into its mail later; it may be stolen
    pinned,  // to that worker, and never stolen
  };

  kind what = kind::policy;
  worker_id worker = worker_id::none();

  [[nodiscard]] static target by_policy() { return {}; }
  [[nodiscard]] static target injector() { return {kind::injector, worker_id::none()}; }
  [[nodiscard]] static target at(worker_id worker) { return {kind::worker, worker}; }
  [[nodiscard]] static target pinned_to(worker_id worker) { return {kind::pinned, worker}; }

  friend bool operator==(const target&, const target&) = default;
};

// A task that comes from outside.
struct arrival {
  time_ns at_ns = 0;
  target where{};
  std::uint64_t words[2] = {};
  policy::priority band = policy::priority::normal;
};

class workload {
 public:
  virtual ~workload() = default;

  // The next task from outside, or false if there are no more. Their times never decrease.
  virtual bool next_arrival(arrival& out) = 0;
  // All tasks have ended at `ended_ns`, and next_arrival had no more: the task that a thread outside submits because of
  // that, or false when the run is over. next_arrival continues after it.
  virtual bool next_after_all(time_ns /*ended_ns*/, arrival& /*out*/) { return false; }
  virtual next_step resume(task& self, task_context& with) = 0;
};

}  // namespace filch::inline v0::sim
