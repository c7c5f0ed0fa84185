// How many stacks there are, and how deep they get.
#include <stack/kept_stacks.hpp>
#include <support/spin_until.hpp>
#include <support/stress.hpp>
#include <support/thread_here.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace {

using filch::join;
using filch_test::spin_until;
using filch_test::thread_here;

// How far the deepest frame lies below the top of its stack, where the list of latent frames is.
class depth_meter {
 public:
  [[gnu::noinline]] void note() {
    const auto top = reinterpret_cast<std::uintptr_t>(filch::current_latent_stack());
    const std::uintptr_t depth = top - reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    std::uintptr_t seen = deepest_.load();
    while (depth > seen && !deepest_.compare_exchange_weak(seen, depth)) continue;
  }
  [[nodiscard]] std::uintptr_t deepest() const { return deepest_.load(); }

 private:
  std::atomic<std::uintptr_t> deepest_{0};
};

// Tasks that are no part of each other. Each of them waits in a join for a child that another worker has taken, and
// that child ends only when the next task has begun, which with two workers only the waiting one can begin.
class relay {
 public:
  relay(filch::runtime& rt, int tasks) : rt_{rt}, tasks_{tasks} {}

  void run() {
    rt_.spawn([this] { task(0); });
    rt_.wait_idle();
  }
  [[nodiscard]] const depth_meter& first() const { return first_; }
  [[nodiscard]] const depth_meter& all() const { return all_; }
  [[nodiscard]] int taken() const { return taken_; }

 private:
  void note(int number) {
    if (number == 0) first_.note();
    all_.note();
  }

  void task(int number) {
    begun_ = number + 1;
    note(number);
    const auto owner = thread_here();
    std::atomic<bool> is_taken{false};
    join([&] { EXPECT_TRUE(spin_until([&] { return is_taken.load(); })); },
         [&] {
           if (thread_here() != owner) ++taken_;
           note(number);
           is_taken = true;
           if (number + 1 == tasks_) return;
           rt_.spawn([this, number] { task(number + 1); });
           EXPECT_TRUE(spin_until([&] { return begun_.load() >= number + 2; }));
         });
    note(number);
  }

  filch::runtime& rt_;
  const int tasks_;
  std::atomic<int> begun_{0};
  std::atomic<int> taken_{0};
  depth_meter first_;
  depth_meter all_;
};

class stacks : public testing::TestWithParam<std::uint32_t> {};

// Property: a stack grows with the depth of its own calls, never with the number of steals: a worker that waits does
// not run others' work on top of what waits. Oracle: the last of many tasks, none of which calls another, lies no
// deeper than the first. A worker that helped while it waits would have all of them on one stack, since each waits
// until the next has begun.
TEST_P(stacks, a_stack_does_not_grow_with_steals) {
  constexpr int k_tasks = 300;
  constexpr std::uintptr_t k_one_more_bytes = 8192;  // another loop, another way to the task; 27 bytes for each task
  filch::runtime rt{{.workers = GetParam()}};
  relay runners{rt, k_tasks};
  runners.run();
  EXPECT_EQ(runners.taken(), k_tasks);
  EXPECT_GT(runners.first().deepest(), 0u);
  EXPECT_LE(runners.all().deepest(), runners.first().deepest() + k_one_more_bytes);
}

int tree(int depth) {
  if (depth == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds{5});
    return 1;
  }
  const auto [a, b] = join([=] { return tree(depth - 1); }, [=] { return tree(depth - 1); });
  return a + b;
}

// Property: a stack is suspended only by a join that waits, and joins that wait lie on paths from a running task to the
// root: at most depth times workers at a time, and one per thread beside. Oracle: statistics().stacks.
TEST_P(stacks, their_number_is_bounded_by_the_depth_of_the_joins) {
  constexpr int k_depth = 9;
  filch::runtime rt{{.workers = GetParam()}};
  for (int i = 0; i != 5; ++i) EXPECT_EQ(rt.run([] { return tree(k_depth); }), 1 << k_depth);
  const filch::statistics seen = rt.statistics();
  const std::uint64_t kept = std::uint64_t{GetParam()} * filch::kept_stacks::k_most;  // of no use to the other workers
  EXPECT_LE(seen.stacks, std::uint64_t{GetParam()} * (k_depth + 1) + kept + seen.spare_threads);
  EXPECT_NE(to_string(seen).find("stacks: " + std::to_string(seen.stacks)), std::string::npos);
  EXPECT_NE(to_json(seen).find("\"stacks\":" + std::to_string(seen.stacks)), std::string::npos);
  EXPECT_LE(seen.suspended_stacks_max, std::uint64_t{GetParam()} * k_depth);
  EXPECT_LE(seen.suspended_stacks_max, seen.stacks);
  EXPECT_EQ(seen.suspended_stacks, 0u);
}

// Property: the statistics count a stack as suspended while its join waits, and remember the greatest number at once.
// Oracle: children that hold each other up until all joins but the innermost wait. Method: the first function of each
// join waits, on its thread, until the second runs on another; so every second function was taken, and while the last
// of them runs, all joins before it wait for it.
TEST_P(stacks, those_that_are_suspended_at_once_are_counted) {
  const std::uint32_t joins = GetParam() - 1;
  filch::runtime rt{{.workers = GetParam()}};
  std::uint64_t seen_inside = 0;
  const auto nest = [&](auto& self, std::uint32_t left) -> void {
    if (left == 0) {
      while (rt.statistics().suspended_stacks < joins) std::this_thread::yield();
      seen_inside = rt.statistics().suspended_stacks;
      return;
    }
    std::atomic<bool> has_begun{false};
    join(
        [&] {
          while (!has_begun.load()) std::this_thread::yield();
        },
        [&] {
          has_begun.store(true);
          self(self, left - 1);
        });
  };
  rt.run([&] { nest(nest, joins); });
  EXPECT_EQ(seen_inside, joins);
  const filch::statistics after = rt.statistics();
  EXPECT_EQ(after.suspended_stacks, 0u);
  EXPECT_GE(after.suspended_stacks_max, joins);
  EXPECT_NE(to_string(after).find("suspended at once: at most " + std::to_string(after.suspended_stacks_max)),
            std::string::npos);
  EXPECT_NE(to_json(after).find("\"suspended_stacks_max\":" + std::to_string(after.suspended_stacks_max)),
            std::string::npos);
}

// Property: stacks that are kept, lent and given back while joins wait, tasks block and workers change threads are not
// lost. Oracle: every leaf is counted, nothing is suspended at the end, and no more stacks were made than could be
// in use and kept at once.
int restless(int depth, int number) {
  if (depth == 0) {
    if (number % 8 == 0) filch::blocking([] { std::this_thread::yield(); });
    else std::this_thread::yield();
    return 1;
  }
  const auto [a, b] =
      join([=] { return restless(depth - 1, 2 * number); }, [=] { return restless(depth - 1, 2 * number + 1); });
  return a + b;
}
TEST_P(stacks, that_threads_keep_come_back_however_workers_change_threads) {
  constexpr int k_depth = 10;
  const std::uint64_t workers = GetParam();
  filch::runtime rt{{.workers = GetParam()}};
  const auto rounds = static_cast<int>(filch_test::scaled(20));
  for (int i = 0; i != rounds; ++i) EXPECT_EQ(rt.run([] { return restless(k_depth, 1); }), 1 << k_depth);
  rt.wait_idle();
  const filch::statistics seen = rt.statistics();
  EXPECT_EQ(seen.suspended_stacks, 0u);
  EXPECT_LE(seen.suspended_stacks_max, seen.stacks);
  // Those that wait, those that run or are about to wait, those of tasks that block, and those that are kept.
  EXPECT_LE(seen.stacks,
            seen.suspended_stacks_max + 2 * workers + seen.spare_threads + workers * filch::kept_stacks::k_most);
}

INSTANTIATE_TEST_SUITE_P(workers, stacks, testing::Values(2, 4, 8));

// ---- stacks that stay on their thread -------------------------------------------------------------------------------

// What is waited for needs the worker of the thread that waits, and options allow no other thread.
template <class Wait>
void stays_and_waits_without_spare_threads(const Wait& wait) {
  filch::runtime rt{{.workers = 2, .max_spare_threads = 0}};
  rt.run([&] {
    const filch::stay_on_thread here;
    const auto self = thread_here();
    const filch::worker_id mine = filch::this_worker();
    wait(rt, [&rt, mine] { return rt.submit_to(mine, [] {}).wait_for(std::chrono::seconds{60}); });
    EXPECT_EQ(thread_here(), self);
  });
  EXPECT_EQ(rt.statistics().spare_threads, 1u);
}
TEST(staying, a_join_that_must_wait_lends_its_worker_beyond_the_bound) {
  stays_and_waits_without_spare_threads([](filch::runtime&, const auto& needs_my_worker) {
    std::atomic<bool> has_begun{false};
    const auto [a, b] = join([&] { return spin_until([&] { return has_begun.load(); }); },
                             [&] {
                               has_begun = true;
                               return needs_my_worker();
                             });
    EXPECT_TRUE(a);
    EXPECT_TRUE(b);
  });
}

TEST(staying, a_wait_for_a_future_lends_its_worker_beyond_the_bound) {
  stays_and_waits_without_spare_threads([](filch::runtime& rt, const auto& needs_my_worker) {
    std::atomic<bool> has_begun{false};
    auto later = rt.submit([&] {
      has_begun = true;
      return needs_my_worker();
    });
    EXPECT_TRUE(spin_until([&] { return has_begun.load(); }));
    EXPECT_TRUE(later.get());
  });
}

}  // namespace
