#include <filch/base/assert.hpp>
#include <filch/base/ids.hpp>

#include <gtest/gtest.h>

namespace {

TEST(assertion, a_true_condition_does_nothing) { FILCH_ASSERT(1 + 1 == 2); }

TEST(assertion_death, a_false_condition_prints_the_condition_the_place_and_the_values) {
  const int count = 9;
  const unsigned limit = 8;
  const filch::worker_id worker{3};
  EXPECT_DEATH(FILCH_ASSERT(count <= static_cast<int>(limit), count, limit, worker, "text", true, -1.5),
               "assertion failed: count <= .*\n.*assert_test.cpp:.*\n.* = 9, 8, 3, \"text\", true, -1.5");
}

TEST(assertion_death, a_condition_without_values_prints_no_value_line) {
  EXPECT_DEATH(FILCH_ASSERT(false), "assertion failed: false\n    at [^\n]*\n($|[^ ])");
}

}  // namespace
