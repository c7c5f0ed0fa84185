// blocking(): a task that blocks holds a thread, not a worker.
#include "helpers.hpp"

#include <barrier>
#include <chrono>
#include <vector>

namespace {

using namespace filch_runtime_test;
using namespace std::chrono_literals;
using filch::options;

TEST(blocking, keeps_the_parallelism_when_every_worker_is_inside) {
  filch::runtime rt{options{.workers = 2}};
  gate hold;
  std::atomic<int> inside{0};
  std::vector<filch::future<void>> all;
  for (int i = 0; i != 6; ++i) {
    all.push_back(rt.submit([&] {
      filch::blocking([&] {
        ++inside;
        hold.wait();
      });
    }));
  }
  ASSERT_TRUE(eventually([&] { return inside == 6; }));
  rt.submit([&] { hold.open(); }).get();
  for (auto& each : all) each.get();
  const auto books = books_of(rt);
  EXPECT_EQ(books.unfinished(), 0u);
  EXPECT_EQ(books.spare_threads, 6u);
}

TEST(blocking, gives_the_result_a_reference_or_the_exception_and_the_task_continues_as_a_worker) {
  filch::runtime rt{options{.workers = 1}};
  rt.run([&] {
    int referred = 1;
    EXPECT_EQ(filch::blocking([] { return 5; }), 5);
    EXPECT_EQ(&filch::blocking([&]() -> int& { return referred; }), &referred);
    EXPECT_EQ(thrown<std::runtime_error>([] { filch::blocking([] { throw std::runtime_error{"x"}; }); }), "x");
    EXPECT_TRUE(rt.is_on_worker());
    filch::blocking([&] { EXPECT_FALSE(rt.is_on_worker()); });
    EXPECT_EQ(filch::this_worker(), filch::worker_id{0});
    filch::blocking([&] { filch::blocking([&] { EXPECT_EQ(filch::this_worker(), filch::worker_id::none()); }); });
    EXPECT_EQ(rt.submit([] { return 6; }).get(), 6);
  });
  EXPECT_EQ(filch::blocking([] { return 7; }), 7) << "outside it is a plain call";
}

TEST(blocking, spare_threads_are_used_again) {
  filch::runtime rt{options{.workers = 1}};
  rt.run([] {
    for (int i = 0; i != 500; ++i) filch::blocking([] {});
  });
  EXPECT_EQ(books_of(rt).spare_threads, 1u);
}

TEST(blocking, spare_threads_are_bounded_and_beyond_the_bound_tasks_keep_their_worker) {
  filch::runtime rt{options{.workers = 1, .max_spare_threads = 2}};
  gate hold;
  std::atomic<int> inside{0};
  std::vector<filch::future<void>> all;
  for (int i = 0; i != 3; ++i) {
    all.push_back(rt.submit([&] {
      filch::blocking([&] {
        ++inside;
        hold.wait();
      });
    }));
  }
  ASSERT_TRUE(eventually([&] { return inside == 3; }));  // one worker and two spare threads
  auto late = rt.submit([] { filch::blocking([] {}); });
  EXPECT_EQ(rt.statistics().spare_threads, 2u);
  EXPECT_FALSE(late.is_ready());
  hold.open();
  for (auto& each : all) each.get();
  late.get();
  EXPECT_EQ(books_of(rt).spare_threads, 2u);
}

// Thread 1 waits for a task that thread 2 has left to block. No further thread is allowed. When the task is ready
// it needs the only worker, which thread 1 holds: so it must be given away.
TEST(blocking, a_task_gets_its_worker_back_from_one_that_waits_for_it_when_there_are_no_spare_threads_left) {
  filch::runtime rt{options{.workers = 1, .max_spare_threads = 1}};
  gate hold;
  gate is_blocked;
  auto first = rt.submit([&] {
    filch::blocking([&] {
      is_blocked.open();
      hold.wait();
    });
    return 1;
  });
  is_blocked.wait();
  auto second = rt.submit([&] { return first.get() + 1; });
  ASSERT_TRUE(eventually([&] { return contains(rt.dump(), "waits for"); }));
  hold.open();
  EXPECT_EQ(second.get(), 2);
}

TEST(blocking, a_wait_for_a_running_task_does_not_hold_the_worker) {
  filch::runtime rt{options{.workers = 2}};
  gate started;
  gate hold;
  auto running = rt.submit([&] {
    started.open();
    hold.wait();
  });
  started.wait();
  std::vector<filch::future<void>> all;
  filch::future<void> waiter = rt.submit([&] { running.get(); });
  ASSERT_TRUE(eventually([&] { return contains(rt.dump(), "waits for"); }));
  rt.submit([] {}).get();  // the second worker is free for it
  hold.open();
  waiter.get();
}

TEST(blocking, the_blocked_task_may_submit_and_may_not_wait_for_its_own_runtime) {
  filch::runtime rt{options{.workers = 1}};
  rt.run([&] {
    filch::blocking([&] {
      EXPECT_EQ(rt.submit([] { return 1; }).get(), 1);
      EXPECT_EQ(rt.run([] { return 2; }), 2);
      EXPECT_THROW(rt.wait_idle(), filch::usage_error);
      EXPECT_THROW(rt.shutdown(), filch::usage_error);
    });
  });
  // Also while the runtime drains: the blocked task is a part of what is there.
  gate is_blocked;
  gate draining;
  auto late = rt.submit([&] {
    return filch::blocking([&] {
      is_blocked.open();
      draining.wait();
      return rt.submit([] { return 3; }).get();
    });
  });
  is_blocked.wait();
  std::thread closer{[&] { EXPECT_TRUE(rt.shutdown()); }};
  EXPECT_TRUE(eventually([&] { return contains(rt.dump(), "draining"); }));
  draining.open();
  closer.join();
  EXPECT_EQ(late.get(), 3);
}

// Two tasks that can only end together: if a submission fails to wake the second worker, this hangs.
TEST(parallelism, two_tasks_that_wait_for_each_other_run_at_the_same_time) {
  filch::runtime rt{options{.workers = 2, .idle = filch::idle::eco}};
  for (int i = 0; i != 300; ++i) {
    std::barrier<> both{2};
    const auto meet = [&] { both.arrive_and_wait(); };
    auto first = rt.submit(meet);
    auto second = rt.submit(meet);
    first.get();
    second.get();
  }
}

}  // namespace
