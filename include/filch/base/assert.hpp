// Assertions that stay on in every build and print the values that broke them.
//
//   FILCH_ASSERT(count <= limit, count, limit);
//   → filch: assertion failed: count <= limit
//       at src/queue/deque.cpp:42 in push
//       with count, limit = 9, 8
#pragma once

#include <concepts>
#include <cstdint>
#include <source_location>
#include <type_traits>

namespace filch::inline v0 {

// One value as an assertion prints it.
struct assert_value {
  enum class kind : std::uint8_t { signed_number, unsigned_number, real, boolean, text, pointer };

  kind what;
  union {
    std::int64_t i;
    std::uint64_t u;
    double d;
    const char* s;
    const void* p;
  };

  template <class T>
  static assert_value of(const T& value) {
    assert_value out{kind::unsigned_number, {}};
    if constexpr (std::same_as<T, bool>) {
      out.what = kind::boolean, out.u = value;
    } else if constexpr (std::floating_point<T>) {
      out.what = kind::real, out.d = static_cast<double>(value);
    } else if constexpr (std::is_enum_v<T>) {
      return of(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::signed_integral<T>) {
      out.what = kind::signed_number, out.i = value;
    } else if constexpr (std::unsigned_integral<T>) {
      out.u = value;
    } else if constexpr (std::convertible_to<T, const char*>) {
      out.what = kind::text, out.s = value;
    } else if constexpr (std::convertible_to<T, const void*>) {
      out.what = kind::pointer, out.p = value;
    } else {
      return of(value.value);  // an id
    }
    return out;
  }
};

// Called first when an assertion fails, on the thread where it failed. It may leave for good (the model checker ends
// the execution); when it returns, the message is printed and the program aborts.
using assert_handler = void (*)(const char* condition, const char* names, const assert_value* values,
                                unsigned value_count, std::source_location where);

// Replaces the handler, null by default, and returns the one before. Not to be called while other threads may assert.
assert_handler set_assert_handler(assert_handler handler) noexcept;

// Prints the message to standard error and aborts. `names` is the text of the macro's arguments after the condition.
[[noreturn]] void assertion_failed(const char* condition, const char* names, const assert_value* values,
                                   unsigned value_count, std::source_location where) noexcept;

template <class... Values>
[[noreturn, gnu::cold, gnu::noinline]] void assertion_failed_with(const char* condition, const char* names,
                                                                  std::source_location where,
                                                                  const Values&... values) noexcept {
  const assert_value list[] = {assert_value::of(values)..., assert_value::of(0)};
  v0::assertion_failed(condition, names, list, sizeof...(Values), where);
}

}  // namespace filch::inline v0

#define FILCH_ASSERT(condition, ...)                              \
  (__builtin_expect(static_cast<bool>(condition), 1)              \
       ? static_cast<void>(0)                                     \
       : ::filch::assertion_failed_with(#condition, #__VA_ARGS__, \
                                        std::source_location::current() __VA_OPT__(, ) __VA_ARGS__))
