// The wait for permits of a semaphore, a shared mutex or an automatic event.
#pragma once

#include <filch/sync/detail/line_wait.hpp>
#include <filch/sync/permits.hpp>

#include <cstdint>
#include <stop_token>

namespace filch::inline v0::sync {

struct permit_target {
  using entry = permit_entry<>;
  permits<>* of;
  std::uint64_t wanted;

  [[nodiscard]] bool is_ready() const { return of->try_take(wanted); }
  [[nodiscard]] std::uint64_t entry_argument() const { return wanted; }
  bool enter(entry& self) const { return of->take_or_queue(self); }
  void cancel(entry& self) const noexcept { wake_entries<entry>(of->cancel(self)); }
};

// For a stack or a thread. Throws task_cancelled.
void wait_for_permits(permits<>& of, std::uint64_t wanted, const char* why, const std::stop_token& stop);
void give_permits(permits<>& of, std::uint64_t count, std::uint64_t most = UINT64_MAX);

}  // namespace filch::inline v0::sync
