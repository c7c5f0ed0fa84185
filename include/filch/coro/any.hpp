// any: awaits the first of several tasks that succeeds.
//
//   auto first = co_await filch::any(ask(a), ask(b));                first.index, first.value
//   auto first = co_await filch::any(std::move(tasks));              takes ownership of a range of tasks
//
// A stop of the other tasks is requested then, and they are awaited: when `any` returns, all tasks have ended. A task
// that throws does not win. If all throw, the exception of the first in the order of the arguments is rethrown, as by
// `all`. The value is a std::variant if the tasks have different types.
//
// Who may call what: a coroutine. A stop request of it is passed on to the tasks.
#pragma once

#include <filch/coro/all.hpp>
#include <filch/coro/child_scope.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/errors.hpp>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace filch::inline v0 {

// The position of the winning task, and its value.
template <class T>
struct any_result {
  std::size_t index;
  T value;
};
template <>
struct any_result<void> {
  std::size_t index;
};

namespace coro {

// A result type as a struct or a variant can hold it.
template <class T>
using held_result = element_result<shown_result<T>>;

// Rethrows the exception of `ended`. Does nothing if it did not throw, or never started.
template <class T>
void rethrow_failure(const task<T>& ended) {
  if (ended.promise().has_failed) (void)ended.promise().take();
}

// The result of the task `ended`, which is number `index`.
template <class T>
any_result<std::conditional_t<std::is_void_v<T>, void, element_result<T>>> take_any(std::size_t index,
                                                                                    const task<T>& ended) {
  if constexpr (std::is_void_v<T>) {
    ended.promise().take();
    return {index};
  } else {
    return {index, ended.promise().take()};
  }
}

// Awaits any of several tasks of statically known types. Not movable: the children refer to it.
template <class First, class... Rest>
class [[nodiscard]] any_of_several {
  static constexpr bool k_is_uniform = (std::is_same_v<First, Rest> && ...);
  using variant = std::variant<held_result<First>, held_result<Rest>...>;

 public:
  using waits_only_for_tasks = void;

  explicit any_of_several(task<First>&& first, task<Rest>&&... rest) : tasks_{std::move(first), std::move(rest)...} {}
  any_of_several(const any_of_several&) = delete;
  any_of_several& operator=(const any_of_several&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) {
    promise_base* next = nullptr;
    link(next, std::index_sequence_for<First, Rest...>{});
    return v0::transfer_to(scope_.start(parent, *next));
  }
  auto await_resume() { return take(std::index_sequence_for<First, Rest...>{}); }

 private:
  // Links each task to the following one; afterwards `next` is the first.
  template <std::size_t... I>
  void link(promise_base*& next, std::index_sequence<I...>) {
    const auto put_before = [&](promise_base& one) {
      one.sibling = next;
      next = &one;
    };
    (put_before(std::get<sizeof...(Rest) - I>(tasks_).promise()), ...);
  }

  template <std::size_t... I>
  auto take(std::index_sequence<I...>) {
    const promise_base* const winner = scope_.decisive();
    if (winner == nullptr) {
      (coro::rethrow_failure(std::get<I>(tasks_)), ...);
      throw task_cancelled{};
    }
    if constexpr (k_is_uniform) {
      const task<First>* const each[] = {&std::get<I>(tasks_)...};
      std::size_t index = 0;
      while (&each[index]->promise() != winner) ++index;
      return coro::take_any(index, *each[index]);
    } else {
      std::optional<any_result<variant>> result;
      (try_take<I>(*winner, result), ...);
      return std::move(*result);
    }
  }
  template <std::size_t I>
  void try_take(const promise_base& winner, std::optional<any_result<variant>>& result) {
    const auto& one = std::get<I>(tasks_);
    if (&one.promise() == &winner)
      result.emplace(any_result<variant>{I, variant{std::in_place_index<I>, coro::take_shown(one)}});
  }

  std::tuple<task<First>, task<Rest>...> tasks_;
  child_scope scope_{sizeof...(Rest) + 1, child_scope::until::first_success};
};

// Awaits any of a vector of tasks.
template <class T>
class [[nodiscard]] any_of_many {
 public:
  using waits_only_for_tasks = void;

  explicit any_of_many(std::vector<task<T>>&& tasks)
      : tasks_{std::move(tasks)},
        scope_{static_cast<std::uint32_t>(tasks_.size()), child_scope::until::first_success} {}
  any_of_many(const any_of_many&) = delete;
  any_of_many& operator=(const any_of_many&) = delete;

  [[nodiscard]] bool await_ready() const {
    if (tasks_.empty()) throw usage_error("filch: any of no tasks: none can be the first to end. Give it at least one");
    return false;
  }
  template <class Promise>
  [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) {
    for (std::size_t i = 1; i != tasks_.size(); ++i) tasks_[i - 1].promise().sibling = &tasks_[i].promise();
    return v0::transfer_to(scope_.start(parent, tasks_.front().promise()));
  }
  auto await_resume() {
    const promise_base* const winner = scope_.decisive();
    if (winner == nullptr) {
      for (const task<T>& each : tasks_) coro::rethrow_failure(each);
      throw task_cancelled{};
    }
    std::size_t index = 0;
    while (&tasks_[index].promise() != winner) ++index;
    return coro::take_any(index, tasks_[index]);
  }

 private:
  std::vector<task<T>> tasks_;
  child_scope scope_;
};

}  // namespace coro

template <class... T>
  requires(sizeof...(T) != 0)
auto any(task<T>&&... each) {
  return coro::any_of_several<T...>{std::move(each)...};
}

template <coro::owned_task_range Range>
auto any(Range&& range) {
  using element = coro::element_of<Range>;
  std::vector<element> tasks;
  if constexpr (std::ranges::sized_range<Range>) tasks.reserve(static_cast<std::size_t>(std::ranges::size(range)));
  for (auto&& each : range) tasks.push_back(static_cast<element&&>(each));
  return coro::any_of_many<typename coro::task_result<element>::type>{std::move(tasks)};
}

}  // namespace filch::inline v0
