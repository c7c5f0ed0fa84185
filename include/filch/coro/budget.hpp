// The budget of a coroutine: the number of operations in a row that may complete without suspending; then other ready
// work runs first. Without it two coroutines that always find a channel filled would keep a worker for ever.
//
// For the awaiters of operations that may complete without suspending:
//
//   bool await_ready() { return coro::has_budget() && try_it(); }
//   bool await_suspend(std::coroutine_handle<> who) {
//     if (is_done_or_enqueue(who)) return coro::pause_if_spent(who);     done: resumes, perhaps after other work
//     return true;                                                       waits
//   }
//
// Who may call what: a coroutine's awaiter. External threads have no budget.
#pragma once

#include <filch/coro/switching.hpp>
#include <filch/share/local_work.hpp>

#include <coroutine>

namespace filch::inline v0::coro {

// Takes one operation off the budget. False: the budget is spent.
[[nodiscard]] inline bool has_budget() noexcept {
  local_work* const mine = current_local_work();
  if (mine == nullptr) return true;
  if (mine->budget == 0) return false;
  --mine->budget;
  return true;
}

// If the budget is spent, queues the suspended coroutine `who` behind other ready work, with a new budget. False: the
// budget is not spent, or there is no memory, and the coroutine resumes at once.
[[nodiscard]] inline bool pause_if_spent(std::coroutine_handle<> who) noexcept {
  local_work* const mine = current_local_work();
  if (mine == nullptr || mine->budget != 0) return false;
  mine->budget = local_work::k_budget;
  return queue_behind_others(who);
}

}  // namespace filch::inline v0::coro
