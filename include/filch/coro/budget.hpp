// The budget of a coroutine: so many operations in a row that are ready at once, then others have a turn. Without it
// two coroutines that always find a channel filled would keep a worker for ever.
//
// For the awaiters of operations that may be ready at once:
//
//   bool await_ready() { return coro::has_budget() && try_it(); }
//   bool await_suspend(std::coroutine_handle<> who) {
//     if (is_done_or_line_up(who)) return coro::pause_if_spent(who);     done: resumes, perhaps after others
//     return true;                                                       lined up
//   }
//
// Who may call what: a coroutine's awaiter; on threads that are no workers there is no budget.
#pragma once

#include <filch/coro/switching.hpp>
#include <filch/share/local_work.hpp>

#include <coroutine>

namespace filch::inline v0::coro {

// Takes one operation off the budget. False: it is spent.
[[nodiscard]] inline bool has_budget() noexcept {
  local_work* const mine = current_local_work();
  if (mine == nullptr) return true;
  if (mine->budget == 0) return false;
  --mine->budget;
  return true;
}

// Did has_budget() say no? Then `who`, which is suspended, resumes after others, with a new budget. False: it resumes
// at once.
[[nodiscard]] inline bool pause_if_spent(std::coroutine_handle<> who) noexcept {
  local_work* const mine = current_local_work();
  if (mine == nullptr || mine->budget != 0) return false;
  mine->budget = local_work::k_budget;
  return queue_behind_others(who);
}

}  // namespace filch::inline v0::coro
