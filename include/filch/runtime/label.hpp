// What a function is called in a recording: the name it was given, or else the name of its type, which tells the
// function that it was written in (and with clang the line).
//
//   filch::join(filch::named("left", [&] { sort(a); }), filch::named("right", [&] { sort(b); }));
#pragma once

#include <type_traits>
#include <utility>

namespace filch::inline v0 {

// A function with a name for recordings. The name outlives the recording: use a literal.
template <class F>
struct named_function {
  const char* name;
  F function;

  template <class... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) {
    return function(std::forward<Arguments>(arguments)...);
  }
};

template <class F>
[[nodiscard]] constexpr named_function<std::decay_t<F>> named(const char* name, F&& function) {
  return {name, std::forward<F>(function)};
}

namespace detail {

// Made readable by trace::readable_label() when it is written.
template <class F>
[[nodiscard]] const char* type_label() noexcept {
  return __PRETTY_FUNCTION__;
}

template <class F>
[[nodiscard]] const char* label_of(const F&) noexcept {
  return detail::type_label<F>();
}
template <class F>
[[nodiscard]] const char* label_of(const named_function<F>& named) noexcept {
  return named.name;
}

}  // namespace detail
}  // namespace filch::inline v0
