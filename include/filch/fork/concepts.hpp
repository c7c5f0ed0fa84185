// The requirements of join and scope on their functions. The error message of a wrong call names one of these.
#pragma once

#include <concepts>
#include <type_traits>

namespace filch::inline v0 {

// A function of a join: an lvalue of it can be called without arguments. It is called in place.
template <class F>
concept function_without_arguments = std::invocable<std::remove_reference_t<F>&>;

// A function that a scope spawns: it can be copied or moved, and the copy can be called once, without arguments.
template <class F>
concept spawnable_function = std::constructible_from<std::decay_t<F>, F> && std::invocable<std::decay_t<F>>;

// The body of a scope: it can be called with the scope handle.
template <class F, class Scope>
concept scope_body = std::invocable<std::remove_reference_t<F>&, Scope&>;

namespace detail {

// A join returns the results of its functions: void, a reference, or a value that it moves.
template <class F, class Result = std::invoke_result_t<F&>>
inline constexpr bool can_return =
    std::is_void_v<Result> || std::is_reference_v<Result> || std::is_move_constructible_v<Result>;
template <class... F>
inline constexpr bool can_return_all = (can_return<F> && ...);

}  // namespace detail
}  // namespace filch::inline v0
