// Scopes with very many children, and joins inside each other on threads with small stacks.
//
// Oracle: every child runs once, on stacks of 256 KiB, on which a million calls do not fit, or the caller is told that
// its stack is too small.
#include <support/depth.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>

namespace {

using filch::join;
using filch::scope;
using filch_test::k_deep;
using filch_test::k_deep_least;
using filch_test::on_small_stack;
using filch_test::small_stacks;

class wide_scope : public testing::TestWithParam<std::uint32_t> {
 protected:
  filch::runtime rt_{small_stacks(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, wide_scope, testing::Values(1, 2));

TEST_P(wide_scope, of_a_million_children_ends) {
  std::atomic<long> count{0};
  const auto body = [&](auto& s) {
    for (long i = 0; i != k_deep; ++i) s.spawn([&] { ++count; });
  };
  on_small_stack([&] { rt_.run([&] { scope(body); }); });
  EXPECT_EQ(count, k_deep);
}

// Each child spawns the next one.
struct child {
  filch::scope_handle& s;
  std::atomic<long>& count;
  long left;
  void operator()() const {
    ++count;
    if (left != 0) s.spawn(child{s, count, left - 1});
  }
};
TEST_P(wide_scope, of_a_million_children_one_after_the_other_ends) {
  std::atomic<long> count{0};
  const auto body = [&](auto& s) { s.spawn(child{s, count, k_deep}); };
  on_small_stack([&] { rt_.run([&] { scope(body); }); });
  EXPECT_EQ(count, k_deep + 1);
}

TEST_P(wide_scope, whose_stop_is_requested_starts_no_more_children) {
  std::atomic<long> count{0};
  std::stop_source stop;
  const auto body = [&](auto& s) {
    stop.request_stop();
    for (long i = 0; i != k_deep; ++i) s.spawn([&] { ++count; });
  };
  on_small_stack([&] { rt_.run([&] { scope(body, stop.get_token()); }); });
  EXPECT_EQ(count, 0);
}

// ---- on a thread that is no worker ----------------------------------------------------------------------------------

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

TEST(deep_joins, of_a_thread_with_a_small_stack_end_with_an_error) {
  (void)filch::
      default_runtime();  // while there is one thread it needs no other to prepare visits, which would outlive it
  for (const auto& lean : {&lean_left, &lean_right}) {
    std::string got;
    on_small_stack([&] {
      try {
        got = std::to_string(lean(k_deep_least));
      } catch (const filch::stack_exhausted& error) {
        got = error.what();
      }
    });
    // The rest of the second may be taken by a worker, whose stack is large.
    const bool is_taken = lean == &lean_right && got == std::to_string(k_deep_least);
    EXPECT_TRUE(is_taken || got.find("a thread which is no worker") != std::string::npos) << got;
    on_small_stack([&] { EXPECT_EQ(lean(10), 10); });
  }
}

}  // namespace
