#include <filch/trace/names.hpp>

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace {

using namespace filch::trace;

TEST(names_table, the_same_text_gets_the_same_id_and_another_text_another) {
  names_table names;
  const name_id fib = names.intern("fib");
  EXPECT_NE(names.intern("sort"), fib);
  EXPECT_EQ(names.intern("fib"), fib);
  EXPECT_EQ(names.snapshot().at(fib.value).text, "fib");
  EXPECT_EQ(names.snapshot().size(), 2u);
}

TEST(names_table, a_colour_stays_until_another_is_given) {
  names_table names;
  const name_id fib = names.intern("fib", rgb{1, 2, 3});
  EXPECT_EQ(names.intern("fib"), fib);
  EXPECT_EQ(names.snapshot().at(0).colour, (rgb{1, 2, 3}));
  EXPECT_EQ(names.intern("fib", rgb{4, 5, 6}), fib);
  EXPECT_EQ(names.snapshot().at(0).colour, (rgb{4, 5, 6}));
}

TEST(names_table, a_name_too_long_is_cut) {
  names_table names;
  const std::string text(k_max_name_bytes + 1, 'x');
  EXPECT_EQ(names.intern(text), names.intern(text.substr(1)));
  EXPECT_EQ(names.snapshot().at(0).text.size(), k_max_name_bytes);
}

TEST(names_table, threads_that_intern_the_same_names_agree_on_their_ids) {
  names_table names;
  std::vector<name_id> ids[2];
  const auto intern = [&](std::vector<name_id>& into) {
    for (int i = 0; i != 1000; ++i) into.push_back(names.intern("name " + std::to_string(i % 50)));
  };
  std::thread other{[&] { intern(ids[1]); }};
  intern(ids[0]);
  other.join();
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(names.snapshot().size(), 50u);
}

TEST(rgb, is_shown_as_six_digits) {
  EXPECT_EQ(to_text(rgb{30, 144, 255}), "#1e90ff");
  EXPECT_EQ(to_text(rgb{}), "#000000");
}

}  // namespace
