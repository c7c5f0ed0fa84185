// Visits by force: a thread visits every share point again and again while its owners fork, loop, throw, lock, block
// and run coroutines.
//
// Property: whatever a visitor takes, and between whichever two instructions of the owner, every element and leaf runs
// exactly once, every result and exception arrives. Oracle: counts and sums. Method: the visitors do not wait until a
// worker sleeps, as those of a runtime do: some ten thousand visits a second find something.
#include <runtime/core.hpp>
#include <share/visiting.hpp>
#include <share/visitor.hpp>
#include <support/stress.hpp>
#include <support/test_seed.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using filch::join;

// While it lives, a thread visits the workers and external threads of these runtimes.
class visitors {
 public:
  explicit visitors(std::vector<filch::runtime*> whom) : whom_{std::move(whom)} {
    EXPECT_TRUE(filch::prepare_visits());
    thread_ = std::thread{[this] {
      while (!is_over_.load(std::memory_order_relaxed)) {
        for (filch::runtime* each : whom_) visit(each->inside());
      }
    }};
  }
  visitors(const visitors&) = delete;
  visitors& operator=(const visitors&) = delete;
  ~visitors() {
    is_over_ = true;
    thread_.join();
    // Else the test says nothing.
    EXPECT_GT(found_, 0u);
  }

 private:
  void visit(filch::runtime::core& core) {
    for (filch::worker& each : core.workers) visit(core, each.point);
    core.shares->external.for_each([&](filch::external_slot& slot) { visit(core, slot.point); });
  }
  void visit(filch::runtime::core& core, filch::share_point& point) {
    const bool was_there = point.offers.is_filled();
    if (!filch::share_visitor{point}.visit()) return;
    if (!was_there) ++found_;
    core.wakes->notify(filch::worker_id::none(), nullptr);
  }

  const std::vector<filch::runtime*> whom_;
  std::atomic<bool> is_over_{false};
  std::uint64_t found_ = 0;  // the thread's own until it has ended
  std::thread thread_;
};

// How long each test resumes; at least one round.
class rounds {
 public:
  [[nodiscard]] bool go_on() {
    const bool is_first = done_++ == 0;
    return is_first || (std::chrono::steady_clock::now() < end_ && !testing::Test::HasFailure());
  }

 private:
  std::uint64_t done_ = 0;
  const std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + std::chrono::seconds{2};
};

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

// Every leaf throws, the node above passes it on, the next one catches it. How many did so.
int throwing_tree(int depth) {
  if (depth == 0) throw depth;
  try {
    const auto [a, b] = join([=] { return throwing_tree(depth - 1); }, [=] { return throwing_tree(depth - 1); });
    return a + b;
  } catch (int) {
    if (depth == 1) throw;
    return 1;
  }
}

void spin(std::size_t turns) {
  for (std::size_t i = 0; i != turns; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
}

void expect_each_once(const std::vector<std::atomic<unsigned char>>& counts) {
  for (std::size_t i = 0; i != counts.size(); ++i) ASSERT_EQ(counts[i].load(), 1) << i;
}

void loop_in_loop(std::size_t n) {
  std::vector<std::atomic<unsigned char>> counts(n * 7);
  filch::for_index(n, [&](std::size_t i) {
    filch::for_index(std::size_t{7}, [&](std::size_t k) {
      counts[i * 7 + k].fetch_add(1, std::memory_order_relaxed);
      spin(i % 50);
    });
  });
  expect_each_once(counts);
}

void throwing_loop(std::size_t n, std::size_t at) {
  std::vector<std::atomic<unsigned char>> counts(n);
  const auto body = [&](std::size_t i) {
    counts[i].fetch_add(1, std::memory_order_relaxed);
    spin(200);
    if (i == at) throw i;
  };
  try {
    filch::for_index(n, body);
    ADD_FAILURE() << "the exception was lost";
  } catch (std::size_t thrown) {
    EXPECT_EQ(thrown, at);
  }
  for (const auto& each : counts) ASSERT_LE(each.load(), 1);
}

filch::task<long> coroutine_fib(int n) {
  if (n < 2) co_return n;
  const auto [a, b] = co_await filch::all(coroutine_fib(n - 1), coroutine_fib(n - 2));
  co_return a + b;
}

class forced_visits : public testing::TestWithParam<std::uint32_t> {};

TEST_P(forced_visits, forks_loops_exceptions_and_coroutines_lose_nothing) {
  filch::runtime rt{{.workers = GetParam()}};
  const visitors under_way{{&rt}};
  std::mt19937_64 random{filch_test::test_seed()};
  for (rounds left; left.go_on();) {
    EXPECT_EQ(rt.run([] { return fib(16); }), 987);
    EXPECT_EQ(rt.run([] { return throwing_tree(8); }), 64);
    for (const std::size_t n : {3 + random() % 28, 200 + random() % 3000}) {
      const std::size_t at = random() % n;
      rt.run([=] { loop_in_loop(n); });
      rt.run([=] { throwing_loop(n, at); });
    }
    EXPECT_EQ(filch::spawn(rt, coroutine_fib(13)).get(), 233);
  }
}

// A tree whose nodes do what a task can do, chosen by their number.
class mixture {
 public:
  explicit mixture(filch::runtime& elsewhere) : elsewhere_{elsewhere} {}

  long grow(int depth, std::uint32_t number) {
    if (depth == 0) return 1;
    number = number * 1664525u + 1013904223u;
    const auto low = [=, this] { return grow(depth - 1, number); };
    const auto high = [=, this] { return grow(depth - 1, number + 1); };
    switch ((number >> 20) % 8) {
      case 0: {
        const std::lock_guard lock{mutex_};
        join([] {}, [] { spin(2000); });
        break;
      }
      case 1: {
        const filch::stay_on_thread here;
        return sum_of(low, high);
      }
      case 2: {
        long a = 0;
        long b = 0;
        filch::scope([&](auto& s) {
          s.spawn([&] { a = low(); });
          b = high();
        });
        return a + b;
      }
      case 3:
        if (depth < 6) return filch::blocking([&] { return sum_of(low, high); });
        break;
      case 4:
        if (depth < 5) return sum_of([&] { return elsewhere_.run(low); }, high);
        break;
      case 5: {
        std::atomic<long> sum{0};
        filch::for_index(2, [&](int i) { sum += i == 0 ? low() : high(); });
        return sum;
      }
      default:
        break;
    }
    return sum_of(low, high);
  }

 private:
  static long sum_of(const auto& first, const auto& second) {
    const auto [a, b] = join(first, second);
    return a + b;
  }

  filch::runtime& elsewhere_;
  filch::mutex mutex_;
};

TEST_P(forced_visits, tasks_that_lock_block_and_wait_lose_nothing) {
  filch::runtime rt{{.workers = GetParam(), .max_spare_threads = 4}};
  filch::runtime other{{.workers = 2}};
  const visitors under_way{{&rt, &other}};
  mixture trees{other};
  std::mt19937 random{static_cast<std::uint32_t>(filch_test::test_seed())};
  for (rounds left; left.go_on();) {
    const std::uint32_t number = static_cast<std::uint32_t>(random());
    EXPECT_EQ(rt.run([&] { return trees.grow(9, number); }), 512) << number;
  }
}

INSTANTIATE_TEST_SUITE_P(workers, forced_visits, testing::Values(2, 3));

// External threads come and go, tasks block in the middle of their joins.
TEST(forced_visits, external_threads_lose_nothing) {
  filch::runtime& rt = filch::default_runtime();
  const visitors under_way{{&rt}};
  const auto work = [](std::uint32_t number) {
    std::mt19937 random{number};
    for (rounds left; left.go_on();) {
      EXPECT_EQ(fib(14), 377);
      EXPECT_EQ(throwing_tree(6), 16);
      const std::size_t n = 2 + random() % 1000;
      loop_in_loop(n);
      throwing_loop(n, random() % n);
      const auto [a, b] = join([] { return filch::blocking([] { return fib(10); }); }, [] { return fib(11); });
      EXPECT_EQ(a + b, 144);
    }
  };
  const auto seed = static_cast<std::uint32_t>(filch_test::test_seed());
  std::thread beside{[&] { work(seed); }};
  auto inside = rt.submit([&] { work(seed + 1); });
  for (int i = 0; i != 100; ++i) std::thread{[] { EXPECT_EQ(fib(12), 144); }}.join();
  work(seed + 2);
  beside.join();
  inside.get();
}

}  // namespace
