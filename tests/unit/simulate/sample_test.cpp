// Confidence intervals, and who wins a comparison.
#include <simulate/sample.hpp>

#include <filch/base/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using namespace filch::tool;

TEST(student_quantile, agrees_with_the_printed_tables) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 5e-5);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.30265, 5e-6);
  EXPECT_NEAR(student_quantile(0.975, 10), 2.22814, 5e-6);
  EXPECT_NEAR(student_quantile(0.975, 30), 2.04227, 5e-6);
  EXPECT_NEAR(student_quantile(0.975, 100), 1.98397, 5e-6);
  EXPECT_NEAR(student_quantile(0.95, 5), 2.01505, 5e-6);
  EXPECT_NEAR(student_quantile(0.999, 20), 3.55181, 5e-6);
  EXPECT_NEAR(student_quantile(0.975, 1e6), 1.95997, 5e-5);
}

TEST(student_quantile, is_symmetric) {
  EXPECT_DOUBLE_EQ(student_quantile(0.1, 7), -student_quantile(0.9, 7));
  EXPECT_NEAR(student_quantile(0.5, 7), 0, 1e-9);
}

TEST(summary, mean_spread_and_interval_are_those_of_the_textbook) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  const sample_summary of = summary_of(values);
  EXPECT_DOUBLE_EQ(of.mean, 5);
  EXPECT_NEAR(of.sd, std::sqrt(32.0 / 7), 1e-12);
  EXPECT_NEAR(of.half_width, 2.364624 * of.sd / std::sqrt(8.0), 1e-5);
  EXPECT_EQ(spread_text(of, 2), "5.00 ± 2.14");
}

TEST(summary, one_value_has_no_interval) {
  const sample_summary of = summary_of(std::vector<double>{3.5});
  EXPECT_DOUBLE_EQ(of.mean, 3.5);
  EXPECT_TRUE(std::isinf(of.half_width));
  EXPECT_EQ(interval_text(of, 1), "3.5");
}

TEST(summary, equal_values_have_no_spread) {
  const sample_summary of = summary_of(std::vector<double>(7, 0.1));
  EXPECT_EQ(of.sd, 0);
  EXPECT_EQ(of.half_width, 0);
}

// The intervals of repeated samples cover the true mean about 95 times of 100. Oracle: the binomial bound over 2000
// samples of 10 uniform values, far outside of which the count lies only if the interval is wrong.
TEST(summary, intervals_cover_the_true_mean_as_often_as_they_promise) {
  filch::random_stream random{1};
  int covered = 0;
  for (int sample = 0; sample != 2000; ++sample) {
    std::vector<double> values;
    for (int i = 0; i != 10; ++i) values.push_back(random.uniform(0, 1));
    const sample_summary of = summary_of(values);
    covered += std::abs(of.mean - 0.5) <= of.half_width ? 1 : 0;
  }
  EXPECT_GT(covered, 1850);
  EXPECT_LT(covered, 1950);
}

// Two candidates that vary a lot from seed to seed, always in the same way: their own intervals overlap, but one is
// better on every seed.
TEST(comparison, a_small_but_constant_advantage_wins) {
  filch::random_stream random{1};
  std::vector<std::vector<double>> values(2);
  for (int seed = 0; seed != 30; ++seed) {
    const double base = random.uniform(10, 20);
    values[0].push_back(base + 0.1 + random.uniform(0, 0.01));
    values[1].push_back(base);
  }
  const auto found = compare_paired(values);
  EXPECT_EQ(found[1].how, standing::winner);
  EXPECT_EQ(found[0].how, standing::beaten);
  EXPECT_NEAR(found[0].difference, 0.105, 0.005);
}

TEST(comparison, equals_have_no_winner) {
  const std::vector<std::vector<double>> values{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
  for (const comparison& each : compare_paired(values)) EXPECT_EQ(each.how, standing::among_best);
}

TEST(comparison, one_seed_proves_nothing) {
  const std::vector<std::vector<double>> values{{1}, {2}};
  for (const comparison& each : compare_paired(values)) EXPECT_EQ(each.how, standing::among_best);
}

TEST(comparison, a_winner_must_beat_every_other) {
  const std::vector<std::vector<double>> values{{1.0, 2.0, 3.0, 4.0}, {1.1, 1.9, 3.1, 4.0}, {5.0, 6.1, 7.0, 8.2}};
  const auto found = compare_paired(values);
  EXPECT_EQ(found[0].how, standing::among_best);
  EXPECT_EQ(found[1].how, standing::among_best);
  EXPECT_EQ(found[2].how, standing::beaten);
}

// Six candidates that are equal but for noise: a winner may be named in about one of twenty comparisons at most.
TEST(comparison, noise_is_seldom_called_a_winner) {
  filch::random_stream random{1};
  int winners = 0;
  for (int trial = 0; trial != 400; ++trial) {
    std::vector<std::vector<double>> values(6);
    for (auto& each : values) {
      for (int seed = 0; seed != 20; ++seed) each.push_back(random.uniform(0, 1));
    }
    for (const comparison& each : compare_paired(values)) winners += each.how == standing::winner ? 1 : 0;
  }
  EXPECT_LE(winners, 30);
}

}  // namespace
