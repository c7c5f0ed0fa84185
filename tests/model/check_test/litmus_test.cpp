#include <check/atomics.hpp>
#include <check/check.hpp>

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace {
namespace check = filch::check;
using A = check::atomics;

TEST(store_buffering, relaxed) {
  std::set<std::pair<int, int>> seen;
  const auto r = check::run({.mode = check::exhaustive{.preemptions = check::k_unbounded}}, [&](check::context& c) {
    A::atomic<int> x{0}, y{0};
    int a = -1, b = -1;
    c.thread("p", [&] { x.store(1, std::memory_order_relaxed); a = y.load(std::memory_order_relaxed); });
    c.thread("q", [&] { y.store(1, std::memory_order_relaxed); b = x.load(std::memory_order_relaxed); });
    c.join_all();
    seen.insert({a, b});
  });
  EXPECT_FALSE(r.failed) << r.report;
  EXPECT_TRUE(r.exhausted);
  EXPECT_EQ(seen.size(), 4u);
}
}  // namespace
