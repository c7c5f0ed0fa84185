// Tasks that all sleep at the same time.
#include <filch/time/sleep.hpp>

#include "../harness/filch.hpp"

namespace filch::bench {
namespace {

task<> sleep_once(std::atomic<std::uint64_t>& asleep, std::chrono::microseconds span, countdown& awake) {
  asleep.fetch_add(1, std::memory_order_relaxed);
  co_await sleep_for(span);
  awake.finish(1);
}

const added k_sleepers{sleepers_shape(
    [](std::atomic<std::uint64_t>& asleep, std::chrono::microseconds span, countdown& awake) {
      start(sleep_once(asleep, span, awake));
    })};

}  // namespace
}  // namespace filch::bench
