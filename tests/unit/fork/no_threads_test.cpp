// What works where the system gives the process not one thread more.
#include <support/thread_here.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <pthread.h>

namespace {

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

}  // namespace
