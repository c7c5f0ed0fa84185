// barrier: a number of parties that wait for each other, again and again.
//
//   filch::barrier turn{3};
//   co_await turn.async_arrive_and_wait();        in a coroutine; turn.arrive_and_wait() elsewhere
//
// Who may call what: any thread. Of each round exactly one party, the last, gets true. Who is cancelled while it waits
// has not arrived; so the others go on waiting. The plain form suspends the calling stack on a worker and blocks any
// other thread; the async form suspends the coroutine, and ends with task_cancelled when its task is told to stop.
#pragma once

#include <filch/sync/detail/line_wait.hpp>
#include <filch/sync/short_lock.hpp>

#include <cstdint>
#include <stop_token>

namespace filch::inline v0 {

class barrier {
 public:
  // Throws std::invalid_argument if nobody takes part.
  explicit barrier(std::uint64_t parties);
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  // True for the last of the round. Throws task_cancelled if it is told to stop while it waits.
  bool arrive_and_wait(const std::stop_token& stop = {});
  [[nodiscard]] auto async_arrive_and_wait() { return awaiter{*this}; }
  // One party less, from this round on.
  void arrive_and_drop();

 private:
  struct entry : sync::line_entry<> {
    bool is_last = false;
  };

  // True: `self` waits for others. False: it was the last, or has given up before.
  bool enter(entry& self);
  void cancel(entry& self) noexcept;
  // Holds lock_: if all have arrived, they go on.
  [[nodiscard]] sync::wake_list<> end_round();

  struct place {
    barrier* of;
    bool enter(entry& self) { return of->enter(self); }
    void cancel(entry& self) noexcept { of->cancel(self); }
  };

  class [[nodiscard]] awaiter {
   public:
    static constexpr const char* k_reason = "barrier";

    explicit awaiter(barrier& of) : self_{place{&of}, "barrier"} {}
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
    sync::line_wait<place, entry> self_;
  };

  sync::short_lock<> lock_;
  // Guarded by lock_.
  std::uint64_t parties_;
  std::uint64_t arrived_ = 0;
  sync::wait_line<> line_;
};

}  // namespace filch::inline v0
