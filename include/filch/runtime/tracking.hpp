// Does any runtime of this process track its tasks (options::track_tasks)? Without one, a spawn or an await costs
// one load.
#pragma once

#include <atomic>
#include <cstdint>

namespace filch::inline v0::detail {

extern constinit std::atomic<std::uint32_t> tracking_runtimes;

[[nodiscard]] inline bool is_tracking() noexcept {
  return tracking_runtimes.load(std::memory_order_relaxed) != 0;  // hint: what is not told in time is not listed
}

}  // namespace filch::inline v0::detail
