// Tasks that submit and wait for tasks, on one runtime and between two.
#include "helpers.hpp"

#include <chrono>
#include <memory>
#include <vector>

namespace {

using namespace filch_runtime_test;
using namespace std::chrono_literals;
using filch::options;

TEST(nested_tasks, a_recursion_through_submit_and_get_gives_its_result_with_any_number_of_workers) {
  for (const std::uint32_t workers : {1u, 2u, 5u}) {
    for (const auto deques : {filch::deques::lock_free, filch::deques::locked}) {
      filch::runtime rt{options{.workers = workers, .deques = deques}};
      EXPECT_EQ(rt.run([&] { return fib(rt, 20); }), 6765);
      const auto books = books_of(rt);
      EXPECT_EQ(books.unfinished(), 0u);
      EXPECT_EQ(books.total()[trace_count::executed], 21891u);  // 1 + 2 · (fib(21) − 1)
    }
  }
}

TEST(nested_tasks, a_recursion_through_submit_and_get_makes_progress_without_any_spare_thread) {
  for (const std::uint32_t workers : {1u, 3u}) {
    filch::runtime rt{options{.workers = workers, .max_spare_threads = 0}};
    EXPECT_EQ(rt.run([&] { return fib(rt, 15); }), 610);
    EXPECT_EQ(books_of(rt).spare_threads, 0u);
  }
}

struct link_of_chain {
  filch::runtime* rt;
  std::atomic<int>* count;
  int left;
  void operator()() const {
    count->fetch_add(1, std::memory_order_relaxed);  // statistic
    if (left != 0) rt->spawn(link_of_chain{rt, count, left - 1});
  }
};

TEST(nested_tasks, a_chain_of_a_million_spawns_needs_no_more_memory_than_one_of_them) {
  filch::runtime rt{options{.workers = 2}};
  std::atomic<int> count{0};
  rt.spawn(link_of_chain{&rt, &count, 999'999});
  rt.wait_idle();
  EXPECT_EQ(count, 1'000'000);
  EXPECT_LE(rt.statistics().total()[trace_count::queue_max], 2u);
}

// A worker that waits for a task that is not the newest runs it and leaves an empty entry behind. These must not pile
// up.
TEST(nested_tasks, a_long_task_that_waits_for_many_leaves_no_growing_queue_behind) {
  filch::runtime rt{options{.workers = 1}};
  rt.run([&] {
    for (int i = 0; i != 10'000; ++i) {
      auto first = rt.submit([] { return 1; });
      auto second = rt.submit([] { return 2; });
      auto third = rt.submit([] { return 3; });
      EXPECT_EQ(first.get() + second.get() + third.get(), 6);
    }
  });
  EXPECT_LE(books_of(rt).total()[trace_count::queue_max], 8u);
}

TEST(nested_tasks, a_waiter_does_not_lose_the_tasks_that_it_does_not_wait_for) {
  filch::runtime rt{options{.workers = 1}};
  std::atomic<int> others{0};
  rt.run([&] {
    auto wanted = rt.submit([] { return 1; });
    for (int i = 0; i != 100; ++i) rt.spawn([&] { ++others; });
    EXPECT_EQ(wanted.get(), 1);
  });
  rt.wait_idle();
  EXPECT_EQ(others, 100);
}

TEST(nested_tasks, a_task_that_was_put_into_the_injector_can_be_run_by_the_thread_that_waits_for_it) {
  filch::runtime rt{options{.workers = 1}};
  filch::future<int> inner;
  gate ready;
  auto outer = rt.submit([&] {
    ready.wait();
    return inner.get();
  });
  inner = rt.submit([] { return 7; });
  ready.open();
  EXPECT_EQ(outer.get(), 7);
  // The entry that it leaves in the injector is freed when the runtime ends: the leak checker would tell.
}

TEST(two_runtimes, a_worker_of_one_runs_and_waits_in_the_other) {
  filch::runtime a{options{.workers = 1, .name = "a"}};
  filch::runtime b{options{.workers = 1, .name = "b"}};
  const int sum = a.run([&] {
    EXPECT_FALSE(b.is_on_worker());
    return b.run([&] {
      EXPECT_TRUE(b.is_on_worker());
      EXPECT_FALSE(a.is_on_worker());
      // The only worker of `a` waits for this task; a spare thread stands in for it.
      return a.run([&] { return b.submit([] { return 20; }).get() + 1; }) + 21;
    });
  });
  EXPECT_EQ(sum, 42);
}

TEST(two_runtimes, a_worker_of_one_that_waits_until_the_other_is_idle_does_not_hold_its_worker) {
  filch::runtime a{options{.workers = 1}};
  a.run([&] {
    filch::runtime b{options{.workers = 1}};
    b.spawn([&] { a.run([] {}); });
    b.wait_idle();
    b.spawn([&] { a.run([] {}); });
    EXPECT_TRUE(b.shutdown());
  });
}

TEST(two_runtimes, one_may_live_inside_a_task_of_the_other) {
  filch::runtime a{options{.workers = 2}};
  std::vector<filch::future<int>> all;
  for (int i = 0; i != 8; ++i) {
    all.push_back(a.submit([] {
      filch::runtime inner{options{.workers = 2}};
      return inner.run([&] { return fib(inner, 8); });
    }));
  }
  for (auto& each : all) EXPECT_EQ(each.get(), 21);
}

TEST(two_runtimes, tasks_of_the_same_number_that_wait_for_each_other_across_runtimes_are_no_deadlock) {
  filch::runtime a{options{.workers = 1}};
  filch::runtime b{options{.workers = 1}};
  gate hold;
  auto inner = b.submit([&] { hold.wait(); });  // task 0 of b
  auto outer = a.submit([&] { inner.get(); });  // task 0 of a
  ASSERT_TRUE(eventually([&] { return contains(a.dump(), "waits for"); }));
  const std::string text = a.dump();
  EXPECT_FALSE(contains(text, "deadlock")) << text;
  EXPECT_TRUE(contains(text, "task 0 waits for task 0 of another runtime")) << text;
  hold.open();
  outer.get();
}

TEST(default_runtime, is_one_for_all_and_works) {
  filch::runtime& rt = filch::default_runtime();
  EXPECT_EQ(&rt, &filch::default_runtime());
  EXPECT_EQ(rt.run([] { return 3; }), 3);
}

}  // namespace
