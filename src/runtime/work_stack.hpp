// The stacks that tasks run on, and the switches between them.
//
// Every worker's loop runs on a stack of the pool. A parent that must wait for its children leaves its stack as it is;
// the thread resumes with a new loop on a fresh one. Whoever ends the last child leaves its own stack, which only holds
// a loop, to the pool and continues the parent's.
//
// Who may call what: the thread that runs on the stack; the pool any thread; what a thread keeps at hand that thread.
// Nothing here is called by a signal handler but running_latent_stack().
#pragma once

#include "stack/fiber.hpp"
#include "stack/pooled_stack.hpp"
#include "stack/stack_pool.hpp"

#include <filch/park/parker.hpp>
#include <filch/share/entry.hpp>
#include <filch/share/join_counter.hpp>
#include <filch/share/latent.hpp>
#include <filch/runtime/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>

namespace filch::inline v0 {

// The latent frames of a stack lie in its header.
static_assert(alignof(latent_stack) <= stack_header::k_alignment);
inline constexpr stack_header k_latent_header{sizeof(latent_stack),
                                              [](void* memory) noexcept { ::new (memory) latent_stack; }};
[[nodiscard]] inline latent_stack& latent_of(const pooled_stack& stack) {
  return *std::launder(static_cast<latent_stack*>(stack.header));
}

// A task that stands still; it lies on its own stack. In a queue it stands for "continue me".
class suspended_stack final : public queue_entry {
 public:
  suspended_stack(pooled_stack& of, task_record* task, runtime::core& at)
      : queue_entry{entry_kind::stack}, stack{&of}, running{task}, core{&at} {}
  // The thread sleeps instead, on a parker that lives as long as the thread.
  explicit suspended_stack(park::parker<>& where) : queue_entry{entry_kind::stack}, sleeper{&where} {}

  pooled_stack* const stack = nullptr;
  park::parker<>* const sleeper = nullptr;
  task_record* const running = nullptr;
  runtime::core* const core = nullptr;
  suspended_stack* older = nullptr;  // of the same thread, which both must stay on
};

using child_counter = join_counter<suspended_stack>;

// ---- what a thread does with its stacks -----------------------------------------------------------------------------

// Calls `loop` on a stack of the pool; returns on the thread's own stack when a loop has returned, this one or that of
// another stack which the thread has come to meanwhile.
using stack_loop = void (*)() noexcept;
void run_on_work_stack(stack_pool& pool, stack_loop loop);

// The calling thread of the crew is about to hold no worker: what it keeps at hand goes to the pool.
void give_back_kept_stacks() noexcept;

// The stack that the calling thread runs on, or null for its own.
[[nodiscard]] latent_stack* running_latent_stack() noexcept;

// The fiber on which the calling thread runs a stack of the pool, or null if it runs none. Whoever resumes on a further
// fiber, and comes back, says so: then that one moves to other threads with the stack.
[[nodiscard]] fiber* running_fiber() noexcept;
void set_running_fiber(fiber& entered) noexcept;

// stack_exhausted is on its way on the calling thread.
void note_stack_exhausted() noexcept;
// What a join throws, and a scope.
[[noreturn]] void throw_stack_exhausted();

// The thread of the crew waits, and another one stands in for it: `nap(k_never_ns)` returns when `is_over()`. Where
// none may, it runs others until then, and naps when there are none. A stack that stays on its thread gets a stand-in
// beyond the bound, too.
void wait_here(const std::function<bool()>& is_over, const std::function<void(time_ns)>& nap);

// The caller waits for its children. On a worker this suspends the stack, unless they have ended; elsewhere, or if the
// stack must stay on its thread, the thread sleeps.
void suspend_until_done(child_counter& children) noexcept;

// `who` was handed over by a gate or taken from a queue: it resumes as soon as the caller's loop calls one of the next
// two; a thread that sleeps at once.
void continue_soon(suspended_stack& who) noexcept;
// The same, but in its turn: it is put into a queue. Any thread.
void continue_in_turn(suspended_stack& who) noexcept;
// The loop at the bottom of a stack: if a stack is to be continued, goes there and does not come back.
void continue_others_instead();
// A task that runs others while it waits: if a stack is to be continued, goes there, and comes back when its turn
// comes. A stack that stays on its thread comes back when the thread is done with the other, or that waits, and does
// not block the thread.
void continue_others_first();

}  // namespace filch::inline v0
