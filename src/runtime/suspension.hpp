// Stacks that are suspended and resumed.
//
// Every worker's loop runs on a stack of the pool. A parent that must wait for its children leaves its stack as it is;
// the thread enters a fresh one with a new loop. The thread that ends the last child gives its own stack, which only
// holds a loop, back to the pool and resumes the parent's.
//
// Who may call what: the thread that runs on the stack, unless a function says otherwise.
#pragma once

#include "stack/fiber.hpp"
#include "stack/pooled_stack.hpp"
#include "stack/stack_pool.hpp"

#include "share/child_counter.hpp"

#include <filch/park/parker.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/share/entry.hpp>
#include <filch/share/latent.hpp>

namespace filch::inline v0 {

// A task that is suspended; it lies on its own stack. In a queue it stands for "resume me".
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

// Calls `loop` on a stack of the pool; returns on the thread's own stack when a loop has returned, this one or that of
// another stack which the thread has come to meanwhile.
using stack_loop = void (*)() noexcept;
void run_on_pooled_stack(stack_pool& pool, stack_loop loop);

// The calling thread of the crew is about to hold no worker: the stacks that it keeps at hand go to the pool.
void give_back_kept_stacks() noexcept;

// The fiber on which the calling thread runs a stack of the pool, or null if it runs none. Code that continues on a
// further fiber, and comes back, says so: then that one moves to other threads with the stack.
[[nodiscard]] fiber* running_fiber() noexcept;
void set_running_fiber(fiber& entered) noexcept;

// The caller waits for its children, unless they have ended: on a worker its stack is suspended, and the thread enters
// `loop` on another one. False: the stack must stay on its thread, or there is no memory for another.
[[nodiscard]] bool suspend(child_counter& children, stack_loop loop) noexcept;
// The same on a thread that holds no worker, or must keep it: the thread sleeps.
void sleep_until_done(child_counter& children) noexcept;
// It sleeps until it is woken, or until then.
void nap_until(time_ns until_ns) noexcept;

// `who` was handed over by a counter or taken from a queue: it resumes as soon as the caller's loop calls one of the
// next two; a thread that sleeps at once.
void continue_soon(suspended_stack& who) noexcept;
// The same, but in its turn: it is put into a queue. Any thread.
void continue_in_turn(suspended_stack& who) noexcept;
// The loop at the bottom of a stack: if a stack is to be resumed, goes there and does not come back.
void continue_others_instead();
// Called while helping: switches to a stack that is to be resumed, and returns when the caller's turn comes. A stack
// that stays on its thread comes back when the thread is done with the other, or that waits.
void continue_others_first();

// ---- stacks that stay on their thread -------------------------------------------------------------------------------

[[nodiscard]] bool does_stay() noexcept;
[[nodiscard]] bool has_staying_stacks() noexcept;
// Switches to the oldest of the calling thread's staying stacks that are ready; there is one.
void continue_staying() noexcept;

}  // namespace filch::inline v0
