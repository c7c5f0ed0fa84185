// Waits on the calling thread, for what another thread does.
#pragma once

#include <chrono>
#include <thread>

namespace filch_test {

// False: it has not come true within a minute. No machine that runs at all takes so long: a hang becomes a failure.
template <class Condition>
[[nodiscard]] bool spin_until(const Condition& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace filch_test
