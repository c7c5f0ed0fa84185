// Algorithms at the end of their stack.
#include <support/depth.hpp>

#include <filch/filch.hpp>
#include <filch/trace/session.hpp>

#include <gtest/gtest.h>

#include <alloca.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

// Calls `function` where so many bytes are left of the stack until forks throw.
template <class F>
[[gnu::noinline]] void near_the_end(std::size_t left, const F& function) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  void* const skipped = alloca(here - filch::detail::latent_stack_here().low_mark - left);
  asm volatile("" : : "r"(skipped) : "memory");
  function();
}

constexpr std::size_t k_step = 48;  // bytes

// Sorts where the stack ends inside the sort, wherever that is; every element must still be there.
template <class T, class Make, class Before>
void expect_nothing_lost(filch::runtime& rt, int count, const Make& make, const Before& before) {
  std::vector<T> input;
  for (int i = 0; i != count; ++i) input.push_back(make(static_cast<int>(i * 7919L % count)));
  std::vector<T> expected = input;
  std::sort(expected.begin(), expected.end());
  int thrown = 0;
  for (std::size_t left = k_step; left < 6000; left += k_step) {
    std::vector<T> xs = input;
    rt.run([&] {
      near_the_end(left, [&] {
        try {
          filch::stable_sort(xs, before);
        } catch (const filch::stack_exhausted&) {
          ++thrown;
        }
      });
    });
    std::sort(xs.begin(), xs.end());
    ASSERT_EQ(xs, expected) << left << " bytes before the end";
  }
  EXPECT_GT(thrown, 0);
}
std::string long_text(int x) { return "a text that lies on the heap, with the number " + std::to_string(x); }

class at_the_end_of_the_stack : public testing::TestWithParam<std::uint32_t> {
 protected:
  filch::runtime rt_{filch_test::small_stacks(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, at_the_end_of_the_stack, testing::Values(1, 2));

// Bug: the half whose fork threw was never sorted into its place, and what was in the buffer there was moved back.
TEST_P(at_the_end_of_the_stack, stable_sort_loses_no_element) {
  expect_nothing_lost<int>(rt_, 5000, [](int x) { return x; }, std::less<>{});
  expect_nothing_lost<std::string>(rt_, 5000, &long_text, std::less<>{});
}

// Merges whose comparisons take long are cut in two: on the one worker of a recording always. Bug: neither half was
// merged when that fork threw.
TEST(at_the_end_of_a_recorded_stack, stable_sort_loses_no_element) {
  filch::trace::session recorded{{.workers = 1, .forks = filch::trace::fork_detail::beat}};
  filch::options chosen = filch_test::small_stacks(1);
  chosen.trace = &recorded;
  filch::runtime rt{chosen};
  recorded.start();
  const auto slowly = [](const auto& a, const auto& b) {
    for (int i = 0; i != 100; ++i) asm volatile("" : : : "memory");
    return a < b;
  };
  expect_nothing_lost<int>(rt, 5000, [](int x) { return x; }, slowly);
  expect_nothing_lost<std::string>(rt, 5000, &long_text, slowly);
  recorded.stop();
}

}  // namespace
