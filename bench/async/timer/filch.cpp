// Tasks that all sleep at the same time; and timers that are set and never fire.
#include <filch/coro/switching.hpp>
#include <filch/time/sleep.hpp>
#include <filch/time/timeout.hpp>

#include "../harness/filch.hpp"

namespace filch::bench {
namespace {

task<> sleep_once(std::atomic<std::uint64_t>& asleep, std::chrono::microseconds span, countdown& awake) {
  asleep.fetch_add(1, std::memory_order_relaxed);
  co_await sleep_for(span);
  awake.finish(1);
}

task<std::uint64_t> yield_once() {
  co_await yield();
  co_return 1;
}
task<> churn(countdown& counter, std::uint64_t times) {
  std::uint64_t done = 0;
  for (; times != 0; --times) done += co_await timeout(yield_once(), std::chrono::hours{1});
  counter.finish(done);
}

const added k_sleepers{sleepers_shape([](std::atomic<std::uint64_t>& asleep, std::chrono::microseconds span,
                                         countdown& awake) { start(sleep_once(asleep, span, awake)); })};
const added k_timer_churn{shape("timer_churn", [](std::uint64_t timers) {
  countdown counter{k_tasks};
  for (std::uint64_t i = 0; i != k_tasks; ++i) start(churn(counter, timers / k_tasks));
  return counter.wait();
})};

}  // namespace
}  // namespace filch::bench
