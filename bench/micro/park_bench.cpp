// Parking: a token that goes to and fro between two threads that sleep in between, and what a submission pays to learn
// that nobody sleeps.
#include "team.hpp"

#include <filch/park/idle.hpp>
#include <filch/park/parker.hpp>

#include <benchmark/benchmark.h>

#include <condition_variable>
#include <memory>
#include <mutex>

namespace filch_bench {
namespace {

using filch::std_atomics;

struct alignas(128) our_parker {
  void park() { (void)place.park(); }
  void unpark() { place.unpark(); }

  filch::park::parker<> place;
};

class alignas(128) condvar_parker {
 public:
  void park() {
    std::unique_lock lock{mutex_};
    given_.wait(lock, [&] { return token_; });
    token_ = false;
  }
  void unpark() {
    {
      const std::lock_guard guard{mutex_};
      token_ = true;
    }
    given_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_;
  bool token_ = false;
};

// Two threads on two CPUs wake each other in turn. Per round trip: two sleeps and two wakes.
template <class Parker>
void ping_pong(benchmark::State& state) {
  const auto here = std::make_unique<Parker>();
  const auto there = std::make_unique<Parker>();
  std::uint64_t answers = 0;
  std::uint64_t trips = 0;
  team helpers;
  helpers.start(1, [&] {
    while (true) {
      there->park();
      if (helpers.is_stopped()) return;
      ++answers;
      here->unpark();
    }
  });
  helpers.go();
  for (auto _ : state) {
    there->unpark();
    here->park();
    ++trips;
  }
  const std::uint64_t answered = answers;
  helpers.tell_stop();
  there->unpark();
  helpers.join();
  if (answered != trips) state.SkipWithError("a token was lost or came twice");
}

// notify() after a push while nobody sleeps.
void notify_nobody(benchmark::State& state) {
  const auto idle = std::make_unique<filch::park::idle<>>(2);
  std::uint64_t woken = 0;
  while (state.KeepRunningBatch(1000)) {
    for (int i = 0; i != 1000; ++i) woken += idle->notify() == filch::worker_id::none() ? 0u : 1u;
  }
  if (woken != 0) state.SkipWithError("somebody was woken");
}

// The part of it that cannot be saved: the fence alone.
void fence_alone(benchmark::State& state) {
  while (state.KeepRunningBatch(1000)) {
    // [P1] seq_cst fence: measured, orders nothing.
    for (int i = 0; i != 1000; ++i) std_atomics::fence(std::memory_order_seq_cst);
  }
}

// The same duty done with a mutex and a condition variable.
void notify_condvar(benchmark::State& state) {
  std::mutex mutex;
  std::condition_variable work_came;
  std::uint64_t work = 0;
  std::uint64_t wanted = 0;
  while (state.KeepRunningBatch(1000)) {
    for (int i = 0; i != 1000; ++i) {
      {
        const std::lock_guard guard{mutex};
        ++work;
      }
      work_came.notify_one();
    }
    wanted += 1000;
  }
  if (work != wanted) state.SkipWithError("a notification was lost");
}

const bool k_registered = [] {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("ping_pong/filch", ping_pong<our_parker>)->UseRealTime();
  RegisterBenchmark("ping_pong/condvar", ping_pong<condvar_parker>)->UseRealTime();
  RegisterBenchmark("notify_nobody/filch", notify_nobody);
  RegisterBenchmark("notify_nobody/fence_alone", fence_alone);
  RegisterBenchmark("notify_nobody/condvar", notify_condvar);
  return true;
}();

}  // namespace
}  // namespace filch_bench
