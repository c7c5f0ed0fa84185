// What works where the system gives the process not one thread more, or no heavy fences.
#include <runtime/core.hpp>
#include <support/emulated.hpp>
#include <support/spin_until.hpp>
#include <support/thread_here.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using filch_test::spin_until;
using filch_test::thread_here;

// Threads get stacks of this size from now on; none fits if it is too large.
void set_stack_bytes(std::size_t bytes) {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0 || ::pthread_attr_setstacksize(&attributes, bytes) != 0 ||
      ::pthread_setattr_default_np(&attributes) != 0) {
    std::_Exit(10);
  }
  ::pthread_attr_destroy(&attributes);
}
constexpr std::size_t k_too_large = std::size_t{1} << 60;

[[noreturn]] void in_a_process_without_threads(void (*body)()) {
  set_stack_bytes(k_too_large);
  body();
  std::_Exit(testing::Test::HasFailure() ? 1 : 0);
}

// It says so once.
void expect_right(void (*body)()) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(in_a_process_without_threads(body), testing::ExitedWithCode(0),
              "not one of .* threads started.*: .*\\. Joins and loops outside of a runtime run on their own thread "
              "alone\\.\n$");
}

int fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = filch::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

TEST(no_threads_death, joins_run_on_the_calling_thread) {
  expect_right([] {
    EXPECT_EQ(fib(20), 6765);
    const auto self = thread_here();
    const auto [a, b, c] = filch::join(&thread_here, &thread_here, &thread_here);
    EXPECT_TRUE(a == self && b == self && c == self);
    bool has_run = false;
    EXPECT_THROW(filch::join([] { throw std::runtime_error{"no"}; }, [&] { has_run = true; }), std::runtime_error);
    EXPECT_TRUE(has_run);
    EXPECT_EQ(filch::current_latent_stack(), nullptr);
  });
}

// An error, and no crash. Large frames, since ThreadSanitizer's own record of calls ends at 64 Ki levels.
int endless(int n) {
  volatile char room[1024];
  room[0] = 0;
  const auto [a, b] = filch::join([n] { return endless(n + 1); }, [n] { return n; });
  return a + b + room[0];
}
TEST(no_threads_death, a_recursion_without_end_ends) {
  expect_right([] {
    EXPECT_THROW((void)endless(0), filch::stack_exhausted);
    EXPECT_EQ(fib(10), 55);
  });
}

TEST(no_threads_death, algorithms_run_on_the_calling_thread) {
  expect_right([] {
    std::vector<int> xs(100'000);
    std::iota(xs.rbegin(), xs.rend(), 0);
    filch::sort(xs);
    EXPECT_TRUE(std::ranges::is_sorted(xs));
    filch::for_each(xs, [](int& x) { x = 1; });
    EXPECT_EQ(filch::reduce(xs, 0L), 100'000);
    std::vector<int> sums(xs.size());
    filch::inclusive_scan(xs, sums.begin());
    EXPECT_EQ(sums.back(), 100'000);
    int sum = 0;
    filch::for_index(1000, [&](int i) { filch::for_index(10, [&](int k) { sum += i * k; }); });
    EXPECT_EQ(sum, 999 * 1000 / 2 * 45);
  });
}

std::string error_of(auto&& body) {
  try {
    body();
  } catch (const std::system_error& error) {
    return error.what();
  }
  return {};
}
void expect_clear(const std::string& text) { EXPECT_NE(text.find("not one of"), std::string::npos) << text; }

filch::task<> nothing_to_do() { co_return; }

TEST(no_threads_death, what_needs_a_worker_says_so) {
  expect_right([] {
    EXPECT_EQ(fib(3), 2);
    expect_clear(error_of([] { filch::runtime rt; }));
    expect_clear(error_of([] { (void)filch::default_runtime().submit([] {}); }));
    expect_clear(error_of([] { (void)filch::spawn(nothing_to_do()); }));
    expect_clear(error_of([] { filch::wait(nothing_to_do()); }));
    expect_clear(error_of([] { filch::scope([](filch::scope_handle&) {}); }));
    expect_clear(error_of([] { filch::pipeline(4, std::vector<int>{1, 2, 3}, filch::serial([](int) {})); }));
    expect_clear(error_of([] { filch::join([] { filch::wait(nothing_to_do()); }, [] {}); }));
  });
}

TEST(no_threads_death, where_threads_come_back_they_are_used) {
  expect_right([] {
    EXPECT_EQ(fib(3), 2);
    set_stack_bytes(std::size_t{8} << 20);
    EXPECT_EQ(filch::default_runtime().run([] { return fib(20); }), 6765);
    EXPECT_EQ(fib(20), 6765);
  });
}

// Property: a stack that stays on its thread, and for which no other thread can stand in, resumes when its child has
// ended, although a task that had blocked took its worker meanwhile. Oracle: the join ends; it waited for ever.
void join_beside_a_task_that_comes_back() {
  filch::runtime rt{{.workers = 2}};
  std::atomic<bool> is_blocked{false};
  std::atomic<bool> may_come_back{false};
  std::atomic<bool> has_child_begun{false};
  std::atomic<bool> may_child_end{false};
  auto blocked = rt.submit([&] {
    filch::blocking([&] {
      is_blocked = true;
      EXPECT_TRUE(spin_until([&] { return may_come_back.load(); }));
    });
  });
  EXPECT_TRUE(spin_until([&] { return is_blocked.load(); }));
  // the monitor's threads exist from here on
  rt.run([] { filch::join([] { std::this_thread::sleep_for(std::chrono::milliseconds{50}); }, [] {}); });
  set_stack_bytes(k_too_large);
  auto parent = rt.submit([&] {
    const filch::stay_on_thread here;
    filch::join([&] { EXPECT_TRUE(spin_until([&] { return has_child_begun.load(); })); },
                [&] {
                  has_child_begun = true;
                  EXPECT_TRUE(spin_until([&] { return may_child_end.load(); }));
                });
  });
  EXPECT_TRUE(spin_until([&] { return has_child_begun.load(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds{20});  // the parent waits
  may_come_back = true;
  blocked.get();
  may_child_end = true;
  EXPECT_TRUE(spin_until([&] { return parent.is_ready(); }));
  if (!parent.is_ready()) std::_Exit(2);  // the runtime would wait for it
}
TEST(no_threads_death, a_join_that_stays_ends_beside_a_task_that_comes_back) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto body = [] {
    join_beside_a_task_that_comes_back();
    std::_Exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

filch::task<> raise(std::atomic<bool>& flag) {
  flag = true;
  co_return;
}

// Property: a coroutine that a computing task has spawned begins on the other worker, which has gone to sleep before or
// goes to sleep meanwhile. Oracle: it begins while the task resumes.
void spawn_beside_a_long_function(filch::runtime& rt, bool does_other_sleep) {
  rt.run([&] {
    if (does_other_sleep) {
      EXPECT_TRUE(spin_until([&] { return rt.inside().wakes->idle().sleeping_hint() != 0; }));
    }
    std::atomic<bool> has_begun{false};
    auto spawned = filch::spawn(rt, raise(has_begun));
    EXPECT_TRUE(spin_until([&] { return has_begun.load(); }));
    spawned.get();
  });
}
TEST(no_threads_death, a_coroutine_beside_a_long_function_begins_without_a_monitor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const bool does_other_sleep : {false, true}) {
    const auto body = [=] {
      filch::runtime rt{{.workers = 2}};
      set_stack_bytes(k_too_large);
      for (int i = 0; i != 3; ++i) spawn_beside_a_long_function(rt, does_other_sleep);
      std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
  }
}

// From now on the system refuses membarrier() to the whole process.
void forbid_heavy_fences() {
  sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog program{std::size(rules), rules};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) {
    std::_Exit(10);
  }
}
TEST(no_fences_death, a_coroutine_beside_a_long_function_begins_behind_a_filter_of_system_calls) {
  if (filch_test::is_emulated) GTEST_SKIP() << "the emulator installs no filter";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto body = [] {
    filch::runtime rt{{.workers = 2}};
    forbid_heavy_fences();
    for (int i = 0; i != 3; ++i) spawn_beside_a_long_function(rt, true);
    std::_Exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

}  // namespace
