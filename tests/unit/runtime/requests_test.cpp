// Whether forks or joins answer a request for latent work, and what of it is worth a theft.
#include <filch/filch.hpp>

#include <gtest/gtest.h>
#include <support/spin_until.hpp>

#include <atomic>
#include <coroutine>
#include <tuple>

#include "runtime/core.hpp"
#include "runtime/worker.hpp"
#include "share/thief.hpp"

namespace {

using filch::join;
using filch::latent_stack;
using filch_test::spin_until;

bool is_fork_requested() {
  return filch::current_latent_stack()->fork_limit.load(std::memory_order_relaxed) == latent_stack::k_fork_requested;
}
bool is_next_join_requested() { return filch::is_join_requested(*filch::current_latent_stack()); }
filch::share_point& own_point() { return filch::worker::current()->point; }
void request() { (void)filch::share_thief{own_point()}.request(); }

// Inside of a fork that is open: a request is answered by the next join, here that of two empty functions.
void request_and_join() {
  join(
      [] {
        request();
        EXPECT_TRUE(is_next_join_requested());
        EXPECT_FALSE(is_fork_requested());
        join([] {}, [] {});
        EXPECT_FALSE(is_next_join_requested());
        EXPECT_TRUE(own_point().offers.is_filled());
      },
      [] {});
  EXPECT_FALSE(own_point().offers.is_filled());  // taken back
}

TEST(requests, a_join_answers_where_a_fork_is_open) {
  filch::runtime rt{{.workers = 1}};
  rt.run(request_and_join);
}

TEST(requests, the_stack_of_a_single_worker_is_private_unless_it_is_recorded) {
  const auto is_private = [] { return filch::detail::latent_stack_here().is_private; };
  EXPECT_TRUE((filch::runtime{{.workers = 1}}.run(is_private)));
  EXPECT_FALSE((filch::runtime{{.workers = 2}}.run(is_private)));
  filch::trace::session recording{{.workers = 1}};
  EXPECT_FALSE((filch::runtime{{.workers = 1, .trace = &recording}}.run(is_private)));
  EXPECT_FALSE(std::get<0>(join(is_private, [] {})));  // an external thread's
}

TEST(requests, the_next_fork_answers_where_none_is_open) {
  filch::runtime rt{{.workers = 1}};
  rt.run([] {
    request();
    EXPECT_TRUE(is_fork_requested());
    EXPECT_FALSE(is_next_join_requested());
    join([] { EXPECT_TRUE(own_point().offers.is_filled()); }, [] {});
    EXPECT_FALSE(is_fork_requested());
  });
}

// An owner that forks and does not join could not be visited.
TEST(requests, forks_answer_where_interrupts_are_off) {
  filch::runtime rt{{.workers = 1, .interrupts = false}};
  rt.run([] {
    join(
        [] {
          request();
          EXPECT_TRUE(is_fork_requested());
          EXPECT_FALSE(is_next_join_requested());
        },
        [] {});
  });
}

TEST(requests, joins_that_have_answered_get_requests_first_until_they_have_nothing_to_offer) {
  filch::runtime rt{{.workers = 1}};
  rt.run([] {
    request_and_join();
    request_and_join();
    for (int left = 2; left != 0; --left) {
      EXPECT_TRUE(own_point().requests.do_joins_answer());
      request();
      EXPECT_TRUE(is_next_join_requested());
      EXPECT_FALSE(is_fork_requested());
      join([] {}, [] {});  // nothing older is open
      EXPECT_FALSE(is_next_join_requested());
    }
    EXPECT_FALSE(own_point().requests.do_joins_answer());
    EXPECT_TRUE(is_fork_requested());  // the last request was handed on to the next fork
  });
}

// A frame that was seen when something older was offered ends, too, without keeping a request to itself.
TEST(requests, the_join_of_a_frame_that_was_seen_answers) {
  filch::runtime rt{{.workers = 1}};
  rt.run([] {
    join(
        [] {
          join(
              [] {
                request();
                join([] {}, [] {});  // offers the outermost, and has seen the one behind it
                EXPECT_TRUE(own_point().offers.is_filled());
                request();
                EXPECT_TRUE(is_next_join_requested());
              },
              [] {});
          EXPECT_FALSE(is_next_join_requested());
        },
        [] {});
  });
}

// A worker whose joins have answered runs a long function without any: the monitor thread sees to it that its next fork
// answers.
TEST(requests, the_monitor_thread_goes_back_to_forks_where_no_join_comes) {
  filch::runtime rt{{.workers = 2}};
  rt.run([] {
    latent_stack& stack = *filch::current_latent_stack();
    for (int i = 0; i != 3; ++i) {
      own_point().requests.note_answer(true);
      stack.fork_limit.store(stack.low_mark, std::memory_order_relaxed);
      EXPECT_TRUE(spin_until([] {
        if (own_point().requests.awaits_join()) filch::worker::current()->home.shares->call_monitor();
        else if (!is_fork_requested()) request();
        return is_fork_requested();
      }));
      EXPECT_FALSE(own_point().requests.do_joins_answer());
    }
  });
}

long fib(long n) {
  if (n < 2) return n;
  const auto [a, b] = join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

// Property: one fork that no other follows is taken, also where joins have answered all the time before.
TEST(requests, a_single_fork_behind_many_joins_is_taken) {
  for (const unsigned workers : {2u, 3u}) {
    filch::runtime rt{{.workers = workers}};
    for (int i = 0; i != 10; ++i) {
      EXPECT_EQ(rt.run([] { return fib(20); }), 6765);
      std::atomic<bool> is_taken{false};
      rt.run(
          [&] { join([&] { EXPECT_TRUE(spin_until([&] { return is_taken.load(); })); }, [&] { is_taken = true; }); });
    }
  }
}

TEST(requests, where_children_are_tiny_only_an_offer_that_has_lain_for_a_while_is_worth_a_theft) {
  filch::offer_place place;
  const filch::policy::demand patient{.transfer_ns = filch::k_never_ns};
  const filch::policy::wake_throttle free;
  const filch::policy::wake_throttle throttled{filch::policy::wake_throttle::k_throttled_streak, 0};
  EXPECT_FALSE(place.is_worth_taking(free, patient));
  filch::coroutine_entry entry;
  place.put(entry);
  EXPECT_TRUE(place.is_worth_taking(free, patient));
  EXPECT_FALSE(place.is_worth_taking(throttled, patient));
  EXPECT_TRUE(place.is_worth_taking(throttled, {.transfer_ns = 0}));
}

// ---- the own cell ---------------------------------------------------------------------------------------------------

// Destroys itself at its end.
struct detached {
  struct promise_type {
    detached get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> self;
};
detached note(std::atomic<bool>& has_run) {
  has_run = true;
  co_return;
}

// A visitor takes a coroutine from a worker that has just begun to search, puts it into that worker's cell, and sleeps:
// the searching worker was to find it. Both workers sleep, and only the one whose cell it is is woken.
TEST(own_cell, a_coroutine_is_found_by_its_worker_that_searches_while_the_other_sleeps) {
  filch::runtime rt{{.workers = 2, .idle = filch::idle::eco}};
  filch::worker* const owner = rt.run([] { return filch::worker::current(); });
  for (int i = 0; i != 20; ++i) {
    ASSERT_TRUE(spin_until([&] { return owner->home.wakes->idle().sleeping_hint() == 2; }));
    std::atomic<bool> has_run{false};
    const detached made = note(has_run);
    filch::coroutine_entry entry;
    entry.self = made.self;
    owner->point.lock.lock();
    owner->point.offers.put(entry);
    owner->point.lock.unlock();
    (void)owner->home.wakes->idle().notify_worker(owner->self);  // unless the monitor has seen the offer before
    ASSERT_TRUE(spin_until([&] { return has_run.load(); }));
  }
}

}  // namespace
