// The same bits in every loop that computes a value.
//
// A compiler may contract x * y + z into one operation that rounds once, and takes or leaves the chance as the code
// around it looks, so the same source inlined into two loops can give different bits. What must agree is kept apart:
//   - FILCH_ONE_COPY: the function is compiled once and called, never inlined or specialised for a caller.
//   - kept_apart(): a floating point number passes a place that the compiler can not look through.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#if defined(__clang__)
#define FILCH_ONE_COPY [[gnu::noinline]]
#else
#define FILCH_ONE_COPY [[gnu::noinline, gnu::noclone]]
#endif

namespace filch::inline v0::algo::detail {

// Nothing before is contracted with what comes after. Costs no instruction where the number is in a register.
template <std::floating_point T>
[[nodiscard]] inline T kept_apart(T value) {
#if defined(__x86_64__)
  if constexpr (std::same_as<T, float> || std::same_as<T, double>) asm("" : "+x"(value));
  else asm("" : "+m"(value));
#elif defined(__aarch64__)
  if constexpr (std::same_as<T, float> || std::same_as<T, double>) asm("" : "+w"(value));
  else asm("" : "+m"(value));
#else
  asm("" : "+m"(value));
#endif
  return value;
}

template <class T, class Op>
[[nodiscard]] FILCH_ONE_COPY T combined_in_one_copy(Op& op, T left, T right) {
  return op(std::move(left), std::move(right));
}

// op(left, right), with the same bits wherever it is called. Integers have them anyhow; values that are expensive to
// copy are taken as they come.
template <class T, class Op, class Left, class Right>
[[nodiscard]] T combined(Op& op, Left&& left, Right&& right) {
  if constexpr (std::floating_point<T>) {
    return detail::kept_apart<T>(op(std::forward<Left>(left), std::forward<Right>(right)));
  } else if constexpr (!std::integral<T> && std::is_trivially_copyable_v<T>) {
    return detail::combined_in_one_copy<T>(op, std::forward<Left>(left), std::forward<Right>(right));
  } else {
    return op(std::forward<Left>(left), std::forward<Right>(right));
  }
}

}  // namespace filch::inline v0::algo::detail
