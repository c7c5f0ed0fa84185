// What a fork costs, by design: fib with a fork at every node, which nobody takes (one thread), or a second thread
// takes some of (two threads). Times are per fork; `bench/run_micro.py` prints what a design adds to serial code, and
// its ratio.
//
// serial                one call per node, on one thread filch                 latent frames: filch::join on a worker
// chase_lev_…           a job on the caller's stack, pushed to and popped from our lock-free deque: with the owner's
// fence,
//                       with seq_cst stores instead, and with membarrier(2) in the thief instead
// split                 a deque with a private and a public part
// heartbeat             private jobs, one of which becomes public every 100 µs
// submitted             a task from the heap per fork, through runtime::submit and get
#include "forks/chase_lev.hpp"
#include "forks/heartbeat.hpp"
#include "forks/split.hpp"

#include <filch/filch.hpp>

#include <benchmark/benchmark.h>

#include <string>

namespace filch_bench::forks {
namespace {

struct problem {
  int n;
  long result;
  long forks;  // nodes with two children
};
constexpr problem k_small{22, 17711, 28656};
constexpr problem k_large{30, 832040, 1346268};  // some milliseconds: thefts take microseconds

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

[[gnu::noinline]] long submitted(filch::runtime& rt, int n) {
  if (n < 2) return n;
  auto b = rt.submit([&rt, n] { return submitted(rt, n - 2); });
  const long a = submitted(rt, n - 1);
  return a + b.get();
}

// The first call does not count: a thread that has just begun may still share the CPU of the one that made it.
template <class F>
void measure(benchmark::State& state, const problem& what, const F& function) {
  if (function(what.n) != what.result) state.SkipWithError("a wrong result");
  while (state.KeepRunningBatch(what.forks)) {
    if (function(what.n) != what.result) state.SkipWithError("a wrong result");
  }
}

void measure_serial(benchmark::State& state, const problem& what) { measure(state, what, serial); }

template <unsigned Workers>
void measure_latent(benchmark::State& state, const problem& what) {
  filch::runtime rt{{.workers = Workers}};
  rt.run([&] { measure(state, what, latent); });
}

template <unsigned Workers>
void measure_submitted(benchmark::State& state, const problem& what) {
  filch::runtime rt{{.workers = Workers}};
  rt.run([&] { measure(state, what, [&rt](int n) { return submitted(rt, n); }); });
}

template <class Workers>
void measure_design(benchmark::State& state, const problem& what) {
  Workers workers;
  measure(state, what, [&workers](int n) { return workers.run(n); });
}

using measuring = void (*)(benchmark::State&, const problem&);

void add(const std::string& who, measuring alone, measuring with_thief) {
  benchmark::RegisterBenchmark(("fork_1_thread/" + who).c_str(), [alone](benchmark::State& s) { alone(s, k_small); });
  benchmark::RegisterBenchmark(("fork_2_threads/" + who).c_str(), [with_thief](benchmark::State& s) {
    with_thief(s, k_large);
  })->UseRealTime();
}

template <class Worker>
void add_design(const std::string& who) {
  add(who, measure_design<one_worker<Worker>>, measure_design<two_workers<Worker>>);
}

bool add_all() {
  add("serial", measure_serial, measure_serial);
  add("filch", measure_latent<1>, measure_latent<2>);
  add_design<split>("split");
  add_design<heartbeat>("heartbeat");
  if (by_membarrier::is_there()) add_design<chase_lev<by_membarrier>>("chase_lev_membarrier");
  add_design<chase_lev<by_fence>>("chase_lev_fence");
  add_design<chase_lev<by_seq_cst_store>>("chase_lev_seq_cst");
  add("submitted", measure_submitted<1>, measure_submitted<2>);
  return true;
}

const bool k_added = add_all();

}  // namespace
}  // namespace filch_bench::forks
