// The lesson's world as a state machine: workers with their lists of tasks, and one more process beside them.
//
// A worker is in one of three states: about to look for a task, in the middle of one, or about to complete one. Its
// next event takes it from there as far as it gets without time passing.
#pragma once

#include <filch/sim/event_heap.hpp>
#include <filch/sim/lesson_random.hpp>

#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace filch::inline v0::sim::lesson {

struct lesson_task {
  std::string name;
  double duration_s = 0;
};

enum class thieves : std::uint8_t { random, adaptive };

struct world_options {
  std::uint32_t workers = 1;
  thieves how = thieves::random;
  bool spawns = false;  // tasks may have children
  bool prints = true;   // the log, not the statistics
};

class world {
 public:
  world(const world_options& options, lesson_random& random, std::ostream& out);

  [[nodiscard]] double now_s() const { return now_s_; }

  // A new task of this length on a random worker.
  void submit(double duration_s);
  // A task of this name on this worker, without a word.
  void place(std::uint32_t worker, lesson_task task) { workers_[worker].tasks.push_back(std::move(task)); }

  // One more process, which starts after the workers: `step` says after how many seconds it wants to go on, or less
  // than 0 when it has ended.
  void add_process(std::function<double()> step);

  // Runs all events up to and at this time.
  void run_until(double end_s);

  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] std::uint64_t executed() const;
  [[nodiscard]] std::uint64_t stolen() const;
  [[nodiscard]] double last_completion_s() const { return last_completion_s_; }
  [[nodiscard]] std::size_t queue_size(std::uint32_t worker) const { return workers_[worker].tasks.size(); }
  void print_statistics() const;

 private:
  enum class state : std::uint8_t { looking, halfway, ending };

  struct lesson_worker {
    std::deque<lesson_task> tasks;  // the owner's end is the back
    lesson_task running{};
    bool is_busy = false;
    state at = state::looking;
    std::uint64_t executed = 0;
    std::uint64_t stolen = 0;
  };

  void schedule(std::uint32_t process, double delay_s);
  void go_on(std::uint32_t worker);
  // True if there was one.
  bool find_task(std::uint32_t worker);
  bool steal(std::uint32_t thief);
  void order_victims(std::uint32_t thief);
  void execute(std::uint32_t worker);
  void have_children(std::uint32_t worker);
  void complete(std::uint32_t worker);
  // "[1.5] ", and "Worker 3: " behind it.
  std::ostream& line();
  std::ostream& line(std::uint32_t worker);

  world_options options_;
  lesson_random& random_;
  std::ostream& out_;
  double now_s_ = 0;
  double last_completion_s_ = 0;
  std::uint32_t submitted_ = 0;
  std::vector<lesson_worker> workers_;
  std::vector<std::uint32_t> victims_;
  std::function<double()> process_;
  event_heap<std::uint32_t> pending_;
};

// A number with `digits` digits behind the point, the same with every locale and compiler.
[[nodiscard]] std::string fixed(double value, int digits);

}  // namespace filch::inline v0::sim::lesson
