// latch: waits until a number of things have happened.
//
//   filch::latch ready{3};
//   ready.count_down();                           each of three
//   co_await ready.async_wait();                  in a coroutine; ready.wait() elsewhere
//
// Who may call what: any thread. It is used once. Whoever has waited for it may destroy it, also while the last
// `count_down` returns. The plain forms suspend the calling stack on a worker and block any other thread; the async
// forms suspend the coroutine, and end with task_cancelled when its task is told to stop.
#pragma once

#include <filch/sync/detail/countdown_place.hpp>

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
  // Throws task_cancelled if it is told to stop while it waits.
  void wait(const std::stop_token& stop = {}) const {
    if (!state_.is_zero()) sync::wait_for_zero(state_, place::k_reason, stop);
  }
  void arrive_and_wait(std::uint64_t by = 1, const std::stop_token& stop = {}) {
    count_down(by);
    wait(stop);
  }
  [[nodiscard]] auto async_wait() const { return sync::line_awaiter<place>{place{{&state_}}}; }

 private:
  struct place : sync::countdown_place {
    static constexpr const char* k_reason = "latch";
  };

  mutable sync::countdown<> state_;
};

}  // namespace filch::inline v0
