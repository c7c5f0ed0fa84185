// The injector against the two queues it was chosen over: an intrusive list under a mutex, and moodycamel's
// ConcurrentQueue, used without tokens because work from outside comes from threads that nobody knows beforehand.
//
// The items are jobs that the producer reuses once the consumer has let go of them, as a runtime's tasks are; the jobs
// and the rules are the same for all three. Sums are compared as in deque_bench.cpp.
#include "team.hpp"

#include <filch/queue/injector.hpp>

#include <benchmark/benchmark.h>

#ifdef FILCH_BENCH_MOODYCAMEL
#include <concurrentqueue.h>
#endif

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace filch_bench {
namespace {

using filch::std_atomics;

struct alignas(64) job : filch::queue::link {
  job* next_in_list = nullptr;  // the mutex list's link
  std::uint64_t value = 0;
  std::atomic<bool> is_free{true};
};

// ---- the three queues: push, and pop that gives nullptr when there is nothing to be had -----------------------------
class ours {
 public:
  void push(job* item) { queue_.push(item); }
  job* pop() { return static_cast<job*>(queue_.pop().item); }

 private:
  filch::queue::injector<> queue_;
};

class mutex_list {
 public:
  void push(job* item) {
    item->next_in_list = nullptr;
    const std::lock_guard guard{mutex_};
    (newest_ == nullptr ? oldest_ : newest_->next_in_list) = item;
    newest_ = item;
    size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // statistic
  }

  // Looks at the size first, as ours does: a worker must be able to pass an empty injector without a lock.
  job* pop() {
    if (size_.load(std::memory_order_relaxed) == 0) return nullptr;  // statistic
    const std::lock_guard guard{mutex_};
    job* const item = oldest_;
    if (item == nullptr) return nullptr;
    oldest_ = item->next_in_list;
    if (oldest_ == nullptr) newest_ = nullptr;
    size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);  // statistic
    return item;
  }

 private:
  alignas(128) std::mutex mutex_;
  job* oldest_ = nullptr;
  job* newest_ = nullptr;
  alignas(128) std::atomic<std::uint64_t> size_{0};
};

#ifdef FILCH_BENCH_MOODYCAMEL
class moody {
 public:
  void push(job* item) { queue_.enqueue(item); }
  job* pop() {
    job* item = nullptr;
    return queue_.try_dequeue(item) ? item : nullptr;
  }

 private:
  moodycamel::ConcurrentQueue<job*> queue_;
};
#endif

// ---- one thread -----------------------------------------------------------------------------------------------------
constexpr std::uint64_t k_jobs = 1024;  // per producer

using jobs = std::array<job, k_jobs>;

void expect(benchmark::State& state, std::uint64_t got, std::uint64_t wanted) {
  if (got != wanted) state.SkipWithError("an item was lost or came twice");
}

// Push `range(0)`, pop as many. Per pair.
template <class Queue>
void fill_drain(benchmark::State& state) {
  const auto queue = std::make_unique<Queue>();
  const auto pool = std::make_unique<jobs>();
  const auto n = static_cast<std::size_t>(state.range(0));
  for (std::size_t i = 0; i != k_jobs; ++i) (*pool)[i].value = i;
  std::uint64_t sum = 0;
  std::uint64_t wanted = 0;
  while (state.KeepRunningBatch(k_jobs)) {
    for (std::size_t first = 0; first != k_jobs; first += n) {
      for (std::size_t i = 0; i != n; ++i) queue->push(&(*pool)[first + i]);
      for (std::size_t i = 0; i != n; ++i) {
        const job* const got = queue->pop();
        sum += got != nullptr ? got->value : ~std::uint64_t{0};
      }
    }
    wanted += k_jobs * (k_jobs - 1) / 2;
  }
  expect(state, sum, wanted);
}

// A look at an empty queue: what every search of every worker pays.
template <class Queue>
void pop_nothing(benchmark::State& state) {
  const auto queue = std::make_unique<Queue>();
  std::uint64_t found = 0;
  while (state.KeepRunningBatch(1000)) {
    for (int i = 0; i != 1000; ++i) {
      found += queue->pop() != nullptr ? 1u : 0u;
      benchmark::ClobberMemory();
    }
  }
  expect(state, found, 0);
}

// ---- several threads ------------------------------------------------------------------------------------------------
struct alignas(128) tally {
  std::uint64_t items = 0;
  std::uint64_t sum = 0;
};

template <class Queue>
void produce(Queue& queue, jobs& pool, const team& helpers, tally& out) {
  tally mine;
  for (std::uint64_t n = 0;; ++n) {
    job& one = pool[n % k_jobs];
    // [B1] acquire load: the consumer is done with the job ← [B2] in `consume_one`.
    while (!one.is_free.load(std::memory_order_acquire)) {
      if (helpers.is_stopped()) break;
      std_atomics::pause();
    }
    if (helpers.is_stopped()) break;
    one.is_free.store(false, std::memory_order_relaxed);  // before publication
    one.value = n;
    mine.sum += n;
    ++mine.items;
    queue.push(&one);
  }
  out = mine;
}

template <class Queue>
bool consume_one(Queue& queue, tally& mine) {
  job* const got = queue.pop();
  if (got == nullptr) return false;
  mine.sum += got->value;
  ++mine.items;
  // [B2] release store: gives the job back → [B1] in `produce`.
  got->is_free.store(true, std::memory_order_release);
  return true;
}

template <class Queue>
void consume(Queue& queue, tally& mine, std::uint64_t turns) {
  for (std::uint64_t i = 0; i != turns; ++i) {
    if (!consume_one(queue, mine)) std_atomics::pause();
  }
}

// `range(0)` producers and `range(1)` consumers for a fixed real time. Consumer i is on CPU i, the producers follow,
// modulo the number of CPUs. Per item.
template <class Queue>
void flow(benchmark::State& state) {
  const auto producers = static_cast<std::size_t>(state.range(0));
  const auto consumers = static_cast<std::size_t>(state.range(1));
  for (auto _ : state) {
    const auto queue = std::make_unique<Queue>();
    std::vector<jobs> pools(producers);
    std::vector<tally> in(producers);
    std::vector<tally> out(consumers);
    team helpers;
    for (std::size_t n = 1; n < consumers; ++n) {
      helpers.start(static_cast<std::uint32_t>(n), [&, n] {
        tally mine;
        while (!helpers.is_stopped()) consume(*queue, mine, 64);
        out[n] = mine;
      });
    }
    for (std::size_t n = 0; n != producers; ++n) {
      helpers.start(static_cast<std::uint32_t>(consumers + n), [&, n] { produce(*queue, pools[n], helpers, in[n]); });
    }
    tally mine;
    helpers.go();
    const auto begin = clock::now();
    do consume(*queue, mine, 1024);
    while (seconds_since(begin) < run_time_s());
    const double elapsed_s = seconds_since(begin);
    helpers.stop();
    while (consume_one(*queue, mine)) {}

    out[0] = mine;
    tally pushed;
    tally popped;
    for (const tally& one : in) pushed.items += one.items, pushed.sum += one.sum;
    for (const tally& one : out) popped.items += one.items, popped.sum += one.sum;
    expect(state, popped.items, pushed.items);
    expect(state, popped.sum, pushed.sum);
    state.SetIterationTime(elapsed_s / static_cast<double>(popped.items));
  }
}

// Two producers on two CPUs, nobody pops meanwhile: the price of pushing against each other. Per push.
template <class Queue>
void two_push(benchmark::State& state) {
  constexpr std::uint64_t k_laps = 16;
  for (auto _ : state) {
    const auto queue = std::make_unique<Queue>();
    std::array<std::vector<jobs>, 2> pools{std::vector<jobs>(k_laps), std::vector<jobs>(k_laps)};
    const auto push_all = [&](std::vector<jobs>& mine) {
      for (jobs& lap : mine) {
        for (job& one : lap) queue->push(&one);
      }
    };
    for (auto& pool : pools) {
      for (jobs& lap : pool) {
        for (std::size_t i = 0; i != k_jobs; ++i) lap[i].value = i;
      }
    }
    team helpers;
    helpers.start(1, [&] { push_all(pools[1]); });
    helpers.go();
    const auto begin = clock::now();
    push_all(pools[0]);
    helpers.join();
    state.SetIterationTime(seconds_since(begin) / static_cast<double>(2 * k_laps * k_jobs));

    tally popped;
    while (consume_one(*queue, popped)) {}
    expect(state, popped.items, 2 * k_laps * k_jobs);
    expect(state, popped.sum, k_laps * k_jobs * (k_jobs - 1));
  }
}

template <class Queue>
void register_all(const std::string& who) {
  using benchmark::RegisterBenchmark;
  const auto name = [&](const char* what) { return what + ("/" + who); };
  RegisterBenchmark(name("inject_pair").c_str(), fill_drain<Queue>)->Arg(1);
  RegisterBenchmark(name("inject_fill_drain_64").c_str(), fill_drain<Queue>)->Arg(64);
  RegisterBenchmark(name("inject_pop_nothing").c_str(), pop_nothing<Queue>);
  RegisterBenchmark(name("inject_2_push").c_str(), two_push<Queue>)->UseManualTime()->Iterations(20);
  const auto flowing = [&](const char* what, std::int64_t producers, std::int64_t consumers) {
    RegisterBenchmark(name(what).c_str(), flow<Queue>)->Args({producers, consumers})->UseManualTime()->Iterations(1);
  };
  flowing("inject_1_to_1", 1, 1);
  flowing("inject_2_to_1", 2, 1);
  flowing("inject_1_to_2", 1, 2);
}

const bool k_registered = [] {
  register_all<ours>("filch");
  register_all<mutex_list>("mutex_list");
#ifdef FILCH_BENCH_MOODYCAMEL
  register_all<moody>("moodycamel");
#endif
  return true;
}();

}  // namespace
}  // namespace filch_bench
