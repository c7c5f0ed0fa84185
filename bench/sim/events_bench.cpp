// Events per second: plain ones in the heap, and timeouts of coroutine processes, with so many pending.
#include <filch/base/random.hpp>
#include <filch/sim/environment.hpp>
#include <filch/sim/event_heap.hpp>
#include <filch/sim/queue.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>

namespace {

using namespace filch;

time_ns random_delay(random_stream& random) { return 1 + static_cast<time_ns>(random.bits() & 1023); }

void plain_events(benchmark::State& state) {
  random_stream random{1};
  sim::event_heap<std::uint32_t> pending;
  for (std::uint32_t i = 0; i != state.range(0); ++i) pending.push(random_delay(random), i);
  for (auto _ : state) {
    const auto next = pending.take();
    pending.push(next.at_ns + random_delay(random), next.what);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plain_events)->Arg(64)->Arg(1024)->Arg(65536);

sim::process ticker(sim::environment& env, random_stream random) {
  for (;;) co_await env.timeout(random_delay(random));
}

void process_timeouts(benchmark::State& state) {
  sim::environment env;
  const random_stream random{1};
  for (std::uint64_t i = 0; i != static_cast<std::uint64_t>(state.range(0)); ++i) {
    env.start(ticker(env, random.split(i)));
  }
  for (auto _ : state) env.run_until(env.now_ns() + 10'000);
  state.SetItemsProcessed(static_cast<std::int64_t>(env.events_run()));
}
BENCHMARK(process_timeouts)->Arg(64)->Arg(1024)->Arg(65536);

sim::process forwarder(sim::queue<int>& from, sim::queue<int>& to) {
  for (;;) co_await to.put(co_await from.get());
}

void queue_hand_overs(benchmark::State& state) {
  sim::environment env;
  sim::queue<int> there;
  sim::queue<int> back;
  env.start(forwarder(there, back));
  env.start(forwarder(back, there));
  (void)there.try_put(1);
  for (auto _ : state) env.step();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(queue_hand_overs);

}  // namespace
