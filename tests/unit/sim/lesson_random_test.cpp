#include <filch/sim/lesson_random.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <span>

namespace {

using filch::sim::lesson_random;

// The numbers below were printed by CPython after random.seed(192837), unless another seed is named.
TEST(lesson_random, gives_the_words_of_cpython) {
  lesson_random subject{192837};
  for (const std::uint32_t word : {1790554602u, 2087853323u, 2178164816u, 2086939111u}) {
    EXPECT_EQ(subject.bits(), word);
  }
}

TEST(lesson_random, gives_the_fractions_of_cpython) {
  lesson_random subject{192837};
  for (const double fraction : {0.4168959817746001, 0.5071435159884644, 0.3292014492060713}) {
    EXPECT_EQ(subject.random(), fraction);
  }
}

TEST(lesson_random, shuffles_as_cpython_does) {
  lesson_random subject{192837};
  std::array<int, 6> items{};
  std::iota(items.begin(), items.end(), 0);
  subject.shuffle(std::span<int>{items});
  EXPECT_EQ(items, (std::array<int, 6>{2, 0, 1, 4, 5, 3}));
}

TEST(lesson_random, draws_ranges_and_choices_as_cpython_does) {
  lesson_random subject{192837};
  for (const double number : {1.1253439726619001, 1.2607152739826966, 0.993802173809107})
    EXPECT_EQ(subject.uniform(0.5, 2.0), number);
  for (const std::int64_t number : {1, 1, 6, 6, 4, 4, 2, 6}) EXPECT_EQ(subject.randint(1, 6), number);
  std::array<char, 3> letters{'a', 'b', 'c'};
  for (const char letter : {'a', 'b', 'c', 'c', 'a', 'a', 'a', 'a'}) {
    EXPECT_EQ(subject.choice(std::span<char>{letters}), letter);
  }
}

TEST(lesson_random, takes_seeds_of_one_and_two_words_and_goes_on_beyond_its_state) {
  struct row {
    std::uint64_t seed;
    std::uint32_t first;
    std::uint32_t at_2000;
  };
  const row rows[] = {row{0u, 3626764237u, 3908016617u}, row{1u, 577090037u, 1058062369u},
                      row{4294967295u, 2728839433u, 2640887251u}, row{4294967296u, 485306839u, 4134838374u},
                      row{18446744073709551615u, 93740670u, 4117718281u}};
  for (const row& expected : rows) {
    lesson_random subject{expected.seed};
    EXPECT_EQ(subject.bits(), expected.first) << expected.seed;
    for (int i = 0; i != 1998; ++i) (void)subject.bits();
    EXPECT_EQ(subject.bits(), expected.at_2000) << expected.seed;
  }
}

}  // namespace
