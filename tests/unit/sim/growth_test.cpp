// What a simulation costs when there are more workers: memory is counted, time is not.
//
// In a program of its own, because operator new is replaced here. The sanitizers' runtime of clang has one of its own,
// which cannot be replaced: there these tests are left out.
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__clang__) && defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define FILCH_TEST_KEEPS_NEW 1
#endif
#endif

#ifndef FILCH_TEST_KEEPS_NEW
namespace {

std::atomic<std::uint64_t> asked_bytes{0};  // by all allocations

void* allocate(std::size_t bytes) {
  asked_bytes.fetch_add(bytes, std::memory_order_relaxed);
  if (void* const memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// Not inlined: a compiler that sees `free` inside takes it for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return allocate(bytes); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace filch;

struct cost {
  std::uint64_t bytes = 0;
  std::uint64_t looks = 0;
};

// Four tasks of 10 µs for each worker, all of them in the queue of worker 0; a look takes 500 ns.
cost cost_of(std::uint32_t workers, const policy::search_options& policy) {
  sim::machine_model machine = sim::machine_model::free(workers);
  machine.costs.steal = {{.success_ns = 2000, .empty_ns = 500, .lost_ns = 500}};
  sim::task_list tasks;
  for (std::uint32_t i = 0; i != 4 * workers; ++i) tasks.add(10'000, sim::target::at(worker_id{0}));
  const std::uint64_t before = asked_bytes.load();
  const sim::run_result result = sim::simulate(machine, policy, tasks);
  EXPECT_TRUE(result.is_complete);
  return {asked_bytes.load() - before, result.total_counts()[trace::count::steal_attempts]};
}

TEST(growth, memory_grows_with_the_workers_and_not_with_their_pairs) {
  for (const policy::victims how : {policy::victims::random, policy::victims::largest, policy::victims::nearest,
                                    policy::victims::last_victim, policy::victims::best_of_two}) {
    const policy::search_options policy{.victims = how, .steal = policy::steal::half, .idle = policy::idle::eco};
    const cost few = cost_of(512, policy);
    const cost many = cost_of(16 * 512, policy);
    EXPECT_LT(many.bytes, 24 * few.bytes) << to_string(how);
    EXPECT_LT(many.bytes, 8192u * 8192u) << to_string(how);
    // Work spreads by doubling, so it takes a few steps longer to reach everybody.
    EXPECT_LT(many.looks, 64 * few.looks) << to_string(how);
  }
}

}  // namespace
#endif
