// Joins of threads that are no workers, joins inside long functions, and joins nested too deep.
#include <support/spin_until.hpp>
#include <support/stress.hpp>
#include <support/thread_here.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <pthread.h>

namespace {

using filch::join;
using filch_test::spin_until;
using filch_test::thread_here;

long sum_of(long from, long to) {
  if (to - from == 1) return from;
  const long middle = from + (to - from) / 2;
  const auto [a, b] = join([=] { return sum_of(from, middle); }, [=] { return sum_of(middle, to); });
  return a + b;
}

TEST(external, a_small_join_stays_on_its_thread) {
  const auto self = thread_here();
  const auto [a, b] = join([] { return thread_here(); }, [] { return thread_here(); });
  EXPECT_EQ(a, self);
  EXPECT_EQ(b, self);
  EXPECT_FALSE(filch::this_worker().is_some());
}

TEST(external, the_code_after_a_join_is_on_the_thread_where_it_began) {
  const auto self = thread_here();
  for (int i = 0; i != 20; ++i) {
    EXPECT_EQ(sum_of(0, 20'000), 20'000L * 19'999 / 2);
    EXPECT_EQ(thread_here(), self);
  }
}

// Property: an external thread that runs for long shares its work, even when it does not fork any more. The first
// function ends only when a worker has run the second.
TEST(external, work_that_lasts_is_shared_with_the_workers) {
  for (int i = 0; i != 20; ++i) {
    std::atomic<bool> has_run{false};
    const auto [seen, where] = join([&] { return spin_until([&] { return has_run.load(); }); },
                                    [&] {
                                      has_run = true;
                                      return filch::this_worker();
                                    });
    EXPECT_TRUE(seen);
    EXPECT_TRUE(where.is_some());
  }
}

TEST(external, many_threads_join_at_the_same_time) {
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i != 80; ++i) {  // more than there are slots
    threads.emplace_back([&, i] {
      if (sum_of(0, 2000 + i) == (2000L + i) * (1999 + i) / 2) ++right;
    });
  }
  for (auto& each : threads) each.join();
  EXPECT_EQ(right, 80);
}

// Does a join run on the calling thread? Else the thread has found no slot, and a worker runs it.
bool joins_here() {
  const auto self = thread_here();
  const auto [first, second] = join([] { return thread_here(); }, [] {});
  return first == self;
}
bool joins_on_a_new_thread() {
  bool is_here = false;
  std::thread{[&] { is_here = joins_here(); }}.join();
  return is_here;
}

// What joins when a thread's last objects are destroyed, after its slot was given back.
struct joins_at_the_end {
  ~joins_at_the_end() {
    join([] {}, [] {});
  }
};
TEST(external, threads_that_join_while_they_end_keep_no_slot) {
  for (int i = 0; i != 70; ++i) {  // more than there are slots
    std::thread{[] {
      thread_local joins_at_the_end last;
      (void)last;
      join([] {}, [] {});
    }}.join();
  }
  EXPECT_TRUE(joins_on_a_new_thread());
}

// Spare threads live as long as the runtime.
TEST(external, threads_whose_tasks_have_blocked_keep_no_slot) {
  const std::uint32_t count = filch::default_runtime().workers() + filch::options{}.max_spare_threads;
  std::atomic<std::uint32_t> blocked{0};
  std::vector<filch::future<void>> tasks;
  for (std::uint32_t i = 0; i != count; ++i) {
    tasks.push_back(filch::default_runtime().submit([&] {
      filch::blocking([&] {
        ++blocked;
        EXPECT_TRUE(spin_until([&] { return blocked == count; }));
      });
    }));
  }
  for (auto& each : tasks) each.get();
  EXPECT_TRUE(joins_on_a_new_thread());
}

// Its unwinding is no exception of C++, and may be caught only to be thrown on.
TEST(external, a_thread_that_ends_inside_a_join_runs_the_child_first) {
  for (int i = 0; i != 5; ++i) {
    std::atomic<bool> has_run{false};
    std::atomic<bool> went_on{false};
    std::thread([&] {
      join([]() -> int { ::pthread_exit(nullptr); }, [&] { has_run = true; });
      went_on = true;
    }).join();
    EXPECT_TRUE(has_run);
    EXPECT_FALSE(went_on);
  }
}

// ---- results of an outermost join: they come by another way than those of a join inside one -------------------------

TEST(external, results_of_all_kinds_arrive) {
  int left = 1;
  int right = 2;
  const auto [pointer, text] = join([] { return std::make_unique<int>(7); }, [] { return std::string(100, 'x'); });
  EXPECT_EQ(*pointer, 7);
  EXPECT_EQ(text, std::string(100, 'x'));
  auto&& [first, second] = join([&]() -> int& { return left; }, [&]() -> int&& { return std::move(right); });
  EXPECT_EQ(&first, &left);
  EXPECT_EQ(&second, &right);
  const auto [none, five] = join([&] { left = 3; }, [] { return 5; });
  static_assert(std::is_same_v<decltype(none), const filch::nothing>);
  EXPECT_EQ(left * five, 15);
  join([&] { left = 4; }, [&] { right = 6; });
  EXPECT_EQ(left * right, 24);
  const auto [a, b, c, d] = join([] { return 1; }, [] { return std::make_unique<int>(2); }, [] {}, [] { return 4.5; });
  EXPECT_EQ(a + *b + d, 7.5);
}

TEST(external, a_function_that_the_caller_keeps_is_not_copied) {
  struct counting {
    int calls = 0;
    int operator()() { return ++calls; }
  };
  counting first;
  counting second;
  for (int i = 1; i != 4; ++i) {
    const auto [a, b] = join(first, second);
    EXPECT_EQ(a, i);
    EXPECT_EQ(b, i);
  }
  EXPECT_EQ(first.calls, 3);
  EXPECT_EQ(second.calls, 3);
}

TEST(external, the_first_failure_in_the_order_of_the_arguments_is_rethrown_and_the_other_function_ends) {
  const auto what = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  std::atomic<int> ended{0};
  const auto fails = [](const char* text) { return [text]() -> int { throw std::runtime_error{text}; }; };
  const auto ends = [&] { return ++ended; };
  EXPECT_EQ(what([&] { (void)join(fails("first"), ends); }), "first");
  EXPECT_EQ(what([&] { (void)join(ends, fails("second")); }), "second");
  EXPECT_EQ(what([&] { (void)join(fails("first"), fails("second")); }), "first");
  EXPECT_EQ(ended, 2);
  EXPECT_EQ(what([&] { (void)join(ends, ends); }), "");  // the thread takes part as before
}

// Each of the moves on the way out of the join throws once.
TEST(external, a_result_that_cannot_be_moved_is_an_exception_and_nothing_leaks) {
  struct counted {
    counted(std::atomic<int>& live, int moves_left) : live_{&live}, moves_left_{moves_left} { ++live; }
    counted(counted&& other) : live_{other.live_}, moves_left_{other.moves_left_ - 1} {
      if (moves_left_ < 0) throw std::runtime_error{"moved too often"};
      ++*live_;
    }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --*live_; }
    std::atomic<int>* live_;
    int moves_left_;
  };
  std::atomic<int> live{0};
  int failures = 0;
  for (int moves = 0; moves != 12; ++moves) {
    try {
      (void)join([&] { return counted{live, moves}; }, [&] { return counted{live, 100}; });
    } catch (const std::runtime_error&) {
      ++failures;
    }
    try {
      (void)join([&] { return counted{live, 100}; }, [&] { return counted{live, moves}; });
    } catch (const std::runtime_error&) {
      ++failures;
    }
    EXPECT_EQ(live, 0) << moves;
  }
  EXPECT_GT(failures, 0);
  EXPECT_LT(failures, 24);
}

// Threads that take no part share the stack that stands for none: it stays as it was, also while they join.
TEST(external, nothing_is_linked_to_the_stack_that_stands_for_none) {
  filch::latent_stack& none = filch::detail::no_latent_stack;
  const auto expect_untouched = [&] {
    for (const auto* each : {&none.newest, &none.last_seen, &none.last_shared, &none.last_recorded}) {
      EXPECT_EQ(each->load(std::memory_order_relaxed), &none.bottom);
    }
    EXPECT_EQ(none.fork_limit.load(std::memory_order_relaxed), filch::latent_stack::k_fork_requested);
    EXPECT_EQ(none.stays, 0u);
    EXPECT_EQ(none.transfer_mark, 0u);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k != 100; ++k) {
        EXPECT_EQ(&filch::detail::latent_stack_here(), &none);
        EXPECT_EQ(filch::current_latent_stack(), nullptr);
        join(
            [&] {
              expect_untouched();
              EXPECT_NE(filch::current_latent_stack(), nullptr);
            },
            [&] { expect_untouched(); });
      }
    });
  }
  for (std::thread& each : threads) each.join();
  expect_untouched();
}

// ---- forks of a stack that is left ----------------------------------------------------------------------------------

class left_stack : public testing::TestWithParam<unsigned> {};

// Property: a function that blocks does not keep what was forked before it to itself. It ends only when the other has
// run.
TEST_P(left_stack, what_was_forked_before_a_blocking_call_is_run_meanwhile) {
  filch::runtime rt{{.workers = GetParam()}};
  rt.run([] {
    for (int i = 0; i != 20; ++i) {
      std::atomic<bool> has_run{false};
      const auto [seen, none] =
          join([&] { return filch::blocking([&] { return spin_until([&] { return has_run.load(); }); }); },
               [&] { has_run = true; });
      EXPECT_TRUE(seen);
    }
  });
}

filch::task<bool> yield_until(const std::atomic<bool>& flag) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (!flag.load() && std::chrono::steady_clock::now() < end) co_await filch::yield();
  co_return flag.load();
}
TEST_P(left_stack, what_was_forked_before_a_wait_for_a_coroutine_is_run_meanwhile) {
  filch::runtime rt{{.workers = GetParam()}};
  rt.run([] {
    for (int i = 0; i != 20; ++i) {
      std::atomic<bool> has_run{false};
      join([&] { EXPECT_TRUE(filch::wait(yield_until(has_run))); }, [&] { has_run = true; });
    }
  });
}

INSTANTIATE_TEST_SUITE_P(workers, left_stack, testing::Values(1u, 2u, 4u));

TEST(external, exceptions_of_children_that_workers_ran_arrive) {
  for (int i = 0; i != 20; ++i) {
    std::atomic<bool> has_run{false};
    const auto failing = [&] {
      join([&] { EXPECT_TRUE(spin_until([&] { return has_run.load(); })); },
           [&] {
             has_run = true;
             throw std::runtime_error("from the second");
           });
    };
    EXPECT_THROW(failing(), std::runtime_error);
  }
  EXPECT_EQ(sum_of(0, 1000), 499'500);  // and nothing was left behind
}

class visited : public testing::TestWithParam<std::uint32_t> {};

// Property: a worker inside a function that does not fork still gives its latent work away. Every level waits for the
// next to have been taken.
long chain(int depth, std::atomic<int>& taken) {
  if (depth == 0) return 0;
  const int before = taken.load();
  const auto [waited, below] = join([&] { return spin_until([&] { return taken.load() > before; }) ? 1L : 0L; },
                                    [&] {
                                      ++taken;
                                      return chain(depth - 1, taken);
                                    });
  return waited + below;
}

TEST_P(visited, a_worker_in_a_long_function_gives_its_latent_work_away) {
  filch::runtime rt{{.workers = GetParam(), .interrupts = true}};
  std::atomic<int> taken{0};
  EXPECT_EQ(rt.run([&] { return chain(10, taken); }), 10);
}

// Property: for a worker that has offered many children that were over before a thief could come, no sleeper is woken
// for a while; but thieves help it when it has something that lasts. The first function ends only when another worker
// has run the second; it forks meanwhile, and so answers requests without visits, too.
TEST_P(visited, work_that_lasts_is_shared_after_much_that_was_tiny) {
  for (const bool may_interrupt : {true, false}) {
    filch::runtime rt{{.workers = GetParam(), .interrupts = may_interrupt}};
    rt.run([] {
      for (int i = 0; i != 10; ++i) {
        for (int k = 0; k != 500; ++k) EXPECT_EQ(sum_of(0, 64), 2016);
        std::atomic<bool> has_run{false};
        const auto is_over = [&] { return sum_of(0, 8) == 28 && has_run.load(); };
        const auto [seen, second] = join([&] { return spin_until(is_over); }, [&] { return has_run = true; });
        EXPECT_TRUE(seen && second);
      }
    });
  }
}

// Property: a thread is visited anywhere. The functions allocate and fork while others wait for their work.
TEST_P(visited, visits_between_any_two_instructions_lose_nothing) {
  filch::runtime rt{{.workers = GetParam(), .interrupts = true}};
  struct tree {
    static std::size_t grow(int depth) {
      if (depth == 0) {
        std::size_t sum = 0;
        for (std::size_t i = 1; i != 40; ++i) sum += std::vector<int>(i).size();
        return sum;
      }
      const auto [a, b] = join([=] { return grow(depth - 1); }, [=] { return grow(depth - 1); });
      return a + b;
    }
  };
  for (int i = 0; i != 10; ++i) EXPECT_EQ(rt.run([] { return tree::grow(10); }), std::size_t{780} << 10);
}

INSTANTIATE_TEST_SUITE_P(workers, visited, testing::Values(2, 3, 5));

long lean_left(long depth) {
  if (depth == 0) return 0;
  const auto [a, b] = join([=] { return lean_left(depth - 1); }, [] { return 1L; });
  return a + b;
}
long lean_right(long depth) {
  if (depth == 0) return 0;
  const auto [a, b] = join([] { return 1L; }, [=] { return lean_right(depth - 1); });
  return a + b;
}

// ThreadSanitizer's own record of calls ends at 64 Ki levels, AddressSanitizer makes frames many times larger.
#if defined(FILCH_TSAN) || defined(FILCH_TEST_SANITIZED)
constexpr long k_deep = 20'000;
#else
constexpr long k_deep = 1'000'000;
#endif

// Returns the result, or the error's text.
template <class F>
std::string outcome(const F& function) {
  try {
    return std::to_string(function());
  } catch (const filch::stack_exhausted& error) {
    return error.what();
  }
}

class deep : public testing::TestWithParam<std::uint32_t> {};

TEST_P(deep, a_million_joins_inside_each_other_fit_on_a_stack) {
  filch::runtime rt{{.workers = GetParam()}};
  for (const auto& lean : {&lean_left, &lean_right}) {
    EXPECT_EQ(rt.run([&] { return outcome([&] { return lean(k_deep); }); }), std::to_string(k_deep));
  }
}

TEST_P(deep, a_small_stack_is_exhausted_with_an_error_and_the_runtime_stays_usable) {
  filch::runtime rt{{.workers = GetParam(), .stack_bytes = 256 << 10}};
  for (const auto& lean : {&lean_left, &lean_right}) {
    const std::string got = rt.run([&] { return outcome([&] { return lean(15'000); }); });
    EXPECT_NE(got.find("options::stack_bytes = 262144. Raise it"), std::string::npos) << got;
  }
  EXPECT_EQ(rt.run([] { return sum_of(0, 1000); }), 499'500);
}

// A recursion without end, with two calls per level: siblings that have not started are not run after the error, or it
// would take for ever.
long endless() {
  const auto [a, b] = join([] { return endless(); }, [] { return endless(); });
  return a + b;
}

TEST_P(deep, a_recursion_without_end_ends_with_an_error) {
  filch::runtime rt{{.workers = GetParam(), .stack_bytes = 256 << 10}};
  EXPECT_NE(rt.run([] { return outcome([] { return endless(); }); }), "");
}

INSTANTIATE_TEST_SUITE_P(workers, deep, testing::Values(1, 2, 4));

TEST(deep, an_external_thread_learns_that_its_own_stack_is_too_small) {
  std::string got;
#if defined(FILCH_TSAN)
  constexpr long k_depth = k_deep;  // what fits on the stack is more than ThreadSanitizer can record
#else
  constexpr long k_depth = 2'000'000;
#endif
  std::thread{[&] { got = outcome([] { return lean_left(k_depth); }); }}.join();
#if !defined(FILCH_TSAN)
  EXPECT_NE(got.find("a thread which is no worker"), std::string::npos) << got;
#endif
}

}  // namespace
