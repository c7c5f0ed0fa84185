// What a worker keeps at hand for the coroutines that run on it.
//
// Who may call what: the thread that holds the worker.
#pragma once

#include <cstdint>

namespace filch::inline v0 {

struct lane {
  static constexpr std::uint32_t k_budget = 128;  // guess

  // So many operations that are ready may still be awaited before others have a turn.
  std::uint32_t budget = k_budget;
};

namespace detail {

// Of the worker that the calling thread holds; null: it holds none. Read by current_lane().
extern constinit thread_local lane* running_lane asm("filch_v0_running_lane") __attribute__((tls_model("initial-exec")));
#if !defined(__x86_64__)
[[gnu::noinline]] lane* read_running_lane() noexcept;
#endif

}  // namespace detail

// After a suspension the caller may be on another thread: the compiler must not keep the address of a thread-local from
// before, so it is not told that this is one.
[[nodiscard]] inline lane* current_lane() noexcept {
#if defined(__x86_64__)
  lane* found;
  asm volatile("movq filch_v0_running_lane@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(found));
  return found;
#else
  return detail::read_running_lane();
#endif
}

}  // namespace filch::inline v0
