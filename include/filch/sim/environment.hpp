// A simulated world of processes, in the style of SimPy: an environment holds the clock and the pending events, and a
// process is a coroutine that waits for timeouts, events, queues and resources.
//
//   sim::process customer(sim::environment& env, sim::resource& till) {
//     co_await env.timeout(5 * k_ns_per_s);
//     auto held = co_await till.acquire();
//     co_await env.timeout(k_ns_per_s);
//   }
//   sim::environment env;
//   env.start(customer(env, till));
//   env.run();
//
// What happens when depends on nothing but the program: events at one time are ordered by urgency and then by the order
// in which they were scheduled. One thread at a time uses an environment and all that belongs to it.
//
// (I1) A suspended process is resumed by exactly one event: the one whose ticket stands in its slot. Events that
//      were overtaken, by an interrupt for example, stay in the heap and are skipped.
// (I2) The environment owns the frames of the processes it started and destroys those that never ended.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/base/units.hpp>
#include <filch/sim/event_heap.hpp>
#include <filch/sim/wait_list.hpp>

#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

namespace filch::inline v0::sim {

class environment;
class event;
class process_ref;

// Thrown out of a co_await in a process that another one interrupted.
struct interrupted : std::exception {
  explicit interrupted(std::int64_t why) : cause{why} {}
  [[nodiscard]] const char* what() const noexcept override { return "the process was interrupted"; }

  std::int64_t cause;
};

// What a coroutine returns that is to be a process. It owns the coroutine until environment::start takes it.
class [[nodiscard]] process {
 public:
  using promise_type = process_promise;
  using handle = std::coroutine_handle<process_promise>;

  process(process&& other) noexcept : frame_{std::exchange(other.frame_, {})} {}
  process& operator=(process&&) = delete;
  ~process() {
    if (frame_) frame_.destroy();
  }

 private:
  friend class environment;
  friend class process_promise;
  explicit process(handle frame) : frame_{frame} {}

  handle frame_;
};

// The part of a process that lies in its frame. Users see it only when they write awaitables of their own.
class process_promise {
 public:
  process get_return_object() { return process{process::handle::from_promise(*this)}; }
  std::suspend_always initial_suspend() noexcept { return {}; }
  auto final_suspend() noexcept {
    struct ending {
      bool await_ready() const noexcept { return false; }
      void await_suspend(process::handle frame) const noexcept { frame.promise().end(); }
      void await_resume() const noexcept {}
    };
    return ending{};
  }
  void return_void() noexcept {}
  void unhandled_exception() noexcept { failure_ = std::current_exception(); }

  [[nodiscard]] environment& home() const { return *home_; }
  [[nodiscard]] std::uint32_t slot() const { return slot_; }
  [[nodiscard]] bool has_interrupts() const { return !causes_.empty(); }
  void waits_on(wait_node* node) { waits_on_ = node; }
  // Throws the oldest interrupt that was not yet delivered.
  void deliver_interrupt() {
    if (has_interrupts()) [[unlikely]]
      throw_interrupt();
  }

 private:
  friend class environment;
  friend class process_ref;

  void end() noexcept;
  [[noreturn]] void throw_interrupt();

  environment* home_ = nullptr;
  wait_node* waits_on_ = nullptr;  // where it stands in line; null while it waits for the clock only
  std::uint32_t slot_ = 0;
  std::vector<std::int64_t> causes_;  // interrupts to be delivered, the oldest first
  wait_list joiners_;                 // the processes that wait for its end
  std::exception_ptr failure_;
};

// A process that was started. Copies name the same process; the name outlives it.
class process_ref {
 public:
  [[nodiscard]] bool is_done() const;

  // Throws sim::interrupted with this cause out of the co_await in which the process waits, or will wait next. What it
  // waited for is given up: a queue keeps its item, a resource its place. False when the process is done.
  bool interrupt(std::int64_t cause = 0) const;

  // co_await: until the process has ended. Rethrows the exception that ended it, if a process waited by then.
  [[nodiscard]] auto operator co_await() const;

 private:
  friend class environment;
  process_ref(environment& home, std::uint32_t slot, std::uint64_t birth) : home_{&home}, slot_{slot}, birth_{birth} {}
  [[nodiscard]] process_promise& promise() const;

  environment* home_;
  std::uint32_t slot_;
  std::uint64_t birth_;
};

// co_await env.timeout(…): until that much time has passed.
class timeout {
 public:
  explicit timeout(time_ns delay_ns, urgency how) : delay_ns_{delay_ns}, urgency_{how} {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(process::handle waiting);
  void await_resume() { waiting_->deliver_interrupt(); }

 private:
  time_ns delay_ns_;
  urgency urgency_;
  process_promise* waiting_ = nullptr;
};

class environment {
 public:
  environment() = default;
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;
  ~environment();

  [[nodiscard]] time_ns now_ns() const { return now_ns_; }

  // The process runs for the first time when the events already due at this moment have run.
  process_ref start(process what);

  // Zero lets everything else happen that is due now. Not negative.
  [[nodiscard]] sim::timeout timeout(time_ns delay_ns, urgency how = urgency::normal) const {
    FILCH_ASSERT(delay_ns >= 0 && delay_ns <= k_never_ns - 1 - now_ns_, delay_ns, now_ns_);
    return sim::timeout{delay_ns, how};
  }

  // Runs until nothing is pending. Processes that still wait then wait for ever: living() counts them. An exception
  // that ends a process without a waiter is rethrown from here.
  void run() {
    run_while([](time_ns) { return true; });
  }
  // Runs all events up to and at this time; then it is this time.
  void run_until(time_ns at_ns);
  // Runs until the event has happened. False: nothing is pending any more and it has not.
  bool run_until(const event& what);
  // Runs the next event. False: there is none.
  bool step();

  // Processes that were started and have not ended.
  [[nodiscard]] std::uint32_t living() const { return living_; }
  // Events that resumed a process so far.
  [[nodiscard]] std::uint64_t events_run() const { return events_run_; }

  // For awaitables. Schedules that the process of `slot` goes on at that time; its former ticket is void.
  void resume_at(std::uint32_t slot, time_ns at_ns, urgency how = urgency::normal) {
    slots_[slot].awaited = heap_.push(at_ns, slot, how);
  }
  void wake(std::uint32_t slot) { resume_at(slot, now_ns_); }
  // Before a process stands in line: an interrupt that is due comes first. True: it was scheduled, do not wait.
  bool interrupt_instead(process_promise& waiting) {
    if (!waiting.has_interrupts()) [[likely]]
      return false;
    resume_at(waiting.slot(), now_ns_, urgency::urgent);
    return true;
  }

 private:
  friend class process_promise;
  friend class process_ref;

  struct living_process {
    process::handle frame;         // null: free
    ticket awaited = k_no_ticket;  // of the event that resumes it
    std::uint64_t birth = 0;       // which process; slots are used again
  };

  template <class Go>
  void run_while(Go&& go) {
    while (!heap_.is_empty() && go(heap_.top().at_ns)) run_next();
  }

  void run_next() {
    const auto next = heap_.take();
    living_process& subject = slots_[next.what];
    if (subject.awaited != next.ticket) return;
    now_ns_ = next.at_ns;
    subject.awaited = k_no_ticket;
    ++events_run_;
    subject.frame.resume();
    if (failure_) [[unlikely]]
      std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  void ended(process_promise& who) noexcept;

  time_ns now_ns_ = 0;
  event_heap<std::uint32_t> heap_;  // of slots
  std::vector<living_process> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t births_ = 0;
  std::uint64_t events_run_ = 0;
  std::uint32_t living_ = 0;
  std::exception_ptr failure_;  // of a process without a waiter
};

inline void timeout::await_suspend(process::handle waiting) {
  waiting_ = &waiting.promise();
  environment& home = waiting_->home();
  if (home.interrupt_instead(*waiting_)) return;
  home.resume_at(waiting_->slot(), home.now_ns() + delay_ns_, urgency_);
}

// ---- waiting for the end of a process -------------------------------------------------------------------------------

inline bool process_ref::is_done() const { return home_->slots_[slot_].birth != birth_; }

inline process_promise& process_ref::promise() const { return home_->slots_[slot_].frame.promise(); }

inline auto process_ref::operator co_await() const {
  struct joining : wait_node {
    explicit joining(const process_ref& whom) : subject{whom} {}

    [[nodiscard]] bool await_ready() const noexcept { return subject.is_done(); }
    void await_suspend(process::handle frame) { stand_before(subject.promise().joiners_.end(), frame.promise()); }
    void await_resume() { finish(); }

    process_ref subject;
  };
  return joining{*this};
}

}  // namespace filch::inline v0::sim
