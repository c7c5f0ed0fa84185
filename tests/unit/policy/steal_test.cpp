#include <filch/policy/steal.hpp>

#include <gtest/gtest.h>

namespace {

using namespace filch::policy;

TEST(steal, one_takes_one_and_nothing_from_nothing) {
  EXPECT_EQ(steal::one.amount(0), 0u);
  EXPECT_EQ(steal::one.amount(1), 1u);
  EXPECT_EQ(steal::one.amount(1000), 1u);
}

TEST(steal, half_is_rounded_up) {
  EXPECT_EQ(steal::half.amount(0), 0u);
  EXPECT_EQ(steal::half.amount(1), 1u);
  EXPECT_EQ(steal::half.amount(2), 1u);
  EXPECT_EQ(steal::half.amount(7), 4u);
  EXPECT_EQ(steal::half.amount(UINT32_MAX), 1u << 31);
}

TEST(steal, fixed_takes_at_most_what_there_is) {
  EXPECT_EQ(steal::fixed(4).amount(3), 3u);
  EXPECT_EQ(steal::fixed(4).amount(4), 4u);
  EXPECT_EQ(steal::fixed(4).amount(5), 4u);
  EXPECT_EQ(steal_amount(steal::fixed(4), 100), 4u);
}

TEST(steal, every_amount_is_between_one_and_the_size) {
  for (const steal how : {steal::one, steal::half, steal::fixed(2), steal::fixed(1000)}) {
    for (std::uint32_t size = 1; size != 300; ++size) {
      EXPECT_GE(how.amount(size), 1u);
      EXPECT_LE(how.amount(size), size);
    }
  }
}

TEST(steal, fixed_one_is_one) {
  EXPECT_EQ(steal::fixed(1), steal::one);
  EXPECT_NE(steal::fixed(0), steal::half);
}

TEST(steal, text_and_value_belong_together) {
  for (const steal how : {steal::one, steal::half, steal::fixed(4), steal::fixed(UINT32_MAX)}) {
    const auto back = parse<steal>(to_string(how));
    ASSERT_TRUE(back) << back.error;
    EXPECT_EQ(*back, how);
  }
  EXPECT_EQ(to_string(steal::fixed(4)), "fixed:4");
}

TEST(steal, a_wrong_text_is_refused_with_what_is_allowed) {
  EXPECT_EQ(parse<steal>("haf", "--steal").error,
            "--steal = \"haf\": unknown name; did you mean \"half\"? Valid are one, half, fixed:N");
  for (const auto* text : {"fixed:0", "fixed:", "fixed:x", "fixed:4 ", "fixed:-1", "fixed:4294967296"}) {
    EXPECT_EQ(parse<steal>(text).error,
              std::string{"steal = \""} + text + "\": allowed is fixed:N with a whole number N from 1 to 4294967295");
  }
}

}  // namespace
