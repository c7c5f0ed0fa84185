// semaphore: a number of permits that are acquired and released.
//
//   filch::semaphore places{3};
//   co_await places.async_acquire();              in a coroutine; places.acquire() elsewhere
//   places.release();
//
// Who may call what: any thread; permits need not be released by the thread that acquired them. Waiters are served in
// order of arrival, also if a later one requests fewer permits. The plain forms suspend the calling stack on a worker
// and block an external thread; the async forms suspend the coroutine, and end with task_cancelled when a stop of its
// task is requested.
#pragma once

#include <filch/sync/detail/permit_target.hpp>

#include <cstdint>
#include <stop_token>

namespace filch::inline v0 {

class semaphore {
 public:
  explicit semaphore(std::uint64_t initial) : state_{initial} {}
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  [[nodiscard]] bool try_acquire(std::uint64_t count = 1) { return state_.try_take(count); }
  // Throws task_cancelled if a stop is requested during the wait.
  void acquire(std::uint64_t count = 1, const std::stop_token& stop = {}) {
    if (!state_.try_take(count)) sync::wait_for_permits(state_, count, target::k_reason, stop);
  }
  [[nodiscard]] auto async_acquire(std::uint64_t count = 1) {
    return sync::line_awaiter<target>{target{{&state_, count}}};
  }
  void release(std::uint64_t count = 1) { sync::give_permits(state_, count); }

  // The number of available permits, which may be outdated on return.
  [[nodiscard]] std::uint64_t available() const { return state_.available(); }

 private:
  struct target : sync::permit_target {
    static constexpr const char* k_reason = "semaphore";
    void result() const {}
  };

  mutable sync::permits<> state_;
};

}  // namespace filch::inline v0
