// barrier: a fixed number of parties that wait for each other in rounds.
//
//   filch::barrier turn{3};
//   co_await turn.async_arrive_and_wait();        in a coroutine; turn.arrive_and_wait() elsewhere
//
// Who may call what: any thread. In each round exactly one party, the last to arrive, gets true. A party whose wait is
// cancelled counts as not arrived, so the others keep waiting. The plain form suspends the calling stack on a worker
// and blocks an external thread; the async form suspends the coroutine, and ends with task_cancelled when a stop of its
// task is requested.
#pragma once

#include <filch/sync/detail/line_wait.hpp>
#include <filch/sync/short_lock.hpp>

#include <cstdint>
#include <stop_token>

namespace filch::inline v0 {

class barrier {
 public:
  // Throws std::invalid_argument for 0 parties.
  explicit barrier(std::uint64_t parties);
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  // True for the last party of the round. Throws task_cancelled if a stop is requested during the wait.
  bool arrive_and_wait(const std::stop_token& stop = {});
  [[nodiscard]] auto async_arrive_and_wait() { return awaiter{*this}; }
  // Removes one party, from this round on.
  void arrive_and_drop();

 private:
  struct entry : sync::line_entry<> {
    bool is_last = false;
  };

  // True: `self` is in line, and will be woken. False: it was the last to arrive, or was cancelled before.
  bool enter(entry& self);
  void cancel(entry& self) noexcept;
  // Called with lock_ held: if all parties have arrived, ends the round. Returns the entries to wake.
  [[nodiscard]] sync::wake_list<> end_round();

  struct target {
    barrier* of;
    bool enter(entry& self) { return of->enter(self); }
    void cancel(entry& self) noexcept { of->cancel(self); }
  };

  class [[nodiscard]] awaiter {
   public:
    static constexpr const char* k_reason = "barrier";

    explicit awaiter(barrier& of) : self_{target{&of}, "barrier"} {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
      return self_.suspend(who);
    }
    bool await_resume() {
      self_.end();
      return self_.is_last;
    }

   private:
    sync::line_wait<target, entry> self_;
  };

  sync::short_lock<> lock_;
  // Guarded by lock_.
  std::uint64_t parties_;
  std::uint64_t arrived_ = 0;
  sync::wait_line<> line_;
};

}  // namespace filch::inline v0
