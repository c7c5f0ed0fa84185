// Algorithms at the end of their stack.
#include "runtime/core.hpp"
#include "runtime/worker.hpp"

#include <support/depth.hpp>

#include <filch/filch.hpp>
#include <filch/trace/session.hpp>

#include <gtest/gtest.h>

#include <alloca.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <ranges>
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

// Algorithms inside each other without end, each in the function that one before calls for its first element.
using nest = void (*)(std::size_t elements);

void in_loop(std::size_t n) {
  filch::for_index(n, [n](std::size_t i) {
    if (i == 0) in_loop(n);
  });
}
void in_grains(std::size_t n) {
  const auto each = [n](std::size_t i) {
    if (i == 0) in_grains(n);
  };
  filch::for_index(n, each, filch::hint{.grain = 1});
}
void in_list(std::size_t n) {
  std::list<int> all(n);
  filch::for_each(all, [&](int& x) {
    if (&x == &all.front()) in_list(n);
  });
}
void in_reduction(std::size_t n) {
  const auto value = [n](std::size_t i) {
    if (i == 0) in_reduction(n);
    return i;
  };
  (void)filch::transform_reduce(std::views::iota(std::size_t{0}, n), std::size_t{0}, std::plus<>{}, value);
}
void in_search(std::size_t n) {
  (void)filch::any_of(std::views::iota(std::size_t{0}, n), [n](std::size_t i) {
    if (i == 0) in_search(n);
    return false;
  });
}
void in_scan(std::size_t n) {
  std::vector<std::size_t> out(n);
  const auto value = [n](std::size_t i) {
    if (i == 0) in_scan(n);
    return i;
  };
  filch::transform_inclusive_scan(std::views::iota(std::size_t{0}, n), out.begin(), std::plus<>{}, value);
}
void in_copy_if(std::size_t n) {
  std::vector<std::size_t> out(n);
  filch::copy_if(std::views::iota(std::size_t{0}, n), out.begin(), [n](std::size_t i) {
    if (i == 0) in_copy_if(n);
    return true;
  });
}
void in_partition(std::size_t n) {
  std::vector<std::size_t> all(n);
  (void)filch::partition(all, [n](std::size_t) {
    in_partition(n);
    return true;
  });
}
template <auto algorithm>
void in_comparison(std::size_t n) {
  std::vector<std::size_t> all(2 * n);
  algorithm(all, [n](std::size_t a, std::size_t b) {
    in_comparison<algorithm>(n);
    return a < b;
  });
}
constexpr auto sorted = [](auto& all, auto before) { filch::sort(all, before); };
constexpr auto stably_sorted = [](auto& all, auto before) { filch::stable_sort(all, before); };
constexpr auto selected = [](auto& all, auto before) { filch::nth_element(all, all.begin(), before); };
constexpr auto merged = [](auto& all, auto before) {
  std::vector<std::size_t> out(2 * all.size());
  filch::merge(all, all, out.begin(), before);
};
constexpr nest k_nests[] = {&in_loop,
                            &in_grains,
                            &in_list,
                            &in_reduction,
                            &in_search,
                            &in_scan,
                            &in_copy_if,
                            &in_partition,
                            &in_comparison<sorted>,
                            &in_comparison<stably_sorted>,
                            &in_comparison<selected>,
                            &in_comparison<merged>};

// Bug: an algorithm that called its function before the first fork, or without any, never looked for the end of the
// stack. One element, few, and so many that the first is alone in a first block.
TEST_P(at_the_end_of_the_stack, algorithms_inside_each_other_end_with_an_error) {
  for (const nest each : k_nests) {
    for (const std::size_t elements : {std::size_t{1}, std::size_t{2}, std::size_t{40}}) {
      EXPECT_THROW(rt_.run([&] { each(elements); }), filch::stack_exhausted)
          << "algorithm " << std::find(std::begin(k_nests), std::end(k_nests), each) - std::begin(k_nests) << ", "
          << elements << " elements";
    }
  }
  EXPECT_EQ(rt_.run([] { return filch::reduce(std::views::iota(0, 1000), 0); }), 499'500);
}

// Who took a part of a recursion that is too deep would begin it anew on a stack of its own: so while the exception is
// on its way, however long that takes, nothing is offered. Bug: the loops that it left did not say so, and each offered
// what it had not begun. The runtime forgets it after 10 ms: a thread that stands still meanwhile may miss it.
TEST_P(at_the_end_of_the_stack, a_loop_that_its_exception_leaves_lets_nothing_be_offered) {
  int seen = 0;
  for (int i = 0; i != 1000; ++i) {
    rt_.run([&] {
      try {
        filch::for_index(2, [](int) { throw filch::stack_exhausted{"on its way"}; });
      } catch (const filch::stack_exhausted&) {
        if (filch::worker::current()->home.shares->board.is_exhausted()) ++seen;
      }
    });
  }
  EXPECT_GT(seen, 0);
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
