// What join and scope ask of their functions. A call that brings something else names one of these.
#pragma once

#include <concepts>
#include <type_traits>

namespace filch::inline v0 {

// May be called without arguments: what a join calls, where it lies.
template <class F>
concept function_without_arguments = std::invocable<std::remove_reference_t<F>&>;

// The same of a copy, or of what it was moved to, which is called once: what a scope spawns.
template <class F>
concept spawnable_function = std::constructible_from<std::decay_t<F>, F> && std::invocable<std::decay_t<F>>;

// May be called with the scope to spawn in.
template <class F, class Scope>
concept scope_body = std::invocable<std::remove_reference_t<F>&, Scope&>;

namespace detail {

// A join hands on what its functions return: nothing, a reference, or a value that it moves.
template <class F, class Result = std::invoke_result_t<F&>>
inline constexpr bool can_hand_on =
    std::is_void_v<Result> || std::is_reference_v<Result> || std::is_move_constructible_v<Result>;
template <class... F>
inline constexpr bool can_hand_on_all = (can_hand_on<F> && ...);

}  // namespace detail
}  // namespace filch::inline v0
