// A switch between two stacks, which a join takes whose child was taken: ours, Boost.Context's public class and what it
// is made of, and the system's. Per switch: there and back are two.
#include <stack/fiber.hpp>

#include <benchmark/benchmark.h>

#include <ucontext.h>

#include <cstddef>
#include <memory>

#ifdef FILCH_BENCH_BOOST_CONTEXT
#include <boost/context/detail/fcontext.hpp>
#include <boost/context/fiber.hpp>

#include <utility>
#endif

namespace filch_bench {
namespace {

constexpr std::size_t k_stack_bytes = 64 << 10;

// `round_trip()` goes to the other stack and comes back; the other side counts how often it was there.
template <class F>
void measure(benchmark::State& state, const std::size_t& arrivals, const F& round_trip) {
  const std::size_t before = arrivals;
  std::size_t trips = 0;
  while (state.KeepRunningBatch(2)) {
    round_trip();
    ++trips;
  }
  if (arrivals - before != trips) state.SkipWithError("a switch went elsewhere");
}

struct two_fibers {
  filch::fiber own;
  filch::fiber other{k_stack_bytes};
  std::size_t arrivals = 0;
};

void by_filch(benchmark::State& state) {
  two_fibers both;
  both.other.prepare(
      [](void* given, filch::fiber&) {
        auto& fibers = *static_cast<two_fibers*>(given);
        for (;; ++fibers.arrivals) (void)filch::fiber::switch_to(fibers.other, fibers.own);
      },
      &both);
  (void)filch::fiber::switch_to(both.own, both.other);
  measure(state, both.arrivals, [&both] { (void)filch::fiber::switch_to(both.own, both.other); });
}

struct two_contexts {
  ucontext_t own{};
  ucontext_t other{};
  std::size_t arrivals = 0;
};
two_contexts* entered = nullptr;  // makecontext hands on no pointers

void by_swapcontext(benchmark::State& state) {
  const auto stack = std::make_unique<std::byte[]>(k_stack_bytes);
  two_contexts both;
  entered = &both;
  (void)::getcontext(&both.other);
  both.other.uc_stack = {.ss_sp = stack.get(), .ss_flags = 0, .ss_size = k_stack_bytes};
  ::makecontext(
      &both.other,
      [] {
        two_contexts& contexts = *entered;
        for (;; ++contexts.arrivals) (void)::swapcontext(&contexts.other, &contexts.own);
      },
      0);
  (void)::swapcontext(&both.own, &both.other);
  measure(state, both.arrivals, [&both] { (void)::swapcontext(&both.own, &both.other); });
}

#ifdef FILCH_BENCH_BOOST_CONTEXT

void by_boost_fiber(benchmark::State& state) {
  std::size_t arrivals = 0;
  boost::context::fiber other{[&arrivals](boost::context::fiber&& back) -> boost::context::fiber {
    for (;; ++arrivals) back = std::move(back).resume();  // left by the exception with which its owner ends it
  }};
  other = std::move(other).resume();
  measure(state, arrivals, [&other] { other = std::move(other).resume(); });
}

void by_boost_fcontext(benchmark::State& state) {
  using boost::context::detail::jump_fcontext;
  using boost::context::detail::transfer_t;
  const auto stack = std::make_unique<std::byte[]>(k_stack_bytes);
  std::size_t arrivals = 0;
  const auto other =
      boost::context::detail::make_fcontext(stack.get() + k_stack_bytes, k_stack_bytes, [](transfer_t back) {
        for (auto& count = *static_cast<std::size_t*>(back.data);; ++count) back = jump_fcontext(back.fctx, nullptr);
      });
  transfer_t there = jump_fcontext(other, &arrivals);
  measure(state, arrivals, [&there] { there = jump_fcontext(there.fctx, nullptr); });
}

#endif

bool add_all() {
  benchmark::RegisterBenchmark("stack_switch/filch", by_filch);
#ifdef FILCH_BENCH_BOOST_CONTEXT
  benchmark::RegisterBenchmark("stack_switch/boost_fcontext", by_boost_fcontext);
  benchmark::RegisterBenchmark("stack_switch/boost_fiber", by_boost_fiber);
#endif
  benchmark::RegisterBenchmark("stack_switch/swapcontext", by_swapcontext);
  return true;
}

const bool k_added = add_all();

}  // namespace
}  // namespace filch_bench
