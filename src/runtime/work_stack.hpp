// The stacks that tasks run on, and the switches between them.
//
// Every worker's loop runs on a stack of the pool. A parent that must wait for its children leaves its stack as it is; the
// thread goes on with a new loop on a fresh one. Whoever ends the last child leaves its own stack, which only holds a loop,
// to the pool and continues the parent's.
//
// Who may call what: the thread that runs on the stack; the pool any thread.
#pragma once

#include "fiber.hpp"
#include "offer_slot.hpp"

#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>
#include <filch/base/units.hpp>
#include <filch/runtime/gate.hpp>
#include <filch/runtime/latent.hpp>
#include <filch/runtime/task.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace filch::inline v0 {

struct work_stack {
  explicit work_stack(std::size_t bytes) : body{bytes} {}

  fiber body;
  alignas(k_no_sharing_bytes) latent_stack latent;
};

// A task that stands still; it lies on its own stack. In a queue it stands for "continue me".
class suspended_stack final : public task_base {
 public:
  suspended_stack(work_stack& of, task_base* task) : task_base{1}, stack{&of}, running{task} { is_suspended_stack = true; }

  work_stack* const stack;
  task_base* const running;

 private:
  void run() noexcept override {}
  void abandon() noexcept override {}
};

using join_gate = gate<suspended_stack>;

// Stacks are made as they are needed and live as long as the pool: thieves may hold on to one that was given back.
class stack_pool {
 public:
  // So many bytes each, or fewer where the address space is limited; those that lie unused beyond `warm` give their pages back.
  stack_pool(std::size_t stack_bytes, std::size_t warm) : warm_{warm}, stack_bytes_{stack_bytes} {}

  // Throws std::bad_alloc.
  [[nodiscard]] work_stack& get();
  void put(work_stack& unused) noexcept;
  [[nodiscard]] std::size_t made() const;

 private:
  static constexpr std::size_t k_least_bytes = std::size_t{64} << 10;

  const std::size_t warm_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::size_t stack_bytes_;
  std::vector<std::unique_ptr<work_stack>> all_;
  std::vector<work_stack*> unused_;  // has room for all
};

// A latent frame that was offered. Two references: the frame's and the slot's.
class offered_task final : public task_base {
 public:
  offered_task(latent_frame& of, offer_slot<offered_task>& at, task_id parent_)
      : task_base{2}, parent{parent_}, slot{&at}, children{1}, frame_{&of} {
    ignores_shutdown = true;
  }

  const task_id parent;
  // Where it was offered: its stack may have changed its worker since.
  offer_slot<offered_task>* const slot;
  join_gate children;

 private:
  void run() noexcept override;
  void abandon() noexcept override {}

  latent_frame* const frame_;
};

// A worker's place for offers and requests.
class alignas(k_no_sharing_bytes) latent_desk {
 public:
  offer_slot<offered_task> slot;

  // Any thread: the stack that this worker runs shall offer something at its next fork.
  void ask() {
    // [L7] acquire load: the stack is complete ← [L6].
    latent_stack* const stack = listener_.load(std::memory_order_acquire);
    // statistic: nothing but speed depends on it
    if (stack == nullptr || stack->wanted.load(std::memory_order_relaxed) != 0) return;
    stack->wanted.store(1, std::memory_order_relaxed);  // statistic
  }
  // The holder: this is the stack that runs now, or none. Requests to the one before are made good by looking once.
  void listen(latent_stack* running) {
    if (running != nullptr) running->wanted.store(1, std::memory_order_relaxed);  // statistic
    // [L6] release store: publishes the stack → [L7].
    listener_.store(running, std::memory_order_release);
  }

 private:
  std_atomics::atomic<latent_stack*> listener_{nullptr};
};

// How often a thief asks: one that got tiny tasks asks less and less often, so that it does not make its victim publish at
// every fork.
class request_pace {
 public:
  [[nodiscard]] bool may_ask(time_ns now_ns) {
    if (taken_at_ns_ != 0) {
      const bool was_tiny = now_ns - taken_at_ns_ < k_tiny_ns;
      pause_ns_ = was_tiny ? std::min(pause_ns_ * 2, k_max_pause_ns) : k_min_pause_ns;
      taken_at_ns_ = 0;
      if (was_tiny) not_before_ns_ = now_ns + pause_ns_;
    }
    return now_ns >= not_before_ns_;
  }
  // It has taken something. True: the victim should put the next offer out ahead of time.
  [[nodiscard]] bool take(time_ns now_ns) {
    taken_at_ns_ = now_ns;
    return pause_ns_ == k_min_pause_ns;
  }

 private:
  static constexpr time_ns k_tiny_ns = 2 * k_ns_per_us;
  static constexpr time_ns k_min_pause_ns = 500;
  static constexpr time_ns k_max_pause_ns = 50 * k_ns_per_us;

  time_ns pause_ns_ = k_min_pause_ns;
  time_ns not_before_ns_ = 0;
  time_ns taken_at_ns_ = 0;
};

// ---- what a thread does with its stacks ------------------------------------------------------------------------------

// Calls `loop` on a stack of the pool; returns on the thread's own stack when a loop has returned, this one or that of
// another stack which the thread has come to meanwhile.
using stack_loop = void (*)() noexcept;
void run_on_work_stack(stack_pool& pool, stack_loop loop);

// The stack that the calling thread runs on, or null for its own.
[[nodiscard]] latent_stack* running_latent_stack() noexcept;

// The running task waits for its children: suspends the stack, unless they have ended. Holds a worker.
void suspend_until_done(join_gate& children) noexcept;

// `who` was handed over by a gate or taken from a queue: it goes on as soon as the caller's loop calls one of the next two.
void continue_soon(suspended_stack& who) noexcept;
// The loop at the bottom of a stack: if a stack is to be continued, goes there and does not come back.
void continue_others_instead();
// A task that runs others while it waits: if a stack is to be continued, goes there, and comes back when its turn comes.
void continue_others_first();

}  // namespace filch::inline v0
