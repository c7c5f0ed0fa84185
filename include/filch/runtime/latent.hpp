// Latent work: a fork that costs nearly nothing until somebody asks for it.
//
// A fork links a frame, which lies on the caller's stack, into the list of that stack and reads one flag; nothing shared is
// written. A join that finds its frame still latent unlinks it and calls the child: no read-modify-write, no fence. When a
// thief asks, the next fork offers the stack's *oldest* latent frame in its worker's public slot; a thief takes it from
// there with one exchange, the owner takes it back with one compare-exchange. A join whose child was taken suspends its
// stack, and whoever finishes the child continues it, perhaps on another thread.
//
// Who may call what: the code that runs on the stack. `wanted` is written by any thread.
//
// Invariants
//   I1  The frames of a stack form a list, oldest first, and only the newest is unlinked. Those that were offered are a
//       prefix of it: so the newest was offered if and only if it is `last_offered`.
//   I2  When a join must wait, every older frame of its stack was offered: a suspended stack hides no work.
//   I3  A frame is touched by its own stack only, but for its child's function and result, which belong to who runs it.
//   I4  Nobody needs to take an offer: whoever joins it takes it back. A lost request costs parallelism, never progress.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0 {

class offered_task;

struct latent_frame {
  latent_frame* older;
  latent_frame* newer;  // meaningful while this is not the newest
  void (*run_child)(latent_frame&) noexcept;
  offered_task* offer;  // meaningful once it was offered
};

// The latent work of one stack.
struct latent_stack {
  latent_frame* newest = &bottom;
  latent_frame* last_offered = &bottom;
  std_atomics::atomic<std::uint32_t> wanted{0};  // not 0: the next fork looks whether to offer something
  latent_frame bottom{nullptr, nullptr, nullptr, nullptr};
};

namespace detail {

// The stack that the calling thread runs on; null on threads that are no workers. Read only by current_latent_stack().
extern constinit thread_local latent_stack* running_latent_stack asm("filch_v0_running_latent_stack")
    __attribute__((tls_model("initial-exec")));

// Somebody wants work: offers the oldest latent frame, if the slot is free.
[[gnu::cold, gnu::noinline]] void offer_latent(latent_stack& stack) noexcept;
// The frame was offered: takes it back (true: the caller runs the child), or waits until who took it has finished it.
[[gnu::cold, gnu::noinline]] [[nodiscard]] bool join_offered(latent_stack& stack, latent_frame& frame) noexcept;
#if !defined(__x86_64__)
[[gnu::noinline]] latent_stack* read_running_latent_stack() noexcept;
#endif

}  // namespace detail

// The calling thread's. After a join the caller may be on another thread: the compiler must not keep the address of a
// thread-local from before, so it is not told that this is one.
[[nodiscard]] inline latent_stack* current_latent_stack() noexcept {
#if defined(__x86_64__)
  latent_stack* found;
  asm volatile("movq filch_v0_running_latent_stack@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(found));
  return found;
#else
  return detail::read_running_latent_stack();
#endif
}

// Links `frame`, whose child may from now on be run by somebody else.
inline void fork_latent(latent_stack& stack, latent_frame& frame, void (*run_child)(latent_frame&) noexcept) noexcept {
  latent_frame* const older = stack.newest;
  frame.older = older;
  frame.run_child = run_child;
  older->newer = &frame;
  stack.newest = &frame;
  if (stack.wanted.load(std::memory_order_relaxed) != 0) [[unlikely]] detail::offer_latent(stack);  // statistic
}

// Unlinks `frame`, the newest of the running stack. True: the child was not run, and the caller must run it. The stack is
// looked up again, and `frame` found as the newest, so that nothing needs a register while the first function runs.
[[nodiscard]] inline bool join_latent(latent_frame& frame) noexcept {
  latent_stack& stack = *current_latent_stack();
  const bool was_offered = stack.newest == stack.last_offered;  // by I1
  stack.newest = frame.older;
  if (!was_offered) [[likely]] return true;
  return detail::join_offered(stack, frame);
}

}  // namespace filch::inline v0
