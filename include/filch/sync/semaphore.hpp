// semaphore: a number of permits that are taken and given back.
//
//   filch::semaphore places{3};
//   co_await places.async_acquire();              in a coroutine; places.acquire() elsewhere
//   places.release();
//
// Who may call what: any thread; who releases need not be who acquired. Those who wait are served in the order in which
// they came, also if a later one would be content with less. The plain forms suspend the calling stack on a worker and
// block any other thread; the async forms suspend the coroutine, and end with task_cancelled when its task is told to
// stop.
#pragma once

#include <filch/sync/detail/permit_place.hpp>

#include <cstdint>
#include <stop_token>

namespace filch::inline v0 {

class semaphore {
 public:
  explicit semaphore(std::uint64_t initial) : state_{initial} {}
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  [[nodiscard]] bool try_acquire(std::uint64_t count = 1) { return state_.try_take(count); }
  // Throws task_cancelled if it is told to stop while it waits.
  void acquire(std::uint64_t count = 1, const std::stop_token& stop = {}) {
    if (!state_.try_take(count)) sync::wait_for_permits(state_, count, place::k_reason, stop);
  }
  [[nodiscard]] auto async_acquire(std::uint64_t count = 1) {
    return sync::line_awaiter<place>{place{{&state_, count}}};
  }
  void release(std::uint64_t count = 1) { sync::give_permits(state_, count); }

  // How many there were a moment ago.
  [[nodiscard]] std::uint64_t available() const { return state_.available(); }

 private:
  struct place : sync::permit_place {
    static constexpr const char* k_reason = "semaphore";
    void result() const {}
  };

  mutable sync::permits<> state_;
};

}  // namespace filch::inline v0
