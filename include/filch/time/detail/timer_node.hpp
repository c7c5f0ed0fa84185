// One timer, as the timer wheels know it. It lies in the frame or on the stack of who waits, or in a `timer`.
// kernel: light headers only
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/units.hpp>

#include <cstdint>

namespace filch::inline v0::time {

enum class timer_state : std::uint8_t {
  fresh,      // nobody has started it
  pending,    // in the wheel
  fired,      // taken out because its time has come
  cancelled,  // taken out before that, or not let in
};

// Guarded by the mutex of the shard, from `add` until it was taken out; then of who took it out.
template <class A = std_atomics>
struct basic_timer_node {
  // `how` is fired, or cancelled because the runtime ends. On whichever worker or thread took it out; afterwards nobody
  // touches the node.
  using fire_function = void (*)(basic_timer_node& self, timer_state how) noexcept;

  explicit basic_timer_node(fire_function what) : fire{what} {}
  basic_timer_node(const basic_timer_node&) = delete;
  basic_timer_node& operator=(const basic_timer_node&) = delete;

  time_ns at_ns = 0;
  basic_timer_node* next = nullptr;
  basic_timer_node** link = nullptr;  // what points to this one, in a list of the wheel
  fire_function fire;
  typename A::template var<timer_state> state{timer_state::fresh};
};

using timer_node = basic_timer_node<>;

}  // namespace filch::inline v0::time
