#include <filch/sync/short_lock.hpp>

#include <filch/base/units.hpp>

#include <algorithm>
#include <thread>

namespace filch::inline v0::sync {
namespace {

// The first time; it doubles. With four senders and four receivers on two workers half of it costs half as much again
// per item.
constexpr time_ns k_away_ns = 800;
constexpr std::uint32_t k_doublings = 3;
constexpr std::uint32_t k_away_turns = 8;  // guess

}  // namespace

void wait_away(std::uint32_t turn) noexcept {
  if (turn > k_away_turns) return std::this_thread::yield();
  const time_ns until_ns = monotonic_now_ns() + (k_away_ns << std::min(turn - 1, k_doublings));
  do {
    for (int i = 0; i != 8; ++i) std_atomics::pause();  // between two looks at the clock
  } while (monotonic_now_ns() < until_ns);
}

}  // namespace filch::inline v0::sync
