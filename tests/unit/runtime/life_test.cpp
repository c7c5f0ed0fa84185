// The ends of a runtime: idle, shut down, destroyed, forked.
#include "helpers.hpp"

#include <filch/coro/spawn.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace filch_runtime_test;
using namespace std::chrono_literals;
using filch::options;

TEST(wait_idle, returns_when_nothing_is_left_though_tasks_still_submit) {
  filch::runtime rt{options{.workers = 2}};
  std::atomic<int> count{0};
  std::function<void(int)> branch = [&](int depth) {
    ++count;
    if (depth == 0) return;
    rt.spawn([&, depth] { branch(depth - 1); });
    rt.spawn([&, depth] { branch(depth - 1); });
  };
  rt.spawn([&] { branch(12); });
  rt.wait_idle();
  EXPECT_EQ(count, (1 << 13) - 1);
  EXPECT_EQ(rt.statistics().unfinished(), 0u);
  rt.wait_idle();
}

TEST(wait_idle, with_a_span_tells_whether_it_is_idle) {
  filch::runtime rt{options{.workers = 1}};
  {
    occupied_worker busy{rt};
    EXPECT_FALSE(rt.wait_idle_for(1ms));
    EXPECT_FALSE(rt.wait_idle_for(-1ms));
  }
  EXPECT_TRUE(rt.wait_idle_for(1h));
  EXPECT_TRUE(rt.wait_idle_for(std::chrono::hours::max()));
}

TEST(wait_idle, from_a_task_of_the_same_runtime_is_an_error) {
  filch::runtime rt{options{.workers = 2}};
  rt.run([&] {
    EXPECT_TRUE(contains(thrown<filch::usage_error>([&] { rt.wait_idle(); }), "wait_idle() was called by a task"));
    EXPECT_THROW((void)rt.wait_idle_for(1ms), filch::usage_error);
  });
}

TEST(wait_idle, several_threads_may_wait) {
  filch::runtime rt{options{.workers = 2}};
  for (int round = 0; round != 50; ++round) {
    gate hold;
    rt.spawn([&] { hold.wait(); });
    std::vector<std::thread> waiters;
    for (int i = 0; i != 3; ++i) waiters.emplace_back([&] { rt.wait_idle(); });
    hold.open();
    for (auto& each : waiters) each.join();
  }
}

TEST(shutdown, does_what_is_there_and_refuses_what_comes_later) {
  filch::runtime rt{options{.workers = 2}};
  std::atomic<int> count{0};
  for (int i = 0; i != 1000; ++i) {
    rt.spawn([&] {
      ++count;
      rt.spawn([&] { ++count; });
    });
  }
  EXPECT_TRUE(rt.shutdown());
  EXPECT_EQ(count, 2000);
  EXPECT_TRUE(contains(thrown<filch::usage_error>([&] { (void)rt.submit([] {}); }), "has been shut down"));
  EXPECT_THROW(rt.spawn([] {}), filch::usage_error);
  EXPECT_THROW((void)rt.submit_to(filch::worker_id{0}, [] {}), filch::usage_error);
  EXPECT_THROW((void)rt.submit_all(std::vector{[] {}}), filch::usage_error);
  EXPECT_THROW(rt.run([] {}), filch::usage_error);
  EXPECT_TRUE(rt.shutdown());
  EXPECT_TRUE(rt.shutdown(1ms));
  rt.wait_idle();
  EXPECT_EQ(rt.statistics().unfinished(), 0u);
  EXPECT_TRUE(contains(rt.dump(), "stopped"));
}

TEST(shutdown, with_a_deadline_cancels_what_has_not_started_and_says_so) {
  filch::runtime rt{options{.workers = 1}};
  gate started;
  gate hold;
  auto running = rt.submit([&] {
    started.open();
    hold.wait();
    return 1;
  });
  started.wait();
  std::vector<filch::future<int>> waiting;
  for (int i = 0; i != 100; ++i) waiting.push_back(rt.submit([] { return 2; }));
  waiting.push_back(rt.submit_to(filch::worker_id{0}, [] { return 3; }));
  waiting.push_back(std::move(rt.submit_all(std::vector{[] { return 4; }}).front()));
  bool is_complete = true;
  std::thread closer{[&] { is_complete = rt.shutdown(1ms); }};
  EXPECT_TRUE(eventually([&] { return contains(rt.dump(), "cancelling"); }));
  hold.open();
  closer.join();
  EXPECT_FALSE(is_complete);
  EXPECT_EQ(running.get(), 1);
  for (auto& each : waiting) EXPECT_THROW((void)each.get(), filch::task_cancelled);
  const auto total = rt.statistics().total();
  EXPECT_EQ(total[trace_count::cancelled], 102u);
  EXPECT_EQ(total[trace_count::executed], 1u);
  EXPECT_FALSE(rt.shutdown()) << "it does not forget";
}

TEST(shutdown, with_a_deadline_that_is_kept_cancels_nothing) {
  filch::runtime rt{options{.workers = 2}};
  std::atomic<int> count{0};
  for (int i = 0; i != 100; ++i) rt.spawn([&] { ++count; });
  EXPECT_TRUE(rt.shutdown(1h));
  EXPECT_EQ(count, 100);
}

TEST(shutdown, with_a_deadline_cuts_one_without_short) {
  filch::runtime rt{options{.workers = 1}};
  auto busy = std::make_unique<occupied_worker>(rt);
  auto waiting = rt.submit([] {});
  std::thread patient{[&] { EXPECT_FALSE(rt.shutdown()); }};
  EXPECT_TRUE(eventually([&] { return contains(rt.dump(), "draining"); }));
  std::thread hasty{[&] { EXPECT_FALSE(rt.shutdown(1ms)); }};
  EXPECT_TRUE(eventually([&] { return contains(rt.dump(), "cancelling"); }));
  busy.reset();
  patient.join();
  hasty.join();
  EXPECT_THROW(waiting.get(), filch::task_cancelled);
}

TEST(shutdown, from_a_task_of_the_same_runtime_is_an_error) {
  filch::runtime rt{options{.workers = 1}};
  rt.run([&] {
    EXPECT_TRUE(contains(thrown<filch::usage_error>([&] { rt.shutdown(); }), "shutdown() was called by a task"));
  });
  EXPECT_EQ(rt.run([] { return 1; }), 1);
}

TEST(destructor, drains) {
  std::atomic<int> count{0};
  for (int round = 0; round != 20; ++round) {
    filch::runtime rt{options{.workers = 2}};
    for (int i = 0; i != 100; ++i) {
      rt.spawn([&] {
        ++count;
        rt.spawn([&] { ++count; });
      });
    }
  }
  EXPECT_EQ(count, 4000);
}

TEST(destructor, a_runtime_that_did_nothing_ends_at_once) {
  for (int i = 0; i != 200; ++i) filch::runtime rt{options{.workers = 2, .max_spare_threads = 0}};
}

TEST(destructor, futures_outlive_the_runtime) {
  filch::future<int> kept;
  {
    filch::runtime rt{options{.workers = 1}};
    kept = rt.submit([] { return 9; });
  }
  EXPECT_EQ(kept.get(), 9);
}

TEST(destructor_death, on_an_own_worker_aborts_with_a_message) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto destroy_inside = [](bool blocked) {
    auto rt = std::make_unique<filch::runtime>(options{.workers = 2});
    rt->submit([&] {
        if (blocked) filch::blocking([&] { rt.reset(); });
        else rt.reset();
      }).wait();
  };
  EXPECT_DEATH(destroy_inside(false), "destroyed by a task that runs on one of its own workers");
  EXPECT_DEATH(destroy_inside(true), "destroyed by a task that runs on one of its own workers");
}

// The child has one thread and may do little: it calls one function, and its exit code says what came of it.
template <class Body>
int exit_code_of_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    try {
      body();
    } catch (const filch::usage_error& error) {
      code = contains(error.what(), "fork()") ? 0 : 2;
    } catch (...) {
      code = 3;
    }
    ::_exit(code);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(fork, a_child_gets_a_clear_error_and_the_parent_is_unaffected) {
  filch::runtime rt{options{.workers = 2}};
  rt.run([] {});
  occupied_worker busy{rt, filch::worker_id{1}};
  auto pending = rt.submit_to(filch::worker_id{1}, [] { return 5; });
  EXPECT_EQ(exit_code_of_child([&] { (void)rt.submit([] {}); }), 0);
  EXPECT_EQ(exit_code_of_child([&] { rt.spawn([] {}); }), 0);
  EXPECT_EQ(exit_code_of_child([&] { rt.run([] {}); }), 0);
  EXPECT_EQ(exit_code_of_child([&] { rt.wait_idle(); }), 0);
  EXPECT_EQ(exit_code_of_child([&] { (void)pending.get(); }), 0);
  EXPECT_EQ(exit_code_of_child([&] { (void)rt.shutdown(); }), 1) << "there is nothing to shut down: no error, no hang";
  EXPECT_EQ(rt.run([] { return 4; }), 4);
  busy.let_go();
  EXPECT_EQ(pending.get(), 5);
}

TEST(fork, a_worker_that_forks_has_no_runtime_in_the_child) {
  filch::runtime rt{options{.workers = 2}};
  rt.run([&] {
    EXPECT_EQ(exit_code_of_child([&] { (void)rt.submit([] {}); }), 0);
    EXPECT_EQ(exit_code_of_child([&] { (void)filch::spawn(rt, []() -> filch::task<> { co_return; }()); }), 0);
  });
  EXPECT_EQ(rt.run([] { return 4; }), 4);
}

TEST(fork, a_child_may_destroy_what_it_inherited) {
  auto rt = std::make_unique<filch::runtime>(options{.workers = 2});
  EXPECT_EQ(exit_code_of_child([&] { rt.reset(); }), 1) << "no error";
  EXPECT_EQ(rt->run([] { return 4; }), 4);
}

}  // namespace
