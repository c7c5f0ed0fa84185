// Races, misuse of memory and locks, assertions: each is found when it is there and not reported when it is not.
#include "search.hpp"

#include <filch/base/assert.hpp>

#include <stdexcept>

namespace filch::check::litmus {
namespace {

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
  // Freed while an access is not ordered before: a race; accessed after: a use after free. No preemption: one order
  // each.
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
            }).kind,
            failure::user);
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
