// latch: waits until a count has reached zero.
//
//   filch::latch ready{3};
//   ready.count_down();                           called three times
//   co_await ready.async_wait();                  in a coroutine; ready.wait() elsewhere
//
// Who may call what: any thread. A latch is used once. A thread that has waited for it may destroy it, also while the
// last `count_down` has not returned yet. The plain forms suspend the calling stack on a worker and block an external
// thread; the async forms suspend the coroutine, and end with task_cancelled when a stop of its task is requested.
#pragma once

#include <filch/sync/detail/countdown_target.hpp>

#include <cstdint>
#include <stop_token>

namespace filch::inline v0 {

class latch {
 public:
  explicit latch(std::uint64_t count) : state_{count} {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  void count_down(std::uint64_t by = 1) { sync::count_down(state_, by); }
  [[nodiscard]] bool try_wait() const { return state_.is_zero(); }
  // Throws task_cancelled if a stop is requested during the wait.
  void wait(const std::stop_token& stop = {}) const {
    if (!state_.is_zero()) sync::wait_for_zero(state_, target::k_reason, stop);
  }
  void arrive_and_wait(std::uint64_t by = 1, const std::stop_token& stop = {}) {
    count_down(by);
    wait(stop);
  }
  [[nodiscard]] auto async_wait() const { return sync::line_awaiter<target>{target{{&state_}}}; }

 private:
  struct target : sync::countdown_target {
    static constexpr const char* k_reason = "latch";
  };

  mutable sync::countdown<> state_;
};

}  // namespace filch::inline v0
