#include <filch/sync/short_lock.hpp>

#include <filch/base/units.hpp>

#include <algorithm>
#include <thread>

namespace filch::inline v0::sync {
namespace {

// The first backoff; later ones double. With four senders and four receivers on two workers, half of this value makes
// an item cost 1.5 times as much.
constexpr time_ns k_backoff_ns = 800;
constexpr std::uint32_t k_doublings = 3;
constexpr std::uint32_t k_backoff_turns = 8;  // guess

}  // namespace

void back_off_turn(std::uint32_t turn) noexcept {
  if (turn > k_backoff_turns) return std::this_thread::yield();
  const time_ns until_ns = monotonic_now_ns() + (k_backoff_ns << std::min(turn - 1, k_doublings));
  do {
    for (int i = 0; i != 8; ++i) std_atomics::pause();  // between two looks at the clock
  } while (monotonic_now_ns() < until_ns);
}

}  // namespace filch::inline v0::sync
