// Where tasks go and in which order they come: affinity, placement, priorities, fairness, back-pressure.
#include "helpers.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace {

using namespace filch_runtime_test;
using filch::options;
using filch::placement;
using filch::priority;
using filch::worker_id;

TEST(submit_to, a_task_runs_on_its_worker_and_is_never_stolen) {
  filch::runtime rt{options{.workers = 3, .idle = filch::idle::eco}};
  std::vector<filch::future<void>> all;
  for (std::uint32_t i = 0; i != 3000; ++i) {
    const worker_id at{i % 3};
    all.push_back(rt.submit_to(at, [at] { EXPECT_EQ(filch::this_worker(), at); }));
  }
  for (auto& each : all) each.get();
  const auto total = books_of(rt).total();
  EXPECT_EQ(total[trace_count::stolen_by_me], 0u);
  EXPECT_EQ(total[trace_count::injected], 3000u);
  EXPECT_EQ(filch::this_worker(), worker_id::none());
}

TEST(submit_to, a_task_waits_for_its_worker_even_when_another_has_nothing_to_do) {
  filch::runtime rt{options{.workers = 2}};
  filch::future<worker_id> pinned;
  {
    occupied_worker busy{rt, worker_id{0}};
    pinned = rt.submit_to(worker_id{0}, [] { return filch::this_worker(); });
    // The other worker waits for it, and may not run it.
    rt.submit_to(worker_id{1}, [&] { EXPECT_FALSE(pinned.wait_for(std::chrono::milliseconds{5})); }).get();
    EXPECT_FALSE(pinned.is_ready());
  }
  EXPECT_EQ(pinned.get(), worker_id{0});
}

TEST(submit_to, a_task_may_pin_and_wait_on_its_own_worker_and_on_another) {
  filch::runtime rt{options{.workers = 2}};
  rt.submit_to(worker_id{1}, [&] {
      EXPECT_EQ(rt.submit_to(worker_id{1}, [] { return filch::this_worker(); }).get(), worker_id{1});
      EXPECT_EQ(rt.submit_to(worker_id{0}, [] { return filch::this_worker(); }).get(), worker_id{0});
    }).get();
}

TEST(submit_to, a_worker_that_does_not_exist_is_refused) {
  filch::runtime rt{options{.workers = 2}};
  EXPECT_EQ(thrown<std::invalid_argument>([&] { (void)rt.submit_to(worker_id{2}, [] {}); }),
            "filch: submit_to worker 2: allowed is 0 to 1");
  EXPECT_THROW((void)rt.submit_to(worker_id::none(), [] {}), std::invalid_argument);
}

class placements : public testing::TestWithParam<placement> {};

// Each task wakes sleeping workers anew, so a task that a woken worker does not find would hang this test.
TEST_P(placements, every_task_is_found_one_by_one_and_in_bursts) {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    if (GetParam().worker().is_some() && GetParam().worker().value >= workers) continue;
    filch::runtime rt{options{.workers = workers, .idle = filch::idle::eco, .placement = GetParam()}};
    for (int i = 0; i != 200; ++i) EXPECT_EQ(rt.submit([i] { return i; }).get(), i);
    std::atomic<int> count{0};
    for (int i = 0; i != 2000; ++i) rt.spawn([&] { ++count; });
    rt.wait_idle();
    EXPECT_EQ(count, 2000);
    EXPECT_EQ(rt.statistics().unfinished(), 0u);
  }
}

TEST_P(placements, tasks_go_where_the_placement_says) {
  filch::runtime rt{options{.workers = 2, .placement = GetParam()}};
  occupied_worker first{rt, worker_id{0}};
  occupied_worker second{rt, worker_id{1}};
  for (int i = 0; i != 100; ++i) rt.spawn([] {});
  const auto now = rt.statistics();
  const std::uint64_t in_first = now.workers[0].queue_length;
  const std::uint64_t in_second = now.workers[1].queue_length;
  EXPECT_EQ(now.injector_length + in_first + in_second, 100u);
  switch (GetParam().how()) {
    case placement::kind::injector:
      EXPECT_EQ(now.injector_length, 100u);
      break;
    case placement::kind::given:
      EXPECT_EQ(in_second, 100u);
      break;
    case placement::kind::random:
      EXPECT_GT(std::min(in_first, in_second), 0u);
      break;
    case placement::kind::round_robin:
    case placement::kind::least_loaded:
      EXPECT_EQ(in_first, 50u);
      break;
  }
}

INSTANTIATE_TEST_SUITE_P(all, placements,
                         testing::Values(placement::injector, placement::random, placement::round_robin,
                                         placement::least_loaded, placement::given(worker_id{1})),
                         [](const auto& of) { return of.param.worker().is_some() ? "given" : to_string(of.param); });

// One worker, held while the queues are filled: so the order in which it then takes the tasks is determined.
class order_of_tasks : public testing::Test {
 protected:
  void run_in_order(filch::runtime& rt, const std::function<void()>& fill) {
    occupied_worker busy{rt};
    fill();
    busy.let_go();
    rt.wait_idle();
  }
  auto note(int what) {
    return [this, what] { order_.push_back(what); };
  }
  [[nodiscard]] std::ptrdiff_t place_of(int what) const {
    return std::find(order_.begin(), order_.end(), what) - order_.begin();
  }

  std::vector<int> order_;
};

TEST_F(order_of_tasks, high_comes_before_normal_before_low_when_priority_is_strict) {
  filch::runtime rt{options{.workers = 1, .starvation_interval = 0}};
  run_in_order(rt, [&] {
    for (int i = 0; i != 20; ++i) {
      rt.spawn(note(2), {.priority = priority::low});
      rt.spawn(note(1));
      rt.spawn(note(0), {.priority = priority::high});
    }
  });
  EXPECT_EQ(order_.size(), 60u);
  EXPECT_TRUE(std::is_sorted(order_.begin(), order_.end()));
}

TEST_F(order_of_tasks, low_is_not_starved_by_high) {
  filch::runtime rt{options{.workers = 1, .starvation_interval = 16}};
  run_in_order(rt, [&] {
    for (int i = 0; i != 1000; ++i) rt.spawn(note(0), {.priority = priority::high});
    rt.spawn(note(1));
    rt.spawn(note(2), {.priority = priority::low});
  });
  EXPECT_EQ(order_.size(), 1002u);
  EXPECT_LE(place_of(1), 4 * 16);
  EXPECT_LE(place_of(2), 4 * 16);
  EXPECT_GT(std::min(place_of(1), place_of(2)), 0);
}

TEST_F(order_of_tasks, an_injected_task_starts_within_61_local_tasks_wherever_it_was_put) {
  for (const placement where : {placement::injector, placement::round_robin}) {
    order_.clear();
    filch::runtime rt{options{.workers = 1, .placement = where}};
    gate filled;
    gate injected;
    rt.spawn([&] {
      for (int i = 0; i != 1000; ++i) rt.spawn(note(0));
      filled.open();
      injected.wait();
    });
    filled.wait();
    rt.spawn(note(1));
    injected.open();
    rt.wait_idle();
    EXPECT_EQ(order_.size(), 1001u);
    EXPECT_LE(place_of(1), 61) << to_string(where);
  }
}

TEST_F(order_of_tasks, mail_is_not_starved_by_a_full_injector_and_full_local_queues) {
  filch::runtime rt{options{.workers = 1}};
  gate filled;
  gate injected;
  rt.spawn([&] {
    for (int i = 0; i != 1000; ++i) rt.spawn(note(0));
    filled.open();
    injected.wait();
  });
  filled.wait();
  for (int i = 0; i != 1000; ++i) rt.spawn(note(0));
  auto mailed = rt.submit_all(std::vector{note(1)});
  injected.open();
  mailed.front().get();
  rt.wait_idle();
  EXPECT_LE(place_of(1), 2 * 61);
}

TEST_F(order_of_tasks, an_owner_takes_the_newest_or_the_oldest_first_as_it_was_told) {
  for (const auto order : {filch::order::lifo, filch::order::fifo}) {
    order_.clear();
    filch::runtime rt{options{.workers = 1, .order = order}};
    rt.run([&] {
      for (int i = 0; i != 20; ++i) rt.spawn(note(i));
    });
    rt.wait_idle();
    std::vector<int> expected(20);
    for (int i = 0; i != 20; ++i) expected[static_cast<std::size_t>(i)] = order == filch::order::fifo ? i : 19 - i;
    EXPECT_EQ(order_, expected);
  }
}

TEST(bounded_injector, submissions_wait_for_room_or_are_refused) {
  filch::runtime rt{options{.workers = 1, .injector_bound = 3}};
  std::atomic<int> executed{0};
  const auto count = [&] { ++executed; };  // outlives the block: the submitters run on after it
  std::vector<std::thread> submitters;
  {
    occupied_worker busy{rt};
    for (int i = 0; i != 3; ++i) rt.spawn(count, {.wait_when_full = false});
    EXPECT_THROW(rt.spawn(count, {.wait_when_full = false}), filch::injector_full);
    EXPECT_THROW((void)rt.submit(count, {.wait_when_full = false}), filch::injector_full);
    EXPECT_EQ(rt.statistics().injector_length, 3u);
    for (int i = 0; i != 4; ++i) {
      submitters.emplace_back([&] {
        for (int k = 0; k != 50; ++k) rt.spawn(count);
      });
    }
    EXPECT_TRUE(eventually([&] { return rt.statistics().submitted_outside >= 1 + 3 + 4; }));  // all four wait
    EXPECT_EQ(executed, 0);
    // A task is no outsider: what it submits goes to its own deque and never waits.
    (void)rt.submit_to(worker_id{0}, [&] {
      for (int i = 0; i != 10; ++i) rt.spawn(count);
    });
  }
  for (auto& each : submitters) each.join();
  const auto books = books_of(rt);
  EXPECT_EQ(executed, 3 + 200 + 10);
  EXPECT_EQ(books.unfinished(), 0u);
  EXPECT_EQ(books.submitted_outside, 1u + 3 + 200 + 1);
}

// A refused submission stands in the count for a moment. A waiter that is turned away because of it must be told.
TEST(bounded_injector, refused_submissions_do_not_leave_a_waiter_behind) {
  filch::runtime rt{options{.workers = 1, .injector_bound = 1}};
  std::atomic<bool> is_over{false};
  std::thread refused{[&] {
    while (!is_over) {
      try {
        rt.spawn([] {}, {.wait_when_full = false});
      } catch (const filch::injector_full&) {}
    }
  }};
  for (int i = 0; i != 20'000; ++i) rt.spawn([] {});
  is_over = true;
  refused.join();
  EXPECT_EQ(books_of(rt).unfinished(), 0u);
}

}  // namespace
