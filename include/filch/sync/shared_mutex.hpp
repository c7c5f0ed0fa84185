// shared_mutex: one writer or any number of readers.
//
//   filch::shared_mutex m;
//   { const std::shared_lock lock{m}; … }         readers
//   { const std::unique_lock lock{m}; … }         the writer
//   const auto lock = co_await m.async_lock_shared();              in a coroutine: a reader
//   const auto lock = co_await m.async_lock();                     in a coroutine: the writer
//
// Who may call what: any thread. The lock is not bound to a thread and may be held across joins and co_awaits. Waiters
// are served in order: a reader that arrives behind a waiting writer waits, so writers do not starve; adjacent readers
// in line are served together. The plain forms suspend the calling stack on a worker and block an external thread; the
// async forms suspend the coroutine, and end with task_cancelled when a stop of its task is requested.
#pragma once

#include <filch/sync/detail/permit_target.hpp>

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <stop_token>

namespace filch::inline v0 {

class shared_mutex {
 public:
  shared_mutex() = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  [[nodiscard]] bool try_lock() { return state_.try_take(k_all); }
  // Throws task_cancelled if a stop is requested during the wait.
  void lock(const std::stop_token& stop = {}) {
    if (!state_.try_take(k_all)) sync::wait_for_permits(state_, k_all, k_reason, stop);
  }
  void unlock() { sync::give_permits(state_, k_all); }
  [[nodiscard]] auto async_lock() { return sync::line_awaiter<write_target>{write_target{{&state_, k_all}, this}}; }

  [[nodiscard]] bool try_lock_shared() { return state_.try_take(1); }
  void lock_shared(const std::stop_token& stop = {}) {
    if (!state_.try_take(1)) sync::wait_for_permits(state_, 1, k_reason, stop);
  }
  void unlock_shared() { sync::give_permits(state_, 1); }
  [[nodiscard]] auto async_lock_shared() { return sync::line_awaiter<read_target>{read_target{{&state_, 1}, this}}; }

 private:
  static constexpr std::uint64_t k_all = UINT32_MAX;  // the most readers at a time

  static constexpr const char* k_reason = "shared_mutex";

  struct write_target : sync::permit_target {
    static constexpr const char* k_reason = shared_mutex::k_reason;
    shared_mutex* whole;
    [[nodiscard]] std::unique_lock<shared_mutex> result() const { return std::unique_lock{*whole, std::adopt_lock}; }
  };
  struct read_target : sync::permit_target {
    static constexpr const char* k_reason = shared_mutex::k_reason;
    shared_mutex* whole;
    [[nodiscard]] std::shared_lock<shared_mutex> result() const { return std::shared_lock{*whole, std::adopt_lock}; }
  };

  sync::permits<> state_{k_all};
};

}  // namespace filch::inline v0
