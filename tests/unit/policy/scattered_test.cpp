#include <filch/policy/scattered.hpp>

#include "helpers.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace filch;
using policy::scattered_order;

TEST(scattered_order, gives_every_number_below_the_count_exactly_once) {
  random_stream random{policy::check::test_seed()};
  for (const std::uint32_t count : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 255u, 256u, 257u, 1000u, 65'533u}) {
    scattered_order order{count};
    for (int round = 0; round != 3; ++round) {
      order.start(random);
      std::vector<bool> seen(count);
      for (std::uint32_t i = 0; i != count; ++i) {
        const std::uint32_t drawn = order.next();
        ASSERT_LT(drawn, count);
        ASSERT_FALSE(seen[drawn]) << drawn << " of " << count;
        seen[drawn] = true;
      }
    }
  }
}

TEST(scattered_order, every_number_is_equally_likely_at_each_of_the_first_places) {
  random_stream random{policy::check::test_seed()};
  for (const std::uint32_t count : {50u, 64u, 300u}) {
    scattered_order order{count};
    std::vector<std::vector<std::uint64_t>> seen(4, std::vector<std::uint64_t>(count));
    for (std::uint32_t i = 0; i != 1000 * count; ++i) {
      order.start(random);
      for (auto& place : seen) ++place[order.next()];
    }
    // p = 0.0001 in the normal approximation
    const double most = (count - 1) + 3.9 * std::sqrt(2.0 * (count - 1));
    for (const auto& place : seen) EXPECT_LT(policy::check::chi_squared(place), most) << count;
  }
}

// Differences of two that follow each other: a stride that is kept would show as one difference all along an order, and
// a bad scatter as differences that are likelier than others over many orders.
TEST(scattered_order, neighbours_show_no_pattern) {
  random_stream random{policy::check::test_seed()};
  constexpr std::uint32_t k_count = 300;
  scattered_order order{k_count};
  std::vector<std::uint64_t> seen(k_count - 1);
  std::uint64_t repeated = 0;
  constexpr int k_orders = 20'000;
  for (int i = 0; i != k_orders; ++i) {
    order.start(random);
    const std::uint32_t first = order.next();
    const std::uint32_t second = order.next();
    const std::uint32_t third = order.next();
    const std::uint32_t difference = (second + k_count - first) % k_count;
    ++seen[difference - 1];
    if ((third + k_count - second) % k_count == difference) ++repeated;
  }
  EXPECT_LT(policy::check::chi_squared(seen), 298 + 3.9 * std::sqrt(2.0 * 298) + 60);
  EXPECT_LT(repeated, 4u * k_orders / k_count);
}

TEST(scattered_order, the_same_random_bits_give_the_same_order) {
  random_stream random{7};
  scattered_order a{1000};
  scattered_order b{1000};
  a.start(random);
  random_stream again{7};
  b.start(again);
  for (int i = 0; i != 1000; ++i) ASSERT_EQ(a.next(), b.next());
  EXPECT_EQ(random, again);
}

}  // namespace
