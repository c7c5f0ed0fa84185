// Waiting for somebody who needs a few instructions.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>
#include <type_traits>

namespace filch::inline v0 {

// The turn so many of waiting, from 1 on. Now and then the thread lets others run: whoever is waited for may have been
// put aside by the operating system.
void wait_close(std::uint32_t turn) noexcept;

template <class A>
void wait_close_by(std::uint32_t turn) {
  if constexpr (std::is_same_v<A, std_atomics>) wait_close(turn);
  else A::pause();
}

}  // namespace filch::inline v0
