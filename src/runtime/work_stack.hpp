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

#include <filch/base/atomics.hpp>
#include <filch/park/parker.hpp>
#include <filch/share/entry.hpp>
#include <filch/share/join_counter.hpp>
#include <filch/share/latent.hpp>
#include <filch/runtime/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace filch::inline v0 {

// The list of latent frames lies above the frames, at a fixed distance: then no frame of the first levels has the same
// place in a page as the list, which a processor would take for the same address at first.
struct work_stack {
  explicit work_stack(std::size_t bytes)
      : body{bytes, k_distance + sizeof(latent_stack)},
        latent{*::new(static_cast<void*>(body.top() + k_distance)) latent_stack} {}

  fiber body;
  latent_stack& latent;
  fiber* entered = &body;  // what runs, or is continued: it, or a further one on which it resumes (destroy_frame.cpp)

 private:
  static constexpr std::size_t k_distance = 512;  // guess
};

// A task that stands still; it lies on its own stack. In a queue it stands for "continue me".
class suspended_stack final : public queue_entry {
 public:
  suspended_stack(work_stack& of, task_record* task, runtime::core& at)
      : queue_entry{entry_kind::stack}, stack{&of}, running{task}, core{&at} {}
  // The thread sleeps instead, on a parker that lives as long as the thread.
  explicit suspended_stack(park::parker<>& where) : queue_entry{entry_kind::stack}, sleeper{&where} {}

  work_stack* const stack = nullptr;
  park::parker<>* const sleeper = nullptr;
  task_record* const running = nullptr;
  runtime::core* const core = nullptr;
  suspended_stack* older = nullptr;  // of the same thread, which both must stay on
};

using child_counter = join_counter<suspended_stack>;

// Stacks are made as they are needed and live as long as the pool: thieves may hold on to one that was given back.
class stack_pool {
 public:
  // So many bytes each, or fewer where the address space is limited; those that lie unused here beyond `warm` give
  // their pages back.
  stack_pool(std::size_t stack_bytes, std::size_t warm) : warm_{warm}, stack_bytes_{stack_bytes} {}

  // Throws std::bad_alloc.
  [[nodiscard]] work_stack& get();
  void put(work_stack& unused) noexcept;
  [[nodiscard]] std::size_t made() const;

  // A stack stands still while this lives, on that stack.
  class suspension {
   public:
    explicit suspension(stack_pool& of) noexcept;
    suspension(const suspension&) = delete;
    suspension& operator=(const suspension&) = delete;
    ~suspension();

   private:
    stack_pool& pool_;
  };
  // How many stand still now, and the greatest number at once.
  // statistic
  [[nodiscard]] std::size_t suspended() const { return suspended_.load(std::memory_order_relaxed); }
  // statistic
  [[nodiscard]] std::size_t suspended_max() const { return suspended_max_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t k_least_bytes = std::size_t{64} << 10;

  const std::size_t warm_;
  std_atomics::atomic<std::size_t> suspended_{0};
  std_atomics::atomic<std::size_t> suspended_max_{0};
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::size_t stack_bytes_;
  std::vector<std::unique_ptr<work_stack>> all_;
  std::vector<work_stack*> unused_;  // has room for all
};

// The unused stacks that one thread keeps at hand: one that suspends a stack and one that ends a child mostly need no
// lock for it. Whoever holds no worker keeps none, so there are at most `k_most` for each worker. They keep their
// pages.
class kept_stacks {
 public:
  static constexpr std::size_t k_most = 2;  // guess: a worker mostly suspends and ends in turn

  explicit kept_stacks(stack_pool& from) : pool_{from} {}
  kept_stacks(const kept_stacks&) = delete;
  kept_stacks& operator=(const kept_stacks&) = delete;
  ~kept_stacks() { give_back(); }

  // The last that was put, else one of the pool. Throws std::bad_alloc.
  [[nodiscard]] work_stack& get() { return count_ != 0 ? *kept_[--count_] : pool_.get(); }
  // To the pool if there are enough.
  void put(work_stack& unused) noexcept {
    if (count_ == k_most) return pool_.put(unused);
    kept_[count_++] = &unused;
  }
  // All to the pool.
  void give_back() noexcept {
    while (count_ != 0) pool_.put(*kept_[--count_]);
  }

 private:
  stack_pool& pool_;
  work_stack* kept_[k_most] = {};
  std::size_t count_ = 0;
};

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
