// What a runtime takes in, and whether everything is done: its life, and the counts of tasks that come from outside.
//
// Who may call what: any thread, unless a function says otherwise.
#pragma once

#include "task_counts.hpp"
#include "worker.hpp"

#include <filch/base/atomics.hpp>
#include <filch/park/event_count.hpp>

#include <cstdint>
#include <deque>

namespace filch::inline v0 {

// How far a runtime's life has come. It only goes forward.
enum class life : std::uint8_t {
  open,
  draining,    // no submissions from outside any more
  cancelling,  // what has not started is cancelled
  stopped,     // nothing is left, threads end
};
[[nodiscard]] const char* describe(life now);

class admission {
 public:
  explicit admission(const std::deque<worker>& workers) : workers_{workers} {}
  admission(const admission&) = delete;
  admission& operator=(const admission&) = delete;

  [[nodiscard]] life now() const {
    return life_.load(std::memory_order_relaxed);  // ordered by [R7]: every sleeper looks again after its fence
  }
  // The caller wakes all workers after this.
  void go_to(life next);
  // May any thread submit? Until what is there has ended, threads of the crew may.
  [[nodiscard]] bool is_accepting() const { return now() == life::open; }
  [[noreturn]] static void throw_shut_down();

  // Counts a task that comes from outside. The caller looks whether the runtime accepts it after this.
  [[nodiscard]] task_id count_outside();
  // The same for something that has waited here: so the runtime has not seen everything done.
  [[nodiscard]] task_id count_returning() { return task_id{outside_.add_made()}; }
  // A task that was counted so does not come to be, or was cancelled before it was queued.
  void take_back_outside();
  [[nodiscard]] std::uint64_t unfinished_outside() const { return outside_.made_so_far() - outside_.finished_so_far(); }

  // Everything that was made has ended: the threads in wait_idle() are told.
  void note_idle() {
    became_idle_.notify([this] { return is_quiescent(); });
  }
  [[nodiscard]] bool wait_idle(time_ns deadline_ns) {
    return became_idle_.wait([this] { return is_quiescent(); }, deadline_ns);
  }

  // A task was cancelled because of the deadline of a shutdown. Before it is counted as finished.
  void note_cut_short() {
    has_cut_short_.store(true, std::memory_order_relaxed);  // ordered by [R4], the end of the task
  }
  [[nodiscard]] bool has_cut_short() const {
    return has_cut_short_.load(std::memory_order_relaxed);  // ordered by [R5], in wait_idle
  }

  // While it lives, the calling thread, which is no worker of this runtime, queues something that has waited here: the
  // runtime stays until then.
  class errand {
   public:
    explicit errand(admission& at) : at_{at} {
      at_.errands_.fetch_add(1, std::memory_order_relaxed);  // ordered by [R20]: what waited has not ended
    }
    errand(const errand&) = delete;
    errand& operator=(const errand&) = delete;
    ~errand() {
      // [R20] release fetch_sub: this thread is done with the runtime → [R21].
      at_.errands_.fetch_sub(1, std::memory_order_release);
    }

   private:
    admission& at_;
  };
  void wait_for_errands() const;

 private:
  [[nodiscard]] bool is_quiescent() const;

  const std::deque<worker>& workers_;
  std_atomics::atomic<life> life_{life::open};
  std_atomics::atomic<bool> has_cut_short_{false};
  std_atomics::atomic<std::uint32_t> errands_{0};
  task_counts<> outside_;  // finished: those that were refused by the full injector, or came too late
  park::event_count<> became_idle_;
};

}  // namespace filch::inline v0
