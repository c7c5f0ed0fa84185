// Deadlocks, lost wake-ups, futexes and livelocks: each is found when it is there and not reported when it is not.
#include "search.hpp"

namespace filch::check::litmus {
namespace {

TEST(deadlock, of_two_locks_taken_in_opposite_order_is_found) {
  const result r = search([](context& c) {
    A::mutex a, b;
    c.thread("ab", [&] { a.lock(), b.lock(), b.unlock(), a.unlock(); });
    c.thread("ba", [&] { b.lock(), a.lock(), a.unlock(), b.unlock(); });
    c.join_all();
  });
  EXPECT_EQ(r.kind, failure::deadlock) << r.report;
  EXPECT_NE(r.message.find("ab waits for a mutex at progress_test.cpp:"), std::string::npos) << r.message;
}

// A sleeper must be woken by whoever changes the word: with the wake all executions end, without it one does not.
void sleep_until_set(context& c, bool wakes) {
  A::atomic<std::uint32_t> word{0};
  c.thread("sleeper", [&] {
    while (word.load(memory_order_acquire) == 0) A::futex_wait(word, 0);
  });
  c.thread("setter", [&] {
    word.store(1, memory_order_release);
    if (wakes) A::futex_wake(word, 1);
  });
  c.join_all();
}

TEST(deadlock, a_lost_wake_up_is_found) {
  const result r = search([](context& c) { sleep_until_set(c, false); });
  EXPECT_EQ(r.kind, failure::deadlock) << r.report;
  EXPECT_NE(r.message.find("sleeper sleeps at"), std::string::npos) << r.message;
  expect_clean(search([](context& c) { sleep_until_set(c, true); }));
}

// P2: the waker skips the wake when it sees no sleeper. Store and check on both sides need a fence between.
void announce_and_sleep(context& c, bool has_fences) {
  A::atomic<std::uint32_t> word{0};
  A::atomic<int> sleepers{0};
  c.thread("sleeper", [&] {
    sleepers.store(1, memory_order_relaxed);
    if (has_fences) A::fence(memory_order_seq_cst);
    while (word.load(memory_order_relaxed) == 0) A::futex_wait(word, 0);
  });
  c.thread("setter", [&] {
    word.store(1, memory_order_relaxed);
    if (has_fences) A::fence(memory_order_seq_cst);
    if (sleepers.load(memory_order_relaxed) != 0) A::futex_wake(word, 1);
  });
  c.join_all();
}

TEST(deadlock, a_wake_up_skipped_for_want_of_a_fence_is_found) {
  EXPECT_EQ(search([](context& c) { announce_and_sleep(c, false); }).kind, failure::deadlock);
  expect_clean(search([](context& c) { announce_and_sleep(c, true); }));
}

TEST(futex, returns_spuriously_as_a_choice_and_only_then_without_a_wake) {
  const auto program = [](context& c) {
    A::atomic<std::uint32_t> word{0};
    c.thread("sleeper", [&] {
      A::futex_wait(word, 0);
      require(word.load(memory_order_acquire) == 1, "woken means set");
    });
    c.thread("setter", [&] {
      word.store(1, memory_order_release);
      A::futex_wake(word, 1);
    });
    c.join_all();
  };
  EXPECT_EQ(search(program).kind, failure::assertion);
  const result r = search([&](context& c) { program(c); },
                          {.mode = exhaustive{.preemptions = 3}, .stale_reads = 0, .spurious_wakeups = 0});
  expect_clean(r);
}

TEST(futex, times_out_only_with_a_deadline) {
  std::set<bool> seen;
  const auto program = [&](context& c) {
    A::atomic<std::uint32_t> word{0};
    c.thread("sleeper", [&] { seen.insert(A::futex_wait(word, 0, 1000)); });
    c.thread("waker", [&] { A::futex_wake(word, 1); });
    c.join_all();
  };
  expect_clean(search(program));
  EXPECT_EQ(seen, (std::set<bool>{false, true}));
  // P8: a deadline hides a lost wake-up unless deadlines are not let pass.
  const result r = search(program, {.early_timeouts = 0, .timeouts_rescue = false});
  EXPECT_EQ(r.kind, failure::deadlock) << r.report;
}

TEST(futex, wakes_as_many_as_asked_for_and_any_of_them) {
  std::set<std::vector<int>> seen;
  const result r = search(
      [&](context& c) {
        A::atomic<std::uint32_t> word{0};
        std::vector<int> woken;
        for (int i = 0; i != 2; ++i) {
          c.thread("sleeper", [&, i] {
            A::futex_wait(word, 0);
            woken.push_back(i);
          });
        }
        c.thread("waker", [&] {
          A::futex_wake(word, 1);
          A::futex_wake(word, 1);
        });
        c.join_all();
        seen.insert(woken);
      },
      {.mode = exhaustive{.preemptions = 0}, .spurious_wakeups = 0});
  EXPECT_EQ(r.kind, failure::deadlock) << "a wake before the sleep is lost";
  EXPECT_TRUE(seen.contains({0, 1}));
  EXPECT_TRUE(seen.contains({1, 0}));
}

TEST(livelock, of_a_loop_that_waits_for_nobody_is_found) {
  const result r = search([](context& c) {
    A::atomic<int> x{0};
    c.thread("spinner", [&] {
      while (x.load(memory_order_relaxed) == 0) A::pause();
    });
    c.join_all();
  });
  EXPECT_EQ(r.kind, failure::livelock) << r.report;
}

// Loops that wait for another thread end, with pause() or without, however outdated their reads may be at first.
TEST(livelock, is_not_reported_for_spinning_on_what_another_thread_does) {
  for (const bool pauses : {false, true}) {
    expect_clean(search(
        [pauses](context& c) {
          A::atomic<int> x{0};
          for (int i = 0; i != 2; ++i) {
            c.thread("spinner", [&] {
              while (x.load(memory_order_acquire) != 2) {
                if (pauses) A::pause();
              }
            });
          }
          c.thread("setter", [&] {
            x.store(1, memory_order_release);
            x.store(2, memory_order_release);
          });
          c.join_all();
        },
        {.mode = exhaustive{.preemptions = 1}}));
  }
}

// Two spinners that write with each turn keep each other busy; the thread that holds the lock must still come to run.
TEST(livelock, is_not_reported_for_spinners_that_write) {
  expect_clean(search(
      [](context& c) {
        A::atomic<int> lock{0};
        A::var<int> count{0};
        for (int i = 0; i != 3; ++i) {
          c.thread("user", [&] {
            while (lock.exchange(1, memory_order_acquire) != 0) A::pause();
            count.set(count.get() + 1);
            lock.store(0, memory_order_release);
          });
        }
        c.join_all();
        require(count.get() == 3, "each counted once", count.get());
      },
      {.mode = exhaustive{.preemptions = 1}}));
}

}  // namespace
}  // namespace filch::check::litmus
