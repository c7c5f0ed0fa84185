// How many stacks there are, and how deep they get.
#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace {

using filch::join;

// The distance of the deepest frame from the first one on the same stack, over all leaves. A leaf that is stolen begins on
// a stack that holds nothing but a loop, so it knows its depth only by how deep its own chain of calls is: each call passes
// the address where its stack's part of the computation began.
class depth_meter {
 public:
  void note(std::uintptr_t began, const void* here) {
    const auto depth = static_cast<std::int64_t>(began - reinterpret_cast<std::uintptr_t>(here));
    std::int64_t seen = deepest_.load();
    while (depth > seen && !deepest_.compare_exchange_weak(seen, depth)) continue;
  }
  [[nodiscard]] std::int64_t deepest() const { return deepest_.load(); }

 private:
  std::atomic<std::int64_t> deepest_{0};
};

std::uintptr_t here() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

// Every level waits for a child that somebody else runs, for a while: a worker that ran other children on the waiting
// stack would nest them as deep as there are levels left.
long chain(int length, depth_meter& meter, std::uintptr_t began) {
  char marker = 0;
  meter.note(began, &marker);
  if (length == 0) return 1;
  const auto [a, b] = join(
      [&] {
        std::this_thread::sleep_for(std::chrono::microseconds{30});
        return chain(0, meter, began);
      },
      [&, length] {
        const std::uintptr_t mine = here();
        // On the parent's stack, or at the beginning of a thief's?
        const bool is_same_stack = mine < began && began - mine < (std::uintptr_t{1} << 20);
        return chain(length - 1, meter, is_same_stack ? began : mine);
      });
  return a + b;
}

class stacks : public testing::TestWithParam<std::uint32_t> {};

// Property: a stack grows with the depth of its own calls, never with the number of steals. Oracle: chains of growing length whose
// every link is stolen or called in place; the depth per link is that of a plain recursion.
TEST_P(stacks, a_stack_does_not_grow_with_steals) {
  filch::runtime rt{{.workers = GetParam()}};
  depth_meter alone;
  filch::runtime one{{.workers = 1}};
  EXPECT_EQ(one.run([&] { return chain(200, alone, here()); }), 201);
  for (int i = 0; i != 5; ++i) {
    depth_meter meter;
    EXPECT_EQ(rt.run([&] { return chain(200, meter, here()); }), 201);
    EXPECT_LE(meter.deepest(), alone.deepest() + 4096);
  }
}

int tree(int depth) {
  if (depth == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds{5});
    return 1;
  }
  const auto [a, b] = join([=] { return tree(depth - 1); }, [=] { return tree(depth - 1); });
  return a + b;
}

// Property: a stack is suspended only by a join that waits, and joins that wait lie on paths from a running task to the
// root: at most depth times workers at a time, and one per thread beside. Oracle: statistics().stacks.
TEST_P(stacks, their_number_is_bounded_by_the_depth_of_the_joins) {
  constexpr int k_depth = 9;
  filch::runtime rt{{.workers = GetParam()}};
  for (int i = 0; i != 5; ++i) EXPECT_EQ(rt.run([] { return tree(k_depth); }), 1 << k_depth);
  const filch::statistics seen = rt.statistics();
  EXPECT_LE(seen.stacks, std::uint64_t{GetParam()} * (k_depth + 1) + seen.spare_threads);
  EXPECT_NE(to_string(seen).find("stacks: " + std::to_string(seen.stacks)), std::string::npos);
  EXPECT_NE(to_json(seen).find("\"stacks\":" + std::to_string(seen.stacks)), std::string::npos);
  EXPECT_LE(seen.suspended_stacks_max, std::uint64_t{GetParam()} * k_depth);
  EXPECT_LE(seen.suspended_stacks_max, seen.stacks);
  EXPECT_EQ(seen.suspended_stacks, 0u);
}

// Property: the statistics count a stack as suspended while its join waits, and remember the greatest number at once.
// Oracle: children that hold each other up until all joins but the innermost wait. Method: the first function of each join
// waits, on its thread, until the second runs on another; so every second function was taken, and while the last of them
// runs, all joins before it wait for it.
TEST_P(stacks, those_that_are_suspended_at_once_are_counted) {
  const std::uint32_t joins = GetParam() - 1;
  filch::runtime rt{{.workers = GetParam()}};
  std::uint64_t seen_inside = 0;
  const auto nest = [&](auto& self, std::uint32_t left) -> void {
    if (left == 0) {
      while (rt.statistics().suspended_stacks < joins) std::this_thread::yield();
      seen_inside = rt.statistics().suspended_stacks;
      return;
    }
    std::atomic<bool> has_begun{false};
    join([&] { while (!has_begun.load()) std::this_thread::yield(); },
         [&] {
           has_begun.store(true);
           self(self, left - 1);
         });
  };
  rt.run([&] { nest(nest, joins); });
  EXPECT_EQ(seen_inside, joins);
  const filch::statistics after = rt.statistics();
  EXPECT_EQ(after.suspended_stacks, 0u);
  EXPECT_GE(after.suspended_stacks_max, joins);
  EXPECT_NE(to_string(after).find("suspended at once: at most " + std::to_string(after.suspended_stacks_max)),
            std::string::npos);
  EXPECT_NE(to_json(after).find("\"suspended_stacks_max\":" + std::to_string(after.suspended_stacks_max)),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(workers, stacks, testing::Values(2, 4, 8));

}  // namespace
