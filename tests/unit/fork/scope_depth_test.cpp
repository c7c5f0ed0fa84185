// Scopes that are nested too deep for their stack.
#include <support/stress.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

namespace {

using filch::join;
using filch::scope;

// `depth` scopes inside each other, each in the body of the one before, or in its child, or in that of a scope inside a
// join. `reached` counts the levels.
using nest = void (*)(long depth, std::atomic<long>& reached);

void in_body(long depth, std::atomic<long>& reached) {
  ++reached;
  if (depth != 0) scope([&](auto&) { in_body(depth - 1, reached); });
}
void in_child(long depth, std::atomic<long>& reached) {
  ++reached;
  if (depth != 0) scope([&](auto& s) { s.spawn([&] { in_child(depth - 1, reached); }); });
}
void in_join(long depth, std::atomic<long>& reached) {
  ++reached;
  if (depth != 0) join([&] { scope([&](auto& s) { s.spawn([&] { in_join(depth - 1, reached); }); }); }, [] {});
}
constexpr nest k_all[] = {&in_body, &in_child, &in_join};

// The error's text, or none.
template <class F>
std::string outcome(const F& function) {
  try {
    function();
  } catch (const filch::stack_exhausted& error) {
    return error.what();
  }
  return "";
}

bool names_bytes(const std::string& text, std::size_t bytes) {
  return text.find("options::stack_bytes = " + std::to_string(bytes) + ". Raise it") != std::string::npos;
}

constexpr std::size_t k_small_bytes = 256 << 10;

// ThreadSanitizer's own record of calls ends at 64 Ki levels; AddressSanitizer cleans the whole stack at each level
// that an exception passes. Neither comes to the end of a large stack here.
#if defined(FILCH_TEST_SANITIZED)
constexpr long k_deep = 4'000;
#elif defined(FILCH_TEST_EMULATED)
constexpr long k_deep = 100'000;  // an exception passes each level, in an emulator 20 µs for each
#else
constexpr long k_deep = 1'000'000;
#endif

// Either all levels were reached, or the error says how large the stack is.
void expect_end(const std::string& got, long reached, long depth, std::size_t bytes) {
  EXPECT_TRUE(got.empty() ? reached == depth + 1 : names_bytes(got, bytes)) << got << " at level " << reached;
}

class deep_scopes : public testing::TestWithParam<std::uint32_t> {};

TEST_P(deep_scopes, a_small_stack_is_exhausted_with_an_error_and_the_runtime_stays_usable) {
  constexpr long k_depth = 15'000;
  filch::runtime rt{{.workers = GetParam(), .stack_bytes = k_small_bytes}};
  for (const nest each : k_all) {
    std::atomic<long> reached{0};
    const std::string got = rt.run([&] { return outcome([&] { each(k_depth, reached); }); });
    expect_end(got, reached, k_depth, k_small_bytes);
    // A child that another worker has taken begins on a stack of its own.
    const bool may_be_taken = GetParam() != 1 && each != &in_body;
    EXPECT_TRUE(may_be_taken || names_bytes(got, k_small_bytes)) << got << " at level " << reached;
  }
  std::atomic<long> reached{0};
  rt.run([&] { in_child(10, reached); });
  EXPECT_EQ(reached, 11);
  EXPECT_EQ(rt.statistics().suspended_stacks, 0u);
}

INSTANTIATE_TEST_SUITE_P(workers, deep_scopes, testing::Values(1, 2, 4));

TEST(deep_scope, a_million_inside_each_other_fit_on_a_stack_or_end_with_an_error) {
  filch::runtime rt{{.workers = 1}};
  for (const nest each : {&in_body, &in_child}) {
    std::atomic<long> reached{0};
    const std::string got = rt.run([&] { return outcome([&] { each(k_deep, reached); }); });
    expect_end(got, reached, k_deep, rt.chosen_options().stack_bytes);
  }
}

// Few levels fill a large stack.
void with_much_beside(long depth, std::atomic<long>& reached) {
  char much[10'000];
  asm volatile("" ::"r"(much) : "memory");  // all of it may be used: clang would keep two bytes
  ++reached;
  if (depth != 0) scope([&](auto&) { with_much_beside(depth - 1, reached); });
  asm volatile("" ::"r"(much) : "memory");
}

// On a thread that is no worker a scope runs on a worker of the default runtime, also inside a join that the thread
// runs itself.
TEST(deep_scope, of_a_thread_that_is_no_worker_ends_with_the_error_of_the_default_runtime) {
#if defined(FILCH_TEST_SANITIZED)
  constexpr long k_depth = 1'000;
#else
  constexpr long k_depth = 100'000;
#endif
  for (const bool is_external : {false, true}) {
    std::atomic<long> reached{0};
    std::string got;
    std::thread{[&] {
      got = outcome([&] {
        if (is_external) join([&] { scope([&](auto&) { with_much_beside(k_depth, reached); }); }, [] {});
        else scope([&](auto&) { with_much_beside(k_depth, reached); });
      });
    }}.join();
#if defined(FILCH_TEST_SANITIZED)
    EXPECT_EQ(got, "");
    EXPECT_EQ(reached, k_depth + 1);
#else
    EXPECT_TRUE(names_bytes(got, filch::default_runtime().chosen_options().stack_bytes))
        << got << " at level " << reached;
#endif
  }
}

TEST(deep_scope, says_what_a_join_says) {
  struct endless {
    static long joins() {
      const auto [a, b] = join([] { return joins(); }, [] { return 1L; });
      return a + b;
    }
    static void scopes() {
      scope([](auto&) { scopes(); });
    }
  };
  filch::runtime rt{{.workers = 1, .stack_bytes = k_small_bytes}};
  const std::string of_joins = rt.run([] { return outcome([] { (void)endless::joins(); }); });
  EXPECT_TRUE(names_bytes(of_joins, k_small_bytes)) << of_joins;
  EXPECT_EQ(rt.run([] { return outcome([] { endless::scopes(); }); }), of_joins);
}

// Two children per level, without end: those that have not started are not run after the error, or it would take for
// ever.
void two_children(std::atomic<long>& reached) {
  ++reached;
  scope([&](auto& s) {
    for (int i = 0; i != 2; ++i) s.spawn([&] { two_children(reached); });
  });
}
TEST(deep_scope, whose_stack_has_come_to_its_end_starts_no_more_children) {
  filch::runtime rt{{.workers = 1, .stack_bytes = k_small_bytes}};
  std::atomic<long> reached{0};
  EXPECT_TRUE(names_bytes(rt.run([&] { return outcome([&] { two_children(reached); }); }), k_small_bytes));
  EXPECT_LT(reached, 100'000);  // one per level
  rt.wait_idle();
  EXPECT_EQ(rt.statistics().unfinished(), 0u);
}

// A child that catches the error has a scope like any other.
TEST(deep_scope, whose_child_has_caught_the_error_runs_the_others) {
  filch::runtime rt{{.workers = 1, .stack_bytes = k_small_bytes}};
  std::atomic<long> reached{0};
  int caught = 0;
  rt.run([&] {
    scope([&](auto& s) {
      for (int i = 0; i != 5; ++i) {
        s.spawn([&] {
          if (!outcome([&] { in_child(15'000, reached); }).empty()) ++caught;
        });
      }
    });
  });
  EXPECT_EQ(caught, 5);
}

}  // namespace
