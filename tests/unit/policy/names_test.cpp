#include <filch/policy/names.hpp>

#include <filch/policy/step.hpp>

#include <gtest/gtest.h>

namespace {

using namespace filch::policy;

template <class E>
void expect_all_names_lead_back() {
  for (std::size_t i = 0; i != names<E>::all.size(); ++i) {
    const auto value = static_cast<E>(i);
    const auto back = parse<E>(to_string(value));
    ASSERT_TRUE(back) << back.error;
    EXPECT_EQ(*back, value);
    EXPECT_TRUE(is_known(value));
  }
  const auto beyond = static_cast<E>(names<E>::all.size());
  EXPECT_FALSE(is_known(beyond));
  EXPECT_EQ(to_string(beyond), "?");
}

TEST(names, every_value_has_a_name_that_leads_back_to_it) {
  expect_all_names_lead_back<victims>();
  expect_all_names_lead_back<order>();
  expect_all_names_lead_back<wake>();
  expect_all_names_lead_back<priority>();
  expect_all_names_lead_back<step_kind>();
  expect_all_names_lead_back<outcome>();
}

TEST(names, stand_in_the_order_of_the_enumerators) {
  EXPECT_EQ(to_string(victims::random), "random");
  EXPECT_EQ(to_string(victims::random_probe), "random_probe");
  EXPECT_EQ(to_string(victims::round_robin), "round_robin");
  EXPECT_EQ(to_string(victims::largest), "largest");
  EXPECT_EQ(to_string(victims::best_of_two), "best_of_two");
  EXPECT_EQ(to_string(victims::nearest), "nearest");
  EXPECT_EQ(to_string(victims::last_victim), "last_victim");
  EXPECT_EQ(to_string(order::fifo), "fifo");
  EXPECT_EQ(to_string(wake::all), "all");
  EXPECT_EQ(to_string(priority::low), "low");
  EXPECT_EQ(to_string(step_kind::park), "park");
  EXPECT_EQ(to_string(outcome::lost), "lost");
}

TEST(parse, an_unknown_name_is_answered_with_the_nearest_and_all_valid_ones) {
  const auto result = parse<victims>("nearst", "--victims");
  EXPECT_FALSE(result);
  EXPECT_EQ(
      result.error,
      "--victims = \"nearst\": unknown name; did you mean \"nearest\"? Valid are random, random_probe, round_robin, "
      "largest, best_of_two, nearest, last_victim");
  EXPECT_EQ(parse<order>("FIFO").error, "order = \"FIFO\": unknown name; did you mean \"lifo\"? Valid are lifo, fifo");
  EXPECT_EQ(parse<priority>("").error,
            "priority = \"\": unknown name; did you mean \"low\"? Valid are high, normal, low");
}

TEST(edit_distance, counts_insertions_deletions_and_replacements) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("nearest", "nearst"), 1u);
  EXPECT_EQ(edit_distance("lifo", "fifo"), 1u);
}

}  // namespace
