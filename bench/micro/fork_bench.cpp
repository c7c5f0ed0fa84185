// What a fork costs on one thread, by design: fib with a fork at every node, which nobody takes.
//
// serial          one call per node
// latent          filch::join on a worker
// chase_lev       a job on the caller's stack, pushed to and popped from our lock-free deque
// split           the owner's side of a deque with a private and a public part: a bounds check and two plain stores
// submitted       a task from the heap per fork, through runtime::submit and get
// And a switch between two stacks, which a join takes whose child was taken.
#include <filch/filch.hpp>
#include <filch/queue/deque.hpp>
#include <runtime/fiber.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace {

constexpr int k_n = 22;
constexpr double k_forks = 28656;  // inner nodes of fib(22)

// The barriers keep the compiler from inlining the recursion and from making a loop of it.
[[gnu::noinline]] long serial(int n) {
  if (n < 2) return n;
  long a = serial(n - 1);
  asm volatile("" : "+r"(a));
  long b = serial(n - 2);
  asm volatile("" : "+r"(b));
  return a + b;
}

[[gnu::noinline]] long latent(int n) {
  if (n < 2) return n;
  const auto [a, b] = filch::join([n] { return latent(n - 1); }, [n] { return latent(n - 2); });
  return a + b;
}

struct job {
  void (*run)(job&);
  int n;
  long result;
};

[[gnu::noinline]] long chase_lev(filch::queue::deque<job*>::owner_handle deque, int n) {
  if (n < 2) return n;
  job child{[](job& self) { self.result = 0; }, n - 2, 0};
  deque.push(&child);
  const long a = chase_lev(deque, n - 1);
  if (deque.pop().has_value()) return a + chase_lev(deque, n - 2);
  return a + child.result;
}

// Thieves see what lies below `shared`; they ask by moving `limit`, which the owner compares at each fork.
struct split_deque {
  std::vector<job*> slots = std::vector<job*>(4096);
  std::size_t next = 0;
  std::size_t shared = 0;
  filch::std_atomics::atomic<std::size_t> limit{4000};
  [[gnu::noinline, gnu::cold]] void share() { ++shared; }
};

[[gnu::noinline]] long split(split_deque& deque, int n) {
  if (n < 2) return n;
  job child{[](job& self) { self.result = 0; }, n - 2, 0};
  deque.slots[deque.next] = &child;
  // statistic
  if (++deque.next > deque.limit.load(std::memory_order_relaxed)) [[unlikely]] deque.share();
  const long a = split(deque, n - 1);
  if (--deque.next >= deque.shared) [[likely]] return a + split(deque, n - 2);
  return a + child.result;
}

[[gnu::noinline]] long submitted(filch::runtime& rt, int n) {
  if (n < 2) return n;
  auto b = rt.submit([&rt, n] { return submitted(rt, n - 2); });
  const long a = submitted(rt, n - 1);
  return a + b.get();
}

void report(benchmark::State& state) {
  state.counters["per fork"] = benchmark::Counter(k_forks, benchmark::Counter::kIsIterationInvariantRate |
                                                              benchmark::Counter::kInvert);
}

template <class F>
void measure(benchmark::State& state, const F& function) {
  for (auto turn : state) {
    if (function() != 17711) state.SkipWithError("a wrong result");
  }
  report(state);
}

void fork_serial(benchmark::State& state) {
  measure(state, [] { return serial(k_n); });
}
BENCHMARK(fork_serial);

void fork_latent(benchmark::State& state) {
  filch::runtime rt{{.workers = 1}};
  rt.run([&] { measure(state, [] { return latent(k_n); }); });
}
BENCHMARK(fork_latent);

void fork_chase_lev(benchmark::State& state) {
  filch::queue::deque<job*> deque;
  measure(state, [&] { return chase_lev(deque.owner(), k_n); });
}
BENCHMARK(fork_chase_lev);

void fork_split(benchmark::State& state) {
  split_deque deque;
  measure(state, [&] { return split(deque, k_n); });
}
BENCHMARK(fork_split);

void fork_submitted(benchmark::State& state) {
  filch::runtime rt{{.workers = 1}};
  rt.run([&] { measure(state, [&] { return submitted(rt, k_n); }); });
}
BENCHMARK(fork_submitted);

struct two_fibers {
  filch::fiber own;
  filch::fiber other{64 << 10};
};

void fork_stack_switch(benchmark::State& state) {
  two_fibers both;
  both.other.prepare(
      [](void* given, filch::fiber&) {
        auto& fibers = *static_cast<two_fibers*>(given);
        while (true) (void)filch::fiber::switch_to(fibers.other, fibers.own);
      },
      &both);
  for (auto turn : state) (void)filch::fiber::switch_to(both.own, both.other);
  state.SetItemsProcessed(2 * state.iterations());  // there and back
}
BENCHMARK(fork_stack_switch);

}  // namespace
