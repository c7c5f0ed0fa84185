// The runtime under load: sleeping and waking a million times, random trees from several threads, ends that race.
#include <filch/runtime/runtime.hpp>

#include <filch/base/random.hpp>

#include <gtest/gtest.h>
#include <support/stress.hpp>
#include <support/test_seed.hpp>

#include <barrier>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using filch::options;
using filch_test::scaled;
using count = filch::trace::count;

// A watchdog that shows the runtime when nothing moves.
class watched {
 public:
  watched(const char* test, filch::runtime& rt)
      : dog_{test, progress_, [&rt] { return rt.dump() + to_string(rt.statistics()); }} {}
  void step() {
    progress_.fetch_add(1, std::memory_order_relaxed);  // statistic
  }

 private:
  std::atomic<std::uint64_t> progress_{0};
  filch_test::watchdog dog_;
};

// Property: no wake-up is lost. Oracle: every task is finished; a lost one would never be. Method: the workers do not
// spin, so each submission finds them asleep or on the way there, a million times.
TEST(runtime_stress, a_million_submissions_to_sleeping_workers_are_all_noticed) {
  filch::runtime rt{options{.workers = 2, .idle = filch::idle::eco}};
  watched progress{"a million submissions", rt};
  const std::uint64_t rounds = scaled(1'000'000);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i != rounds; ++i) {
    sum += rt.submit([i] { return i; }).get();
    progress.step();
  }
  EXPECT_EQ(sum, rounds * (rounds - 1) / 2);
  rt.wait_idle();
  EXPECT_EQ(rt.statistics().unfinished(), 0u);
}

// The same where the worker is named, and where it is chosen by a placement: then it must look into its own queues.
TEST(runtime_stress, submissions_to_one_sleeping_worker_are_all_noticed) {
  for (const auto where : {filch::placement::round_robin, filch::placement::random}) {
    filch::runtime rt{options{.workers = 3, .idle = filch::idle::eco, .placement = where}};
    watched progress{"submissions to one worker", rt};
    const std::uint64_t rounds = scaled(100'000);
    for (std::uint64_t i = 0; i != rounds; ++i) {
      const filch::worker_id at{static_cast<std::uint32_t>(i % 3)};
      rt.submit_to(at, [at] { EXPECT_EQ(filch::this_worker(), at); }).get();
      rt.submit([] {}).get();
      progress.step();
    }
  }
}

// Property: a second task wakes a second worker. Method: the two wait for each other without blocking(), so if the
// second is not run by another worker at the same time, neither ends.
TEST(runtime_stress, two_tasks_that_need_each_other_always_run_at_the_same_time) {
  filch::runtime rt{options{.workers = 2, .idle = filch::idle::eco}};
  watched progress{"two tasks that need each other", rt};
  const filch_test::effort most{scaled(100'000)};
  for (std::uint64_t i = 0; most.goes_on(i); ++i) {
    std::barrier<> both{2};
    const auto meet = [&] { both.arrive_and_wait(); };
    auto first = rt.submit(meet);
    auto second = rt.submit(meet);
    first.get();
    second.get();
    progress.step();
  }
}

// Every worker is past its last look: it sleeps, or is about to and will notice nothing but a token.
bool all_sleep(const filch::runtime& rt) {
  const std::string text = rt.dump();
  std::size_t sleeping = 0;
  for (std::size_t at = text.find("sleeping"); at != std::string::npos; at = text.find("sleeping", at + 1)) ++sleeping;
  return sleeping == rt.workers();
}

// Property: one submission to an idle runtime wakes exactly one worker. Oracle: who was woken goes to sleep again, and
// nobody else does, so the number of parks grows by exactly one. It is exact because a worker that shows as sleeping
// has looked for the last time before it said so.
TEST(runtime_stress, a_submission_to_an_idle_runtime_wakes_exactly_one) {
  for (const auto how : {filch::wake::recent, filch::wake::random, filch::wake::nearest}) {
    filch::runtime rt{options{.workers = 4, .idle = filch::idle::eco, .wake = how}};
    watched progress{"exactly one", rt};
    const auto wait_until_all_sleep = [&] {
      while (!all_sleep(rt)) std::this_thread::yield();
    };
    for (std::uint64_t i = 0, rounds = scaled(1000); i != rounds; ++i) {
      wait_until_all_sleep();
      const std::uint64_t before = rt.statistics().total()[count::parks];
      rt.submit([] {}).get();
      rt.wait_idle();
      wait_until_all_sleep();
      ASSERT_EQ(rt.statistics().total()[count::parks], before + 1) << to_string(how);
      progress.step();
    }
  }
}

// Property: nothing is lost, nothing runs twice, whatever tasks do. Oracle: conservation, counted by the tasks and by
// the runtime. Method: random trees whose nodes spawn, submit and wait, wait with a deadline, pin, block or throw.
class random_tree {
 public:
  random_tree(filch::runtime& rt, watched& progress) : rt_{rt}, progress_{progress} {}

  // Returns the number of nodes below and including this one that are known to be finished.
  void grow(std::uint64_t seed, int depth) {
    ran_.fetch_add(1, std::memory_order_relaxed);  // statistic
    progress_.step();
    if (depth == 0) return;
    filch::random_stream random{seed};
    std::vector<filch::future<void>> children;
    const std::uint64_t count_of_children = 1 + random.below(4);
    for (std::uint64_t i = 0; i != count_of_children; ++i) {
      const std::uint64_t below = random.bits();
      const auto child = [this, below, depth] { grow(below, depth - 1); };
      planned_.fetch_add(1, std::memory_order_relaxed);  // statistic
      switch (random.below(5)) {
        case 0:
          rt_.spawn(child);
          break;
        case 1:
          children.push_back(rt_.submit(child, {.priority = static_cast<filch::priority>(random.below(3))}));
          break;
        case 2:
          children.push_back(rt_.submit_to(any_worker(random), child));
          break;
        case 3:
          filch::blocking([&] { children.push_back(rt_.submit(child)); });
          break;
        default:
          children.push_back(rt_.submit(child));
          break;
      }
    }
    if (random.below(8) == 0) filch::blocking([] { std::this_thread::yield(); });
    while (!children.empty()) {
      auto& next = children[static_cast<std::size_t>(random.below(children.size()))];
      std::swap(next, children.back());
      if (random.below(4) == 0) (void)children.back().wait_for(std::chrono::microseconds{random.below(50)});
      if (random.below(4) != 0) children.back().get();
      children.pop_back();  // some are never waited for
    }
  }
  void plant(std::uint64_t seed, int depth) {
    planned_.fetch_add(1, std::memory_order_relaxed);  // statistic
    rt_.run([&] { grow(seed, depth); });
  }
  [[nodiscard]] std::uint64_t planned() const { return planned_; }
  [[nodiscard]] std::uint64_t ran() const { return ran_; }

 private:
  [[nodiscard]] filch::worker_id any_worker(filch::random_stream& random) const {
    return filch::worker_id{static_cast<std::uint32_t>(random.below(rt_.workers()))};
  }

  filch::runtime& rt_;
  watched& progress_;
  std::atomic<std::uint64_t> planned_{0};
  std::atomic<std::uint64_t> ran_{0};
};

void grow_trees(const options& how, std::uint64_t trees_per_thread, std::uint64_t seed) {
  filch::runtime rt{how};
  watched progress{"random trees", rt};
  random_tree tree{rt, progress};
  filch_test::run_threads(3, [&](std::size_t thread) {
    filch::random_stream random = filch::random_stream{seed}.split(thread);
    for (std::uint64_t i = 0; i != trees_per_thread; ++i) tree.plant(random.bits(), 5);
  });
  rt.wait_idle();
  const auto books = rt.statistics();
  EXPECT_EQ(tree.ran(), tree.planned());
  EXPECT_EQ(books.total()[count::executed], tree.ran());
  EXPECT_EQ(books.unfinished(), 0u);
  EXPECT_EQ(books.total()[count::stolen_by_me], books.total()[count::stolen_from_me]);
  EXPECT_LE(books.spare_threads, how.max_spare_threads);
}

TEST(runtime_stress, random_trees_from_several_threads_are_all_done) {
  grow_trees({.workers = 3, .steal = filch::steal::half}, scaled(200), filch_test::test_seed());
}

TEST(runtime_stress, random_trees_are_all_done_with_spinless_workers_and_few_spare_threads) {
  grow_trees({.workers = 2, .idle = filch::idle::eco, .max_spare_threads = 3}, scaled(200), filch_test::test_seed());
}

TEST(runtime_stress, eight_times_as_many_workers_as_processors_complete) {
  const std::uint32_t workers = 8 * std::max(1u, std::thread::hardware_concurrency());
  grow_trees({.workers = workers}, scaled(100), filch_test::test_seed());
}

// Property: a submission that races with a shutdown is done or refused, never lost. Oracle: every future that was given
// out becomes ready; accepted = executed + cancelled.
TEST(runtime_stress, submissions_that_race_with_a_shutdown_are_done_or_refused) {
  for (std::uint64_t round = 0, rounds = scaled(2000); round != rounds; ++round) {
    filch::runtime rt{options{.workers = 2, .idle = filch::idle::eco}};
    watched progress{"races with a shutdown", rt};
    std::atomic<std::uint64_t> executed{0};
    std::atomic<std::uint64_t> cancelled{0};
    std::atomic<std::uint64_t> accepted{0};
    filch_test::run_threads(4, [&](std::size_t thread) {
      if (thread == 0) {
        if (round % 2 == 0) (void)rt.shutdown();
        else (void)rt.shutdown(std::chrono::microseconds{round % 50});
        return;
      }
      try {
        for (int i = 0; i != 50; ++i) {
          auto made = rt.submit([&] { executed.fetch_add(1, std::memory_order_relaxed); });  // statistic
          accepted.fetch_add(1, std::memory_order_relaxed);                                  // statistic
          try {
            made.get();
          } catch (const filch::task_cancelled&) {
            cancelled.fetch_add(1, std::memory_order_relaxed);  // statistic
          }
        }
      } catch (const filch::usage_error&) {
        // Refused: the shutdown came first.
      }
    });
    ASSERT_EQ(accepted, executed + cancelled);
    ASSERT_EQ(rt.statistics().unfinished(), 0u);
  }
}

TEST(runtime_stress, runtimes_that_end_with_full_queues_drain) {
  std::atomic<std::uint64_t> executed{0};
  const std::uint64_t rounds = scaled(2000);
  for (std::uint64_t round = 0; round != rounds; ++round) {
    filch::runtime rt{options{.workers = 1 + static_cast<std::uint32_t>(round % 4)}};
    for (int i = 0; i != 20; ++i) {
      rt.spawn([&] {
        executed.fetch_add(1, std::memory_order_relaxed);                     // statistic
        rt.spawn([&] { executed.fetch_add(1, std::memory_order_relaxed); });  // statistic
      });
    }
  }
  EXPECT_EQ(executed, 40 * rounds);
}

}  // namespace
