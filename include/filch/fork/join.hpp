// join: calls functions, possibly in parallel, and returns when all of them have returned.
//
//   auto [a, b] = filch::join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
//
// Fast path, if no thief takes the child: try_fork() → run_forked() → child_frame::join() → join_latent(). Slow paths:
// join_two_slow_path() if the frame lies below the stack's fork limit, child_frame::join_slow_path() if it does not lie
// below the join limit (latent.hpp).
//
// Who may call what: any thread; external threads use the default runtime. All functions end before join returns or
// throws; the exception of the first in the order of the arguments is rethrown. A waiting join occupies no thread, so
// the code after it may run on another thread than the code before: do not hold a std::mutex across it, and keep no
// reference to a thread_local. The functions must not wait for each other.
#pragma once

#include <filch/fork/concepts.hpp>
#include <filch/runtime/errors.hpp>
#include <filch/runtime/external_section.hpp>
#include <filch/runtime/label.hpp>
#include <filch/share/latent.hpp>
#include <filch/runtime/nothing.hpp>
#include <filch/runtime/runtime.hpp>

#include <exception>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace filch::inline v0 {

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

// How a frame holds a function. A small, trivial function that was passed as a temporary is copied: so the fork writes
// it once, and the compiler knows that no other code changes the copy. Any other function is held by reference.
template <class F>
inline constexpr bool is_held_by_value =
    !std::is_reference_v<F> && std::is_trivially_copyable_v<F> && std::is_copy_constructible_v<F> &&
    std::is_trivially_destructible_v<F> && sizeof(F) <= 4 * sizeof(void*);

template <class F>
class held_function {
 public:
  using function = std::remove_reference_t<F>;

  explicit held_function(function& given) noexcept : function_{given} {}
  result_of<F> operator()() { return detail::call(function_); }
  [[nodiscard]] function& get() noexcept { return function_; }
  [[nodiscard]] const char* label() const noexcept { return detail::label_of(function_); }

 private:
  [[no_unique_address]] std::conditional_t<is_held_by_value<F>, function, function&> function_;
};

// The frame of a fork, with the function of its child. The thread that runs a taken child stores its result or
// exception here; until then that memory is not accessed, so it costs nothing if no thief takes the child. The
// alignment makes compilers place it at the stack pointer, where instructions are shorter.
template <class F>
class alignas(16) child_frame : public latent_frame {
 public:
  using result = result_of<F>;

  // The members of latent_frame are written by fork_latent().
  explicit child_frame(std::remove_reference_t<F>& function) : function_{function} {}
  child_frame(const child_frame&) = delete;
  child_frame& operator=(const child_frame&) = delete;
  ~child_frame() {}

  // For a thread that participates: a worker, or an external thread in an external section.
  void fork(latent_stack& stack) {
    if (!v0::fork_latent(stack, *this, k_kind) && !detail::fork_slow_path(stack, *this)) __builtin_unreachable();
  }
  // False: the frame lies below the fork limit, and was not linked.
  [[nodiscard]] bool try_fork(latent_stack& stack) { return v0::fork_latent(stack, *this, k_kind); }
  [[nodiscard]] std::remove_reference_t<F>& function() noexcept { return function_.get(); }
  void put(result&& value) {
    if constexpr (std::is_reference_v<result>) value_ = std::addressof(value);
    else ::new (static_cast<void*>(std::addressof(value_))) stored(std::move(value));
  }
  [[gnu::cold, gnu::noinline]] result take() {
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

  // Returns the child's result; runs the child here if no thief has taken it.
  result join() {
    const joined_frame found = v0::join_latent(*this);
    if (!found.needs_slow_path) [[likely]]
      return function_();
    return static_cast<child_frame*>(found.frame)->join_slow_path(*found.stack);
  }

  // For the join while another exception propagates: completes the child and drops its result or exception. Not
  // inlined, and finds its frame as the newest one, so that the caller needs no register for its address.
  [[gnu::cold, gnu::noinline]] static void join_quietly() noexcept {
    auto& self = static_cast<child_frame&>(*latent_stack_here().newest.load(std::memory_order_relaxed));  // owner-only
    const joined_frame found = v0::join_latent(self);
    if (!found.needs_slow_path || detail::join_slow_path(*found.stack, self, leaving::by_exception)) {
      if (is_stack_exhausted()) return;  // a child that has not started would exhaust the stack as well
      if (!found.needs_slow_path) {
        run(self);
      } else {
        const recorded_child here{self};
        run(self);
      }
    }
    if (self.has_failed_) self.error_.~exception_ptr();
    else self.drop();
  }

 private:
  // A reference is stored as a pointer.
  using stored = std::conditional_t<std::is_reference_v<result>, std::remove_reference_t<result>*, result>;

  [[gnu::cold]] static const char* label(const latent_frame& base) noexcept {
    return static_cast<const child_frame&>(base).function_.label();
  }
  [[gnu::cold]] static void run(latent_frame& base) noexcept {
    auto& self = static_cast<child_frame&>(base);
    try {
      if constexpr (std::is_reference_v<result>) {
        result value = self.function_();
        self.value_ = std::addressof(value);
      } else {
        ::new (static_cast<void*>(std::addressof(self.value_))) stored(self.function_());
      }
      self.has_failed_ = false;
    } catch (...) {
      ::new (static_cast<void*>(std::addressof(self.error_))) std::exception_ptr(std::current_exception());
      self.has_failed_ = true;
    }
  }

  [[gnu::cold, gnu::noinline]] result join_slow_path(latent_stack& stack) {
    if (detail::join_slow_path(stack, *this, leaving::normally)) {
      const recorded_child here{*this};
      return function_();
    }
    if (has_failed_) {
      const std::exception_ptr error = std::move(error_);
      error_.~exception_ptr();
      std::rethrow_exception(error);
    }
    return take();
  }
  static constexpr latent_kind k_kind{&run, &label};

  held_function<F> function_;
  bool has_failed_;
  union {
    stored value_;
    std::exception_ptr error_;
  };
};

// F and G are deduced as for a forwarding reference: a reference type if the argument is an lvalue.
template <class F, class G>
using both_results = std::tuple<result_of<F>, result_of<G>>;

// Runs the first function after the fork of the child, and joins.
template <class F, class G>
inline both_results<F, G> run_forked(held_function<F>& first, child_frame<G>& child) {
  const auto call_first = [&]() -> result_of<F> {
    try {
      return first();
    } catch (...) {  // with a second clause clang keeps the functions in memory
      child_frame<G>::join_quietly();
      throw;
    }
  };
  result_of<F> a = call_first();
  return {std::forward<result_of<F>>(a), child.join()};
}

// Runs `function` on the calling external thread, in an external section. If no section can begin, a worker runs it.
template <class F>
[[gnu::cold, gnu::noinline]] decltype(auto) enter_from_outside(F function, outside_work how = outside_work::unknown) {
  const external_section visit{how};
  if (visit.has_begun()) return function();
  return default_runtime().run([&]() -> decltype(auto) { return function(); });
}

// For a thread that participates.
template <class F, class G>
inline both_results<F, G> join_inside(latent_stack& stack, std::remove_reference_t<F>& first,
                                      std::remove_reference_t<G>& second) {
  held_function<F> first_function{first};
  child_frame<G> child{second};
  child.fork(stack);
  return detail::run_forked<F, G>(first_function, child);
}
template <class F, class G>
inline both_results<F, G> join_two(latent_stack& stack, F&& first, G&& second) {
  return detail::join_inside<F, G>(stack, first, second);
}

// The whole join if the frame lies below the fork limit. It is a function of its own so that in the fast path no
// value has to stay alive across a call before the first function, and none takes a register for that. Returns the
// first result and stores the second one in the frame. `first` is passed by value, as the frame holds it, so that the
// address of the caller's copy is never taken.
template <class F, class G>
[[gnu::cold, gnu::noinline]] result_of<F> join_two_slow_path(held_function<F> first, child_frame<G>& child) {
  latent_stack& stack = latent_stack_here();
  both_results<F, G> both =
      detail::fork_slow_path(stack, child) ? detail::run_forked<F, G>(first, child) : detail::enter_from_outside([&] {
        return detail::join_inside<F, G>(latent_stack_here(), first.get(), child.function());
      });
  child.put(std::forward<result_of<G>>(std::get<1>(both)));
  try {
    return std::forward<result_of<F>>(std::get<0>(both));
  } catch (...) {  // no other code destroys the result in the frame
    child.drop();
    throw;
  }
}

// For any thread.
template <class F, class G>
[[gnu::always_inline]] inline both_results<F, G> join_anywhere(std::remove_reference_t<F>& first,
                                                               std::remove_reference_t<G>& second) {
  held_function<F> first_function{first};
  child_frame<G> child{second};
  if (!child.try_fork(latent_stack_here())) [[unlikely]] {
    const auto again = [&]() -> child_frame<G>& { return static_cast<child_frame<G>&>(*detail::address_again(child)); };
    result_of<F> a = detail::join_two_slow_path<F, G>(first_function, again());
    return {std::forward<result_of<F>>(a), again().take()};
  }
  return detail::run_forked<F, G>(first_function, child);
}
template <bool is_inside, class F, class G, class... Rest>
[[gnu::always_inline]] inline auto join_all(std::remove_reference_t<F>& first, std::remove_reference_t<G>& second,
                                            std::remove_reference_t<Rest>&... rest) {
  if constexpr (sizeof...(Rest) != 0) {
    auto others = [&] { return detail::join_all<true, G, Rest...>(second, rest...); };
    auto both = detail::join_all<is_inside, F, decltype(others)>(first, others);
    return std::tuple_cat(std::tuple<result_of<F>>{std::get<0>(std::move(both))}, std::get<1>(std::move(both)));
  } else if constexpr (is_inside) {
    return detail::join_inside<F, G>(latent_stack_here(), first, second);
  } else {
    return detail::join_anywhere<F, G>(first, second);
  }
}

template <class... F>
inline constexpr bool all_void = (std::is_void_v<std::invoke_result_t<F&>> && ...);

}  // namespace detail

// Calls all functions, possibly in parallel. Returns a tuple of their results, with `nothing` for void; returns void if
// all return void. Each may return void, a reference, or a movable value, which is moved into the tuple.
template <function_without_arguments F, function_without_arguments G, function_without_arguments... Rest>
[[gnu::always_inline]] inline auto join(F&& first, G&& second, Rest&&... rest) {
  static_assert(detail::can_return_all<F, G, Rest...>,
                "filch::join moves what its functions return: return void, a reference, or a type that can be moved");
  if constexpr (detail::all_void<F, G, Rest...>)
    return (void)detail::join_all<false, F, G, Rest...>(first, second, rest...);
  else return detail::join_all<false, F, G, Rest...>(first, second, rest...);
}

}  // namespace filch::inline v0
