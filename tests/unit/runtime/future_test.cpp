// What comes out of run, submit and spawn: values, references, exceptions, and what becomes of captured objects.
#include "helpers.hpp"

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace {

using namespace filch_runtime_test;
using namespace std::chrono_literals;
using filch::options;

class submitting : public testing::Test {
 protected:
  filch::runtime rt_{options{.workers = 2}};
};

TEST_F(submitting, a_result_is_a_value_a_reference_nothing_or_move_only) {
  int referred = 7;
  EXPECT_EQ(rt_.submit([] { return 42; }).get(), 42);
  EXPECT_EQ(&rt_.submit([&]() -> int& { return referred; }).get(), &referred);
  rt_.submit([&] { referred = 8; }).get();
  EXPECT_EQ(referred, 8);
  EXPECT_EQ(*rt_.submit([] { return std::make_unique<int>(5); }).get(), 5);
  auto owner = std::make_unique<int>(6);
  EXPECT_EQ(rt_.submit([owned = std::move(owner)] { return *owned; }).get(), 6);
}

TEST_F(submitting, run_waits_and_gives_the_result_or_the_exception) {
  int referred = 7;
  EXPECT_EQ(rt_.run([] { return 42; }), 42);
  EXPECT_EQ(&rt_.run([&]() -> int& { return referred; }), &referred);
  EXPECT_TRUE(rt_.run([this] { return rt_.is_on_worker(); }));
  EXPECT_FALSE(rt_.is_on_worker());
  EXPECT_EQ(thrown<std::runtime_error>([&] { rt_.run([] { throw std::runtime_error{"out"}; }); }), "out");
}

TEST_F(submitting, run_on_a_worker_is_a_plain_call) {
  rt_.run([this] {
    const auto before = std::this_thread::get_id();
    rt_.run([&] { EXPECT_EQ(std::this_thread::get_id(), before); });
  });
  EXPECT_EQ(books_of(rt_).total()[trace_count::executed], 1u);
}

TEST_F(submitting, an_exception_that_leaves_a_task_comes_out_of_get_and_the_runtime_stays_usable) {
  EXPECT_EQ(thrown<std::runtime_error>([&] { rt_.submit([]() -> int { throw std::runtime_error{"one"}; }).get(); }),
            "one");
  EXPECT_EQ(thrown<std::logic_error>([&] { rt_.submit([] { throw std::logic_error{"two"}; }).get(); }), "two");
  EXPECT_THROW(rt_.submit([]() -> int& { throw 3; }).get(), int);
  EXPECT_EQ(rt_.submit([] { return 4; }).get(), 4);
}

struct copy_throws {
  copy_throws() = default;
  copy_throws(const copy_throws&) { throw std::runtime_error{"copy"}; }
  int operator()() const { return 1; }
};
struct move_throws {
  move_throws() = default;
  move_throws(move_throws&&) { throw std::runtime_error{"move"}; }
  int operator()() { return 1; }
};

TEST_F(submitting, a_callable_whose_copy_or_move_throws_is_not_submitted) {
  const copy_throws copied;
  EXPECT_EQ(thrown<std::runtime_error>([&] { (void)rt_.submit(copied); }), "copy");
  EXPECT_EQ(thrown<std::runtime_error>([&] { rt_.spawn(copied); }), "copy");
  EXPECT_EQ(thrown<std::runtime_error>([&] { rt_.run(copied); }), "copy");
  EXPECT_EQ(thrown<std::runtime_error>([&] { (void)rt_.submit(move_throws{}); }), "move");
  EXPECT_EQ(thrown<std::runtime_error>([&] { (void)rt_.submit_to(filch::worker_id{0}, move_throws{}); }), "move");
  EXPECT_EQ(thrown<std::runtime_error>([&] { (void)rt_.submit_all(std::vector<copy_throws>(2)); }), "copy");
  const auto books = books_of(rt_);
  EXPECT_EQ(books.submitted_outside, 0u);
  EXPECT_EQ(rt_.run([] { return 4; }), 4);
}

struct result_move_throws {
  explicit result_move_throws(int moves) : left{moves} {}
  result_move_throws(result_move_throws&& other) : left{other.left - 1} {
    if (left < 0) throw std::runtime_error{"move of the result"};
  }
  int left;
};

TEST_F(submitting, a_result_whose_move_throws_gives_that_exception_at_get) {
  // Into its place, and out of it.
  for (const int moves : {0, 1}) {
    auto made = rt_.submit([moves] { return result_move_throws{moves}; });
    EXPECT_EQ(thrown<std::runtime_error>([&] { (void)made.get(); }), "move of the result");
    EXPECT_FALSE(made.valid());
  }
  EXPECT_GE(rt_.submit([] { return result_move_throws{9}; }).get().left, 0);
}

TEST_F(submitting, a_future_without_a_task_says_so) {
  auto once = rt_.submit([] { return 1; });
  EXPECT_TRUE(once.valid());
  EXPECT_EQ(once.get(), 1);
  EXPECT_FALSE(once.valid());
  EXPECT_THROW((void)once.get(), filch::no_state);
  EXPECT_THROW(once.wait(), filch::no_state);
  EXPECT_THROW((void)once.is_ready(), filch::no_state);
  EXPECT_THROW((void)once.wait_for(1ms), filch::no_state);

  filch::future<int> none;
  EXPECT_THROW((void)none.get(), filch::no_state);
  auto from = rt_.submit([] { return 2; });
  none = std::move(from);
  EXPECT_THROW((void)from.get(), filch::no_state);  // moved from on purpose
  EXPECT_EQ(none.get(), 2);
}

TEST_F(submitting, wait_for_tells_whether_the_task_is_finished) {
  gate hold;
  auto held = rt_.submit([&] { hold.wait(); });
  EXPECT_FALSE(held.wait_for(1ms));
  EXPECT_FALSE(held.wait_for(0ms));
  EXPECT_FALSE(held.wait_for(-1h));
  EXPECT_FALSE(held.is_ready());
  hold.open();
  // Spans that do not fit into the clock are for ever.
  EXPECT_TRUE(held.wait_for(std::chrono::hours::max()));
  EXPECT_TRUE(held.wait_for(std::chrono::duration<double>::max()));
  EXPECT_TRUE(held.is_ready());
  held.get();
}

TEST_F(submitting, wait_for_on_a_worker_returns_at_its_deadline_and_the_task_runs_meanwhile) {
  // The task holds one of the two workers; to continue after its deadline, the waiter needs the other.
  rt_.run([&] {
    gate hold;
    auto held = rt_.submit([&] { hold.wait(); });
    EXPECT_FALSE(held.wait_for(1ms));
    hold.open();
    EXPECT_TRUE(held.wait_for(1h));
  });
}

TEST_F(submitting, a_stop_before_the_start_cancels_and_one_after_it_does_not) {
  filch::runtime one{options{.workers = 1}};
  std::stop_source stop;
  gate started;
  gate hold;
  auto running = one.submit(
      [&] {
        started.open();
        hold.wait();
        return 1;
      },
      {.stop = stop.get_token()});
  bool has_run = false;
  auto waiting = one.submit([&] { has_run = true; }, {.stop = stop.get_token()});
  started.wait();
  stop.request_stop();
  hold.open();
  EXPECT_EQ(running.get(), 1);
  EXPECT_THROW(waiting.get(), filch::task_cancelled);
  EXPECT_FALSE(has_run);
  EXPECT_EQ(books_of(one).total()[trace_count::cancelled], 1u);
  EXPECT_EQ(one.statistics().unfinished(), 0u);
  EXPECT_TRUE(one.shutdown(1h)) << "what a stop token cancelled was not cancelled by the shutdown";
}

TEST_F(submitting, what_a_cancelled_task_holds_is_let_go_at_once_not_with_its_future) {
  std::stop_source stop;
  stop.request_stop();
  const auto held = std::make_shared<int>(1);
  auto cancelled = rt_.submit([held] { return *held; }, {.stop = stop.get_token()});
  cancelled.wait();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_THROW((void)cancelled.get(), filch::task_cancelled);
}

// Every way a task can go; after each, nothing that it captured or returned is left, and nothing was destroyed twice.
TEST_F(submitting, captured_objects_and_results_are_destroyed_exactly_once_on_every_path) {
  counted::alive = 0;
  {
    filch::runtime one{options{.workers = 1}};
    (void)one.submit([c = counted{}] { return c; }).get();
    {
      auto dropped = one.submit([c = counted{}] { return c; });
    }
    one.spawn([c = counted{}] {});
    EXPECT_ANY_THROW(one.submit([c = counted{}]() -> counted { throw 1; }).get());
    one.run([&, c = counted{}] {
      auto inner = one.submit([c] { return c; });
      auto other = one.submit([c] { return c; });
      (void)inner.get();
      (void)other.wait_for(1ms);
    });
    std::stop_source stop;
    stop.request_stop();
    auto cancelled = one.submit([c = counted{}] { return c; }, {.stop = stop.get_token()});
    EXPECT_THROW((void)cancelled.get(), filch::task_cancelled);
    (void)one.submit_all(std::vector(10, [c = counted{}] { return c; }));
    (void)one.submit_to(filch::worker_id{0}, [c = counted{}] { return c; });

    gate started;
    gate hold;
    one.spawn([&] {
      started.open();
      hold.wait();
    });
    started.wait();
    std::vector<filch::future<counted>> cut_short;
    for (int i = 0; i != 10; ++i) cut_short.push_back(one.submit([c = counted{}] { return c; }));
    std::thread closer{[&] { EXPECT_FALSE(one.shutdown(0ms)); }};
    EXPECT_TRUE(eventually([&] { return contains(one.dump(), "cancelling"); }));
    hold.open();
    closer.join();
    for (auto& each : cut_short) EXPECT_THROW((void)each.get(), filch::task_cancelled);
    EXPECT_THROW((void)one.submit([c = counted{}] { return c; }), filch::usage_error);
  }
  EXPECT_EQ(counted::alive, 0);
  EXPECT_GT(counted::made, 0);
}

TEST_F(submitting, submit_all_puts_tasks_into_the_queues_in_turn_and_keeps_their_order) {
  std::vector<std::function<int()>> jobs;
  for (int i = 0; i != 100; ++i) jobs.emplace_back([i] { return i; });
  auto all = rt_.submit_all(jobs);
  ASSERT_EQ(all.size(), 100u);
  for (int i = 0; i != 100; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)].get(), i);
  EXPECT_EQ(jobs.size(), 100u);
  for (const auto& job : jobs) EXPECT_TRUE(job) << "copied, not moved";

  occupied_worker first{rt_, filch::worker_id{0}};
  occupied_worker second{rt_, filch::worker_id{1}};
  auto more = rt_.submit_all(jobs);
  const auto now = rt_.statistics();
  EXPECT_EQ(now.workers[0].queue_length, 50u);
  EXPECT_EQ(now.workers[1].queue_length, 50u);
  EXPECT_EQ(now.injector_length, 0u);
}

TEST_F(submitting, submit_all_moves_out_of_a_container_that_is_given_away) {
  struct move_only {
    std::unique_ptr<int> value;
    int operator()() { return *value; }
  };
  std::vector<move_only> jobs;
  for (int i = 0; i != 3; ++i) jobs.push_back({std::make_unique<int>(i)});
  auto all = rt_.submit_all(std::move(jobs));
  EXPECT_EQ(all[0].get() + all[1].get() + all[2].get(), 3);
}

using submitting_death = submitting;

TEST_F(submitting_death, an_exception_that_leaves_a_spawned_task_ends_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        filch::runtime rt{options{.workers = 1}};
        rt.spawn([] { throw std::runtime_error{"nobody listens"}; });
        rt.wait_idle();
      },
      "nobody listens");
}

}  // namespace
