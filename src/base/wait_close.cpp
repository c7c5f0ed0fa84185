#include <filch/base/wait_close.hpp>

#include <thread>

namespace filch::inline v0 {

void wait_close(std::uint32_t turn) noexcept {
  constexpr std::uint32_t k_close_turns = 64;  // guess
  if (turn % k_close_turns == 0) std::this_thread::yield();
  else std_atomics::pause();
}

}  // namespace filch::inline v0
