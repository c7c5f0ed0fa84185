#include <filch/trace/clock.hpp>

#include <gtest/gtest.h>

namespace {

using namespace filch::trace;

TEST(tick_line, the_two_anchors_map_to_their_own_times_and_what_lies_between_to_between) {
  const tick_line line{{1'000, 500}, {3'000, 1'500}};
  EXPECT_EQ(line.since_first_ns(1'000), 0);
  EXPECT_EQ(line.since_first_ns(2'000), 500);
  EXPECT_EQ(line.since_first_ns(3'000), 1'000);
  EXPECT_EQ(line.since_first_ns(0), -500);
}

TEST(tick_line, a_line_from_one_moment_only_still_gives_a_time) {
  const tick_line line{{1'000, 500}, {1'000, 500}};
  EXPECT_EQ(line.since_first_ns(1'000), 0);
  EXPECT_EQ(line.since_first_ns(1'010), 10);
}

TEST(tick_line, spans_of_days_do_not_overflow) {
  const std::int64_t days_ns = 100 * 86'400 * filch::k_ns_per_s;
  const tick_line line{{0, 0}, {3 * days_ns, days_ns}};
  EXPECT_EQ(line.since_first_ns(3 * days_ns), days_ns);
}

TEST(tick_line, names_its_clock) {
  const tick_line line{{0, 0}, {5'000, 2'000}};
  EXPECT_EQ(line.describe(clock_source::tsc), "tsc at 2.500 GHz");
  EXPECT_EQ(line.describe(clock_source::monotonic), "monotonic");
}

TEST(clock, an_anchor_lies_between_the_readings_around_it) {
  for (const clock_source source : {clock_source::monotonic, best_clock_source()}) {
    const auto before_ns = filch::monotonic_now_ns();
    const auto before_ticks = now_ticks(source);
    const clock_anchor anchor = take_anchor(source);
    EXPECT_LE(before_ns, anchor.monotonic_ns);
    EXPECT_LE(anchor.monotonic_ns, filch::monotonic_now_ns());
    EXPECT_LE(before_ticks, anchor.ticks);
    EXPECT_LE(anchor.ticks, now_ticks(source));
  }
}

TEST(clock, the_monotonic_clock_is_always_there_and_the_best_one_too) {
  EXPECT_TRUE(is_supported(clock_source::monotonic));
  EXPECT_TRUE(is_supported(best_clock_source()));
}

}  // namespace
