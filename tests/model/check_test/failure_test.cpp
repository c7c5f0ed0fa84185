// What an execution can fail of: each kind of failure is found when it is there and not reported when it is not.
#include "litmus.hpp"

#include <filch/base/assert.hpp>

#include <stdexcept>

namespace filch::check::litmus {
namespace {

result search(const std::function<void(context&)>& body, options how = {.mode = exhaustive{.preemptions = 3}}) {
  how.print_failure = false;
  return run(how, body);
}

void expect_clean(const result& r) {
  EXPECT_FALSE(r.failed) << r.report;
  EXPECT_TRUE(r.exhausted) << r.report;
}

// ---- races ----------------------------------------------------------------------------------------------------------

void pass_plain_data(context& c, std::memory_order store, std::memory_order load) {
  A::var<int> data{0};
  A::atomic<bool> is_ready{false};
  name(&data, "data");
  c.thread("writer", [&] {
    data.set(1);
    is_ready.store(true, store);
  });
  c.thread("reader", [&] {
    if (is_ready.load(load)) require(data.get() == 1, "the data is there", data.get());
  });
  c.join_all();
  require(data.get() == 1, "join orders everything");
}

TEST(race, on_plain_data_is_found_when_the_flag_is_relaxed) {
  const result r = search([](context& c) { pass_plain_data(c, memory_order_relaxed, memory_order_relaxed); });
  EXPECT_EQ(r.kind, failure::race) << r.report;
  EXPECT_NE(r.message.find("race on data: reader reads it at failure_test.cpp:"), std::string::npos) << r.message;
  EXPECT_NE(r.message.find("writer wrote it"), std::string::npos) << r.message;
}

TEST(race, is_not_reported_when_the_flag_releases_and_acquires) {
  expect_clean(search([](context& c) { pass_plain_data(c, memory_order_release, memory_order_acquire); }));
}

TEST(race, of_a_write_with_an_earlier_read_is_found) {
  const result r = search([](context& c) {
    A::var<int> data{0};
    c.thread("reader", [&] { static_cast<void>(data.get()); });
    c.thread("writer", [&] { data.set(1); });
    c.join_all();
  });
  EXPECT_EQ(r.kind, failure::race) << r.report;
}

TEST(race, of_two_readers_is_none) {
  expect_clean(search([](context& c) {
    A::var<int> data{3};
    for (int i = 0; i != 2; ++i) c.thread("reader", [&] { require(data.get() == 3, "as written"); });
    c.join_all();
  }));
}

// D2: an object published without release: its atomics are used before their construction is known.
TEST(race, with_the_construction_of_an_atomic_is_found) {
  const auto program = [](context& c, std::memory_order publish) {
    A::atomic<A::atomic<int>*> shared{nullptr};
    c.thread("maker", [&] { shared.store(A::make<A::atomic<int>>(7), publish); });
    c.thread("user", [&] {
      if (auto* p = shared.load(memory_order_acquire)) require(p->load(memory_order_relaxed) == 7, "constructed");
    });
    c.join_all();
    A::destroy(shared.load(memory_order_relaxed));
  };
  const result r = search([&](context& c) { program(c, memory_order_relaxed); });
  EXPECT_EQ(r.kind, failure::race) << r.report;
  EXPECT_NE(r.message.find("constructed it"), std::string::npos) << r.message;
  expect_clean(search([&](context& c) { program(c, memory_order_release); }));
}

// ---- memory ---------------------------------------------------------------------------------------------------------

TEST(use_after_free, is_found_in_whichever_order_the_two_run) {
  const auto program = [](context& c, bool body_first) {
    auto* word = A::make<A::atomic<int>>(0);
    const auto use = [&] { word->store(1, memory_order_relaxed); };
    const auto free = [&] { A::destroy(word); };
    if (body_first) c.thread("user", use), c.thread("freer", free);
    else c.thread("freer", free), c.thread("user", use);
    c.join_all();
  };
  // Freed while an access is not ordered before: a race; accessed after: a use after free. No preemption: one order each.
  const options no_switch{.mode = exhaustive{.preemptions = 0, .max_executions = 1}};
  EXPECT_EQ(search([&](context& c) { program(c, true); }, no_switch).kind, failure::race);
  const result r = search([&](context& c) { program(c, false); }, no_switch);
  EXPECT_EQ(r.kind, failure::use_after_free) << r.report;
  EXPECT_NE(r.message.find("freer destroyed it"), std::string::npos) << r.message;
}

TEST(use_after_free, of_plain_data_is_found) {
  const result r = search([](context& c) {
    auto* data = A::make<A::var<int>>(0);
    c.thread("freer", [&] { A::destroy(data); });
    c.join_all();
    static_cast<void>(data->get());
  });
  EXPECT_EQ(r.kind, failure::use_after_free) << r.report;
}

TEST(use_after_free, a_double_free_is_found) {
  const result r = search([](context&) {
    auto* word = A::make<A::atomic<int>>(0);
    A::destroy(word);
    A::destroy(word);
  });
  EXPECT_EQ(r.kind, failure::use_after_free) << r.report;
  EXPECT_NE(r.message.find("double free"), std::string::npos) << r.message;
}

TEST(use_after_free, destroying_what_was_never_made_is_found) {
  const result r = search([](context&) {
    int here = 0;
    A::destroy(&here);
  });
  EXPECT_EQ(r.kind, failure::use_after_free) << r.report;
}

TEST(leak, of_a_made_object_is_found_and_a_destroyed_array_is_none) {
  const result r = search([](context&) { A::make<A::atomic<int>>(0); });
  EXPECT_EQ(r.kind, failure::leak) << r.report;
  expect_clean(search([](context&) {
    auto* words = A::make_array<A::atomic<int>>(4);
    require(words[3].load(memory_order_relaxed) == 0, "value-initialised");
    A::destroy_array(words, 4);
  }));
}

// A reader may see the poison or what it knew before; the next store makes the slot good again.
TEST(discard, lets_a_reader_see_old_values_or_poison) {
  std::set<int> seen;
  expect_clean(search([&](context& c) {
    auto* slots = A::make_array<A::atomic<int>>(2);
    slots[1].store(5, memory_order_relaxed);
    c.thread("owner", [&] { A::discard(slots, 2); });
    c.thread("thief", [&] {
      const int value = slots[1].load(memory_order_relaxed);
      seen.insert(is_poison(value) ? -1 : value);
    });
    c.join_all();
    require(is_poison(slots[0].load(memory_order_relaxed)), "the discarding thread's joiner sees the poison");
    slots[0].store(8, memory_order_relaxed);
    require(slots[0].load(memory_order_relaxed) == 8, "written again");
    A::destroy_array(slots, 2);
  }));
  EXPECT_EQ(seen, (std::set<int>{-1, 5}));
}

// ---- no progress ----------------------------------------------------------------------------------------------------

TEST(deadlock, of_two_locks_taken_in_opposite_order_is_found) {
  const result r = search([](context& c) {
    A::mutex a, b;
    c.thread("ab", [&] { a.lock(), b.lock(), b.unlock(), a.unlock(); });
    c.thread("ba", [&] { b.lock(), a.lock(), a.unlock(), b.unlock(); });
    c.join_all();
  });
  EXPECT_EQ(r.kind, failure::deadlock) << r.report;
  EXPECT_NE(r.message.find("ab waits for a mutex at failure_test.cpp:"), std::string::npos) << r.message;
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
    expect_clean(search([pauses](context& c) {
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
    }, {.mode = exhaustive{.preemptions = 1}}));
  }
}

// Two spinners that write with each turn keep each other busy; the thread that holds the lock must still come to run.
TEST(livelock, is_not_reported_for_spinners_that_write) {
  expect_clean(search([](context& c) {
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
  }, {.mode = exhaustive{.preemptions = 1}}));
}

// ---- locks, assertions, misuse --------------------------------------------------------------------------------------

TEST(mutex, excludes_and_orders) {
  expect_clean(search([](context& c) {
    A::mutex m;
    A::var<int> count{0};
    for (int i = 0; i != 2; ++i) {
      c.thread("user", [&] {
        m.lock();
        count.set(count.get() + 1);
        m.unlock();
        if (m.try_lock()) {
          count.set(count.get() + 10);
          m.unlock();
        }
      });
    }
    c.join_all();
    const int n = count.get();
    require(n == 2 || n == 12 || n == 22, "every turn counted", n);
  }));
}

TEST(mutex, unlocked_by_a_stranger_is_an_error) {
  EXPECT_EQ(search([](context&) {
    A::mutex m;
    m.unlock();
  }).kind, failure::user);
}

TEST(assertion, of_filch_inside_an_execution_fails_it_with_its_values) {
  const result r = search([](context& c) {
    A::atomic<int> x{0};
    c.thread("writer", [&] { x.store(1, memory_order_relaxed); });
    c.thread("reader", [&] {
      const int value = x.load(memory_order_relaxed);
      FILCH_ASSERT(value == 0, value);
    });
    c.join_all();
  });
  EXPECT_EQ(r.kind, failure::assertion);
  EXPECT_NE(r.message.find("value == 0"), std::string::npos) << r.message;
  EXPECT_NE(r.message.find(": 1"), std::string::npos) << r.message;
}

TEST(user_error, an_exception_that_leaves_a_thread_is_reported) {
  const result r = search([](context& c) {
    c.thread("thrower", [] { throw std::runtime_error("went wrong"); });
    c.join_all();
  });
  EXPECT_EQ(r.kind, failure::user);
  EXPECT_EQ(r.message, "an exception left thrower: went wrong");
}

TEST(user_error, a_body_that_does_not_join_is_reported) {
  EXPECT_EQ(search([](context& c) { c.thread("alone", [] {}); }).kind, failure::user);
}

// Exceptions caught inside a thread work across switches: each fiber has its own record of what it is handling.
TEST(exceptions, may_be_handled_while_other_threads_run) {
  expect_clean(search([](context& c) {
    A::atomic<int> x{0};
    for (int i = 0; i != 2; ++i) {
      c.thread("thrower", [&, i] {
        try {
          throw i;
        } catch (const int caught) {
          x.fetch_add(1, memory_order_relaxed);
          x.fetch_add(1, memory_order_relaxed);
          try {
            throw;
          } catch (const int again) {
            require(again == i && caught == i, "one's own exception", again, i);
          }
        }
      });
    }
    c.join_all();
  }));
}

}  // namespace
}  // namespace filch::check::litmus
