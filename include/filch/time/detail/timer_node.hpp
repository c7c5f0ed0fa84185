// The node of one timer in a timer wheel. It lies in the frame or on the stack of the waiting party, or in a `timer`.
// kernel: light headers only
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/units.hpp>

#include <cstdint>

namespace filch::inline v0::time {

enum class timer_state : std::uint8_t {
  fresh,      // not started
  pending,    // in the wheel
  fired,      // taken out because its time has come
  cancelled,  // taken out before its time, or refused
};

// Guarded by the mutex of the shard from `add` until the node is taken out; then owned by the thread that took it out.
template <class A = std_atomics>
struct basic_timer_node {
  // Called by the thread that took the node out. `how` is `fired`, or `cancelled` because the runtime ends. After the
  // call no other thread touches the node.
  using fire_function = void (*)(basic_timer_node& self, timer_state how) noexcept;

  explicit basic_timer_node(fire_function what) : fire{what} {}
  basic_timer_node(const basic_timer_node&) = delete;
  basic_timer_node& operator=(const basic_timer_node&) = delete;

  time_ns at_ns = 0;
  basic_timer_node* next = nullptr;
  basic_timer_node** link = nullptr;  // the pointer to this node in a list of the wheel
  fire_function fire;
  typename A::template var<timer_state> state{timer_state::fresh};
};

using timer_node = basic_timer_node<>;

}  // namespace filch::inline v0::time
