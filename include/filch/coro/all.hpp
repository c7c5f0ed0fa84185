// all: awaits several tasks, which may run concurrently.
//
//   auto [a, b] = co_await filch::all(fib(n - 1), fib(n - 2));
//   std::vector<int> each = co_await filch::all(std::move(tasks));        takes ownership of a range of tasks
//
// Who may call what: a coroutine. It resumes when all tasks have ended, on the worker where the last of them ended. If
// tasks throw, the exception of the first in the order of the arguments is rethrown. The first task starts at once on
// the same worker; the others wait until the same worker is ready for them or a thief takes them.
#pragma once

#include <filch/coro/detail/children.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/nothing.hpp>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace filch::inline v0 {
namespace coro {

template <class T>
struct task_result;
template <class T>
struct task_result<task<T>> {
  using type = T;
};

// A result type as a tuple or a vector can hold it.
template <class T>
using shown_result = std::conditional_t<std::is_void_v<T>, nothing, T>;
template <class T>
using element_result =
    std::conditional_t<std::is_reference_v<T>, std::reference_wrapper<std::remove_reference_t<T>>, T>;

template <class T>
shown_result<T> take_shown(const task<T>& ended) {
  if constexpr (std::is_void_v<T>) {
    ended.promise().take();
    return {};
  } else {
    return ended.promise().take();
  }
}

// Awaits several tasks of statically known types. Not movable: the children refer to it.
template <class... T>
class [[nodiscard]] all_of_several {
 public:
  using waits_only_for_tasks = void;

  explicit all_of_several(task<T>&&... each) : tasks_{std::move(each)...} {}
  all_of_several(const all_of_several&) = delete;
  all_of_several& operator=(const all_of_several&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) {
    adopt(parent, std::index_sequence_for<T...>{});
    return v0::transfer_to(children_.start(parent, std::get<0>(tasks_).promise()));
  }
  // Returns a tuple of the results, with `nothing` for void; returns void if all are void.
  auto await_resume() {
    return std::apply(
        [](const auto&... ended) {
          std::tuple<shown_result<T>...> results{coro::take_shown(ended)...};  // braces: evaluated from left to right
          if constexpr ((std::is_void_v<T> && ...)) (void)results;
          else return results;
        },
        tasks_);
  }

 private:
  // From the last to the first.
  template <class Promise, std::size_t... I>
  void adopt(std::coroutine_handle<Promise> parent, std::index_sequence<I...>) {
    promise_base* behind = nullptr;
    const auto adopt_one = [&](promise_base& one) {
      children_.adopt(one, behind, parent);
      behind = &one;
    };
    (adopt_one(std::get<sizeof...(T) - 1 - I>(tasks_).promise()), ...);
  }

  std::tuple<task<T>...> tasks_;
  children children_{sizeof...(T)};
};

// Awaits a vector of tasks.
template <class T>
class [[nodiscard]] all_of_many {
 public:
  using waits_only_for_tasks = void;

  explicit all_of_many(std::vector<task<T>>&& tasks)
      : tasks_{std::move(tasks)}, children_{static_cast<std::uint32_t>(tasks_.size())} {}
  all_of_many(const all_of_many&) = delete;
  all_of_many& operator=(const all_of_many&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return tasks_.empty(); }
  template <class Promise>
  [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) {
    promise_base* behind = nullptr;
    for (std::size_t i = tasks_.size(); i != 0; --i) {
      promise_base& one = tasks_[i - 1].promise();
      children_.adopt(one, behind, parent);
      behind = &one;
    }
    return v0::transfer_to(children_.start(parent, tasks_.front().promise()));
  }
  // Returns a vector of the results, in the order of the tasks; returns void if they are void.
  auto await_resume() {
    if constexpr (std::is_void_v<T>) {
      for (const task<T>& ended : tasks_) ended.promise().take();
    } else {
      std::vector<element_result<T>> results;
      results.reserve(tasks_.size());
      for (const task<T>& ended : tasks_) results.emplace_back(ended.promise().take());
      return results;
    }
  }

 private:
  std::vector<task<T>> tasks_;
  children children_;
};

template <class Range>
using element_of = std::remove_cvref_t<std::ranges::range_reference_t<Range>>;

// A range out of which the tasks may be moved: it generates them, or it is a container passed as an rvalue.
template <class Range>
concept owned_task_range =
    std::ranges::input_range<Range> && requires { typename task_result<element_of<Range>>::type; } &&
    (!std::is_reference_v<std::ranges::range_reference_t<Range>> ||
     (!std::is_lvalue_reference_v<Range> && !std::ranges::view<std::remove_cvref_t<Range>>));

}  // namespace coro

template <class... T>
  requires(sizeof...(T) != 0)
auto all(task<T>&&... each) {
  return coro::all_of_several<T...>{std::move(each)...};
}

template <coro::owned_task_range Range>
auto all(Range&& range) {
  using element = coro::element_of<Range>;
  using result = typename coro::task_result<element>::type;
  if constexpr (std::is_same_v<Range, std::vector<element>>) return coro::all_of_many<result>{std::move(range)};
  std::vector<element> tasks;
  if constexpr (std::ranges::sized_range<Range>) tasks.reserve(static_cast<std::size_t>(std::ranges::size(range)));
  for (auto&& each : range) tasks.push_back(static_cast<element&&>(each));
  return coro::all_of_many<result>{std::move(tasks)};
}

}  // namespace filch::inline v0
