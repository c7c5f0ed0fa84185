// join: calls functions, perhaps in parallel, and returns when all are done.
//
//   auto [a, b] = filch::join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
//
// Who may call what: any thread; threads that are no workers go through the default runtime. All functions end before join
// returns or throws; the exception of the first in the order of the arguments is rethrown. A join that waits holds no
// thread, so the code after it may run on another thread than the code before: hold no std::mutex across it, and keep no
// reference to a thread_local. The functions must not wait for each other.
#pragma once

#include <filch/runtime/latent.hpp>
#include <filch/runtime/runtime.hpp>

#include <exception>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

// Stands for the result of a function that returns nothing, where others return something.
struct nothing {
  friend constexpr bool operator==(nothing, nothing) = default;
};

namespace detail {

template <class F>
using result_of = std::conditional_t<std::is_void_v<std::invoke_result_t<F&>>, nothing, std::invoke_result_t<F&>>;

template <class F>
inline result_of<F> call(F& function) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    function();
    return {};
  } else {
    return function();
  }
}

// A fork's frame with the function of its child. Whoever takes the child puts its result or exception here; until then
// that memory is untouched, so that a fork that nobody takes costs nothing for it.
template <class F>
class child_frame : public latent_frame {
 public:
  using result = result_of<F>;

  // The members of latent_frame are written where they are needed.
  child_frame(latent_stack& stack, F& function) noexcept : function_{&function} { fork_latent(stack, *this, &run); }
  child_frame(const child_frame&) = delete;
  child_frame& operator=(const child_frame&) = delete;
  ~child_frame() {}

  // The child's result; runs it here, as `function`, if nobody else has.
  result join(F& function) {
    if (join_latent(*this)) [[likely]] return call(function);
    return take();
  }

  // Another exception is on its way: the child ends, and its result or exception is dropped.
  [[gnu::cold, gnu::noinline]] void join_quietly() noexcept {
    if (join_latent(*this)) run(*this);
    if (has_failed_) error_.~exception_ptr();
    else drop();
  }

 private:
  // A reference is kept as a pointer.
  using stored = std::conditional_t<std::is_reference_v<result>, std::remove_reference_t<result>*, result>;

  [[gnu::cold]] static void run(latent_frame& base) noexcept {
    auto& self = static_cast<child_frame&>(base);
    try {
      if constexpr (std::is_reference_v<result>) {
        result value = call(*self.function_);
        self.value_ = std::addressof(value);
      } else {
        ::new (static_cast<void*>(std::addressof(self.value_))) stored(call(*self.function_));
      }
      self.has_failed_ = false;
    } catch (...) {
      ::new (static_cast<void*>(std::addressof(self.error_))) std::exception_ptr(std::current_exception());
      self.has_failed_ = true;
    }
  }

  [[gnu::cold, gnu::noinline]] result take() {
    if (has_failed_) {
      const std::exception_ptr error = std::move(error_);
      error_.~exception_ptr();
      std::rethrow_exception(error);
    }
    if constexpr (std::is_reference_v<result>) {
      return static_cast<result>(*value_);
    } else {
      struct dropped_at_end {
        child_frame& of;
        ~dropped_at_end() { of.drop(); }
      } const end{*this};
      return std::move(value_);
    }
  }
  void drop() noexcept {
    if constexpr (!std::is_reference_v<result>) std::destroy_at(std::addressof(value_));
  }

  F* function_;
  bool has_failed_;
  union {
    stored value_;
    std::exception_ptr error_;
  };
};

template <class F, class G>
inline std::tuple<result_of<F>, result_of<G>> join_two(latent_stack& stack, F& first, G& second) {
  child_frame<G> child{stack, second};
  const auto call_first = [&]() -> result_of<F> {
    try {
      return call(first);
    } catch (...) {
      child.join_quietly();
      throw;
    }
  };
  result_of<F> a = call_first();
  return {std::forward<result_of<F>>(a), child.join(second)};
}

template <class F, class G, class... Rest>
inline auto join_all(latent_stack& stack, F& first, G& second, Rest&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return join_two(stack, first, second);
  } else {
    auto others = [&] { return join_all(*current_latent_stack(), second, rest...); };
    auto both = join_two(stack, first, others);
    return std::tuple_cat(std::tuple<result_of<F>>{std::get<0>(std::move(both))}, std::get<1>(std::move(both)));
  }
}

template <class... F>
inline constexpr bool all_void = (std::is_void_v<std::invoke_result_t<F&>> && ...);

template <class... F>
[[gnu::cold, gnu::noinline]] auto join_from_outside(F&... functions) {
  return default_runtime().run([&] { return join_all(*current_latent_stack(), functions...); });
}

}  // namespace detail

// Calls all functions, perhaps at the same time. Returns a tuple of what they return, with `nothing` for void; or nothing
// at all if all return void.
template <class F, class G, class... Rest>
inline auto join(F&& first, G&& second, Rest&&... rest) {
  latent_stack* const stack = current_latent_stack();
  if (stack == nullptr) [[unlikely]] {
    if constexpr (detail::all_void<F, G, Rest...>) return (void)detail::join_from_outside(first, second, rest...);
    else return detail::join_from_outside(first, second, rest...);
  }
  if constexpr (detail::all_void<F, G, Rest...>) return (void)detail::join_all(*stack, first, second, rest...);
  else return detail::join_all(*stack, first, second, rest...);
}

}  // namespace filch::inline v0
