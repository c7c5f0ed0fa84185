// The pace: how blocks grow and end, and when a rest is worth handing over.
#include <filch/algo/detail/pace.hpp>

#include <gtest/gtest.h>

#include <cstddef>

namespace {

using filch::hint;
using filch::algo::detail::pace;
using filch::algo::detail::site_cost;

TEST(pace, begins_with_one_element_and_grows_to_powers_of_two_at_multiples_of_themselves) {
  site_cost site;
  pace p{{}, site};
  p.start(1'000'000'000);
  EXPECT_EQ(p.next(1'000'000), 1u);
  std::size_t at = 0;
  for (int i = 0; i != 10; ++i) {
    const std::size_t now = p.next(1'000'000'000);
    at += now;
    EXPECT_GE(at & (~at + 1), now);  // the lowest bit of where it ends
    p.note(now);                     // took next to no time
  }
  EXPECT_GT(at, 1000u);
}

TEST(pace, where_elements_were_cheap_the_first_block_is_larger_but_never_a_large_part) {
  site_cost site;
  site.note(100, 1'000);
  pace many{{}, site};
  many.start(1'000'000);
  const std::size_t trusted = many.next(1'000'000);
  EXPECT_GT(trusted, 1'000u);
  EXPECT_LE(trusted, 1'000'000u / 32);
  pace some{{}, site};
  some.start(1'000);
  EXPECT_EQ(some.next(1'000), 16u);
  pace few{{}, site};
  few.start(31);
  EXPECT_EQ(few.next(31), 1u);
  pace search{{}, site, pace::trust::nothing};
  search.start(1'000'000);
  EXPECT_EQ(search.next(1'000'000), 1u);
  site.note(1'000'000'000, 1);
  pace dear{{}, site};
  dear.start(1'000'000);
  EXPECT_EQ(dear.next(1'000'000), 1u);
  site.note(100, 1'000);
  pace given{hint{.grain = 3}, site};
  given.start(1'000'000);
  EXPECT_EQ(given.next(1'000'000), 3u);
}

TEST(pace, a_site_remembers_about_what_elements_took) {
  site_cost site;
  EXPECT_FALSE(site.is_known());
  site.note(1'000, 1'000'000);
  EXPECT_TRUE(site.is_known());
  EXPECT_LE(site.ticks_of(1'000'000), 16'000.0);  // no less than a tick for 64
  site.note(5'000, 10);
  EXPECT_GE(site.ticks_of(10), 2'500.0);
  EXPECT_LE(site.ticks_of(10), 10'000.0);
  EXPECT_GE(site.count_in(5'000), 5u);
  EXPECT_LE(site.count_in(5'000), 20u);
}

TEST(pace, never_gives_more_than_there_is) {
  site_cost site;
  pace p{{}, site};
  p.start(1'000'000'000);
  for (int i = 0; i != 10; ++i) p.note(1);
  EXPECT_EQ(p.next(3), 3u);
}

TEST(pace, a_grain_fixes_blocks_and_splits) {
  site_cost site;
  pace p{hint{.grain = 10}, site};
  p.start(1'000'000'000);
  EXPECT_EQ(p.next(100), 10u);
  p.note(10);
  EXPECT_EQ(p.next(100), 10u);
  EXPECT_FALSE(p.is_worth(19));
  EXPECT_TRUE(p.is_worth(20));
  EXPECT_EQ(p.lower_half(35), 10u);
  EXPECT_EQ(p.lower_half(40), 20u);
}

TEST(pace, few_elements_are_costly_unless_they_were_cheap_before) {
  site_cost site;
  EXPECT_TRUE((pace{{}, site}.is_few_and_costly(2)));
  EXPECT_FALSE((pace{{}, site}.is_few_and_costly(1)));
  EXPECT_FALSE((pace{{}, site}.is_few_and_costly(1000)));
  site.note(100, 100);
  EXPECT_TRUE((pace{{}, site}.is_few(20)));
  EXPECT_FALSE((pace{{}, site}.is_few_and_costly(20)));
  site.note(std::uint64_t{1} << 30, 1);
  EXPECT_TRUE((pace{{}, site}.is_few_and_costly(20)));
}

TEST(pace, a_nested_block_says_nothing_of_its_site) {
  site_cost site;
  pace p{{}, site};
  p.start(100);
  p.note(1, true);
  EXPECT_FALSE(site.is_known());
}

TEST(pace, a_loop_is_expected_to_take_long_only_where_its_site_says_so) {
  constexpr std::uint64_t k_least = 1000;
  site_cost site;
  EXPECT_FALSE((pace{{}, site}.expects(1'000'000, k_least)));  // nothing is known
  site.note(std::uint64_t{1} << 20, 1 << 10);                  // about 1024 ticks each
  EXPECT_TRUE((pace{{}, site}.expects(4, k_least)));
  EXPECT_FALSE((pace{{}, site}.expects(4, 100 * k_least)));
  EXPECT_FALSE((pace{{}, site}.expects(1, k_least)));
  EXPECT_FALSE((pace{{}, site, pace::trust::nothing}.expects(4, k_least)));
  EXPECT_FALSE((pace{filch::hint{.grain = 10}, site}.expects(1000, k_least)));
}

TEST(pace, one_element_is_never_worth_a_split) {
  site_cost site;
  pace p{{}, site};
  p.start(1'000'000'000);
  p.note(1);
  EXPECT_FALSE(p.is_worth(1));
  EXPECT_FALSE(p.is_worth(0));
}

}  // namespace
