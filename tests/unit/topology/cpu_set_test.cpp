#include <filch/topology/cpu_set.hpp>

#include "thrown_text.hpp"

#include <gtest/gtest.h>

namespace {

using filch::topology::cpu_set;

TEST(cpu_set, the_kernels_list_form_is_read_and_written) {
  const auto set = cpu_set::parse("0-3,8,10-11\n");
  ASSERT_TRUE(set.has_value());
  EXPECT_EQ(*set, (cpu_set{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(set->to_string(), "0-3,8,10-11");
  EXPECT_EQ(cpu_set{}.to_string(), "");
  EXPECT_EQ(cpu_set::parse(" \n"), cpu_set{});
  EXPECT_EQ(cpu_set::parse("5,1-2,2"), (cpu_set{1, 2, 5}));
}

TEST(cpu_set, text_that_is_no_list_is_refused) {
  for (const char* text : {"a", "1-", "-1", "3-1", "1,,2", "1,", "0-3-5", "0 1", "0x1", "65536", "0-4000000000",
                           "99999999999999999999", "+1"}) {
    EXPECT_FALSE(cpu_set::parse(text).has_value()) << text;
  }
}

TEST(cpu_set, a_number_beyond_the_limit_is_refused_by_name) {
  EXPECT_EQ(thrown_text([] { static_cast<void>(cpu_set{70000}); }),
            "CPU number 70000 is not allowed; allowed: 0 to 65535");
}

TEST(cpu_set, order_and_repetition_do_not_matter) {
  EXPECT_EQ((cpu_set{3, 1, 3}), (cpu_set{1, 3}));
  EXPECT_EQ(cpu_set::first(3), (cpu_set{0, 1, 2}));
}

TEST(cpu_set, the_intersection_holds_what_both_hold) {
  EXPECT_EQ((cpu_set{0, 1, 2, 5}.intersection(cpu_set{1, 5, 7})), (cpu_set{1, 5}));
  EXPECT_TRUE((cpu_set{0}.intersection(cpu_set{1})).empty());
  EXPECT_TRUE((cpu_set{2, 4}.contains(4)));
  EXPECT_FALSE((cpu_set{2, 4}.contains(3)));
}

}  // namespace
