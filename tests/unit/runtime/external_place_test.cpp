// An external thread that computes takes the place of one worker, and joins work on stacks that the program has made.
#include <support/spin_until.hpp>
#include <support/stress.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include <ucontext.h>

namespace {

using filch_test::spin_until;

// How many threads are inside leaves at once.
class presence {
 public:
  void enter() {
    const unsigned now = inside_.fetch_add(1) + 1;
    unsigned most = most_.load();
    while (most < now && !most_.compare_exchange_weak(most, now)) {}
  }
  void leave() { --inside_; }
  [[nodiscard]] unsigned most() const { return most_; }

 private:
  std::atomic<unsigned> inside_{0};
  std::atomic<unsigned> most_{0};
};

void compute(int rounds) {
  for (int i = 0; i != rounds; ++i) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}

void tree(int depth, presence& threads) {
  if (depth != 0) {
    filch::join([&, depth] { tree(depth - 1, threads); }, [&, depth] { tree(depth - 1, threads); });
    return;
  }
  threads.enter();
  compute(50'000);
  threads.leave();
}

unsigned default_workers() { return filch::default_runtime().workers(); }

// Property: an external thread that computes and the workers that help it are no more threads than there are workers.
// Oracle: the number of threads inside leaves, also those that have lost their processor there. With one worker there
// is no helper.
TEST(external_place, a_computing_thread_and_its_helpers_are_no_more_than_the_workers) {
  for (int i = 0; i != 10; ++i) {
    presence threads;
    tree(9, threads);
    EXPECT_LE(threads.most(), default_workers());
  }
}

TEST(external_place, loops_keep_to_it_too) {
  for (int i = 0; i != 10; ++i) {
    presence threads;
    filch::for_index(500, [&](int) {
      threads.enter();
      compute(50'000);
      threads.leave();
    });
    EXPECT_LE(threads.most(), default_workers());
  }
}

// Property: while the thread blocks, all workers take part. Its function ends only when each of them is inside a leaf.
TEST(external_place, a_thread_that_blocks_leaves_its_place_to_a_worker) {
  std::atomic<unsigned> inside{0};
  const unsigned all = default_workers();
  const auto wait = [&] {
    ++inside;
    return spin_until([&] { return inside == all; });
  };
  std::atomic<bool> have_met{true};
  filch::join(
      [&] {
        filch::blocking([&] {
          if (!spin_until([&] { return inside == all; })) have_met = false;
        });
      },
      [&] {
        filch::for_index(all, [&](unsigned) {
          if (!wait()) have_met = false;
        });
      });
  EXPECT_TRUE(have_met);
}

// Property: workers that slept because an external thread computed are woken for work when it has gone. The task's
// first function ends only when another worker has run the second; the external thread came and left before it forked.
TEST(external_place, workers_come_back_when_the_thread_has_gone) {
  // With one CPU there is one worker, and no other to wake; CI has two, and there nothing is skipped.
  if (default_workers() < 2) GTEST_SKIP() << "a single worker has no other";
  for (int i = 0; i != 50; ++i) {
    std::atomic<bool> may_fork{false};
    auto task = filch::default_runtime().submit([&] {
      EXPECT_TRUE(spin_until([&] { return may_fork.load(); }));
      std::atomic<bool> has_run{false};
      const auto [seen, none] =
          filch::join([&] { return spin_until([&] { return has_run.load(); }); }, [&] { has_run = true; });
      return seen;
    });
    presence threads;
    tree(5, threads);
    may_fork = true;
    EXPECT_TRUE(task.get());
  }
}

// ---- stacks that the program has made -------------------------------------------------------------------------------

// The sanitizers must be told of each switch of stacks, which ucontext does not do.
#if !defined(FILCH_TSAN) && !defined(FILCH_TEST_SANITIZED)

struct own_fiber {
  static constexpr std::size_t k_bytes = 512 << 10;

  explicit own_fiber(std::byte* memory) : stack{memory} {}
  void run(std::function<void()> body) {
    body_ = std::move(body);
    ::getcontext(&context_);
    context_.uc_stack.ss_sp = stack;
    context_.uc_stack.ss_size = k_bytes;
    context_.uc_link = &back_;
    current = this;
    ::makecontext(&context_, &enter, 0);
    ::swapcontext(&back_, &context_);
  }

  static void enter() { current->body_(); }
  static inline thread_local own_fiber* current = nullptr;
  std::byte* const stack;
  ucontext_t context_{};
  ucontext_t back_{};
  std::function<void()> body_;
};

long sum_of(long from, long to) {
  if (to - from == 1) return from;
  const long middle = from + (to - from) / 2;
  const auto [a, b] = filch::join([=] { return sum_of(from, middle); }, [=] { return sum_of(middle, to); });
  return a + b;
}

alignas(64) std::byte low_memory[own_fiber::k_bytes];  // below all stacks of threads

void expect_joins_on(own_fiber fiber, bool is_shared) {
  long sum = 0;
  bool has_met = !is_shared;
  fiber.run([&] {
    sum = sum_of(0, 1000);
    if (!is_shared) return;
    std::atomic<bool> has_run{false};
    const auto [seen, none] =
        filch::join([&] { return spin_until([&] { return has_run.load(); }); }, [&] { has_run = true; });
    has_met = seen;
  });
  EXPECT_EQ(sum, 499'500);
  EXPECT_TRUE(has_met);
}

class on_own_fiber : public testing::TestWithParam<unsigned> {};

TEST_P(on_own_fiber, joins_of_a_worker_are_shared_wherever_the_stack_lies) {
  filch::runtime rt{{.workers = GetParam()}};
  const std::unique_ptr<std::byte[]> heap{new std::byte[own_fiber::k_bytes]};
  rt.run([&] {
    for (int i = 0; i != 20; ++i) {
      expect_joins_on(own_fiber{heap.get()}, GetParam() > 1);
      expect_joins_on(own_fiber{low_memory}, GetParam() > 1);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(workers, on_own_fiber, testing::Values(1u, 2u, 4u));

TEST(on_own_fiber, joins_of_an_external_thread_are_shared) {
  const std::unique_ptr<std::byte[]> heap{new std::byte[own_fiber::k_bytes]};
  expect_joins_on(own_fiber{heap.get()}, default_workers() > 1);
  std::thread{[] { expect_joins_on(own_fiber{low_memory}, default_workers() > 1); }}.join();
}

#endif

}  // namespace
