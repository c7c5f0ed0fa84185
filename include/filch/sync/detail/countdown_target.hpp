// The wait for a count of zero, for latches and events.
#pragma once

#include <filch/sync/countdown.hpp>
#include <filch/sync/detail/line_wait.hpp>

#include <cstdint>
#include <stop_token>

namespace filch::inline v0::sync {

struct countdown_target {
  using entry = line_entry<>;
  countdown<>* of;

  [[nodiscard]] bool is_ready() const { return of->is_zero(); }
  bool enter(entry& self) const { return of->wait_or_pass(self); }
  void cancel(entry& self) const noexcept {
    if (of->cancel(self)) wake_entry(self);
  }
  void result() const {}
};

// For a stack or a thread. Throws task_cancelled.
void wait_for_zero(countdown<>& of, const char* why, const std::stop_token& stop);
void count_down(countdown<>& of, std::uint64_t by);

}  // namespace filch::inline v0::sync
