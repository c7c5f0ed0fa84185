// Who is asked for latent work, forks or joins, and what of it is worth a theft.
#include <filch/filch.hpp>

#include <gtest/gtest.h>
#include <support/spin_until.hpp>

#include <atomic>
#include <coroutine>
#include <tuple>

#include "runtime/core.hpp"
#include "share/share_point.hpp"
#include "runtime/worker.hpp"

namespace {

using filch::join;
using filch::latent_stack;
using filch_test::spin_until;

bool is_fork_asked() {
  return filch::current_latent_stack()->fork_limit.load(std::memory_order_relaxed) == latent_stack::k_fork_requested;
}
bool is_join_asked() { return filch::is_asked(*filch::current_latent_stack()); }
filch::share_point& own_desk() { return filch::worker::current()->point; }

// Inside of a fork that is open: a request is answered by the next join, here that of two empty functions.
void ask_and_join() {
  join(
      [] {
        (void)own_desk().ask();
        EXPECT_TRUE(is_join_asked());
        EXPECT_FALSE(is_fork_asked());
        join([] {}, [] {});
        EXPECT_FALSE(is_join_asked());
        EXPECT_TRUE(own_desk().cell.has_offer());
      },
      [] {});
  EXPECT_FALSE(own_desk().cell.has_offer());  // taken back
}

TEST(asking, a_join_answers_where_a_fork_is_open) {
  filch::runtime rt{{.workers = 1}};
  rt.run(ask_and_join);
}

TEST(asking, the_stack_of_a_single_worker_is_private_unless_it_is_recorded) {
  const auto is_private = [] { return filch::detail::latent_stack_here().is_private; };
  EXPECT_TRUE((filch::runtime{{.workers = 1}}.run(is_private)));
  EXPECT_FALSE((filch::runtime{{.workers = 2}}.run(is_private)));
  filch::trace::session recording{{.workers = 1}};
  EXPECT_FALSE((filch::runtime{{.workers = 1, .trace = &recording}}.run(is_private)));
  EXPECT_FALSE(std::get<0>(join(is_private, [] {})));  // a external thread's
}

TEST(asking, the_next_fork_answers_where_none_is_open) {
  filch::runtime rt{{.workers = 1}};
  rt.run([] {
    (void)own_desk().ask();
    EXPECT_TRUE(is_fork_asked());
    EXPECT_FALSE(is_join_asked());
    join([] { EXPECT_TRUE(own_desk().cell.has_offer()); }, [] {});
    EXPECT_FALSE(is_fork_asked());
  });
}

// Nobody could be visited who forks and does not join.
TEST(asking, forks_answer_where_interrupts_are_off) {
  filch::runtime rt{{.workers = 1, .interrupts = false}};
  rt.run([] {
    join(
        [] {
          (void)own_desk().ask();
          EXPECT_TRUE(is_fork_asked());
          EXPECT_FALSE(is_join_asked());
        },
        [] {});
  });
}

TEST(asking, joins_that_have_answered_are_asked_first_until_they_have_nothing_to_offer) {
  filch::runtime rt{{.workers = 1}};
  rt.run([] {
    ask_and_join();
    ask_and_join();
    for (int left = 2; left != 0; --left) {
      EXPECT_TRUE(own_desk().answers_at_joins());
      (void)own_desk().ask();
      EXPECT_TRUE(is_join_asked());
      EXPECT_FALSE(is_fork_asked());
      join([] {}, [] {});  // nothing older is open
      EXPECT_FALSE(is_join_asked());
    }
    EXPECT_FALSE(own_desk().answers_at_joins());
    EXPECT_TRUE(is_fork_asked());  // the last request went on to the next fork
  });
}

// A frame that was seen when something older was offered ends, too, without keeping a request to itself.
TEST(asking, the_join_of_a_frame_that_was_seen_answers) {
  filch::runtime rt{{.workers = 1}};
  rt.run([] {
    join(
        [] {
          join(
              [] {
                (void)own_desk().ask();
                join([] {}, [] {});  // offers the outermost, and has seen the one behind it
                EXPECT_TRUE(own_desk().cell.has_offer());
                (void)own_desk().ask();
                EXPECT_TRUE(is_join_asked());
              },
              [] {});
          EXPECT_FALSE(is_join_asked());
        },
        [] {});
  });
}

// A worker whose joins have answered runs a long function without any: the monitor thread sees to it that its next fork
// answers.
TEST(asking, the_monitor_thread_goes_back_to_forks_where_no_join_comes) {
  filch::runtime rt{{.workers = 2}};
  rt.run([] {
    latent_stack& stack = *filch::current_latent_stack();
    for (int i = 0; i != 3; ++i) {
      own_desk().note_answer(true);
      stack.fork_limit.store(stack.low_mark, std::memory_order_relaxed);
      EXPECT_TRUE(spin_until([] {
        if (own_desk().awaits_join()) filch::worker::current()->home.call_monitor();
        else if (!is_fork_asked()) (void)own_desk().ask();
        return is_fork_asked();
      }));
      EXPECT_FALSE(own_desk().answers_at_joins());
    }
  });
}

long fib(long n) {
  if (n < 2) return n;
  const auto [a, b] = join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

// Property: one fork that nobody follows up is taken, also where joins have answered all the time before.
TEST(asking, a_single_fork_behind_many_joins_is_taken) {
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

TEST(asking, where_children_are_tiny_only_an_offer_that_has_lain_for_a_while_is_ripe) {
  filch::share_point point{true};
  EXPECT_FALSE(point.has_aged_offer());
  point.note_offer();
  const filch::time_ns made_ns = point.offered_ns();
  EXPECT_FALSE(point.is_aged(made_ns));
  EXPECT_FALSE(point.is_aged(made_ns + filch::share_point::k_aged_ns - 1));
  EXPECT_TRUE(point.is_aged(made_ns + filch::share_point::k_aged_ns));
}

// ---- the own slot ---------------------------------------------------------------------------------------------------

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

// A visitor takes a coroutine from a worker that has just begun to search, puts it into that worker's slot, and sleeps:
// whoever searches was to find it. Both workers sleep, and only the one whose slot it is is woken.
TEST(own_slot, a_coroutine_is_found_by_its_worker_that_searches_while_the_other_sleeps) {
  filch::runtime rt{{.workers = 2, .idle = filch::idle::eco}};
  filch::worker* const owner = rt.run([] { return filch::worker::current(); });
  for (int i = 0; i != 20; ++i) {
    ASSERT_TRUE(spin_until([&] { return owner->home.idle().sleeping_hint() == 2; }));
    std::atomic<bool> has_run{false};
    const detached made = note(has_run);
    filch::coroutine_entry entry;
    entry.self = made.self;
    owner->point.lock.lock();
    owner->point.cell.offer(entry);
    owner->point.lock.unlock();
    ASSERT_TRUE(owner->home.idle().notify_worker(owner->self));
    ASSERT_TRUE(spin_until([&] { return has_run.load(); }));
  }
}

}  // namespace
