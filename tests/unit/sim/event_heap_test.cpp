#include <filch/sim/event_heap.hpp>

#include <support/test_seed.hpp>

#include <filch/base/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace {

using namespace filch;

using heap = sim::event_heap<int>;

TEST(event_heap, gives_events_by_time_then_urgency_then_order_of_scheduling) {
  heap pending;
  pending.push(20, 1);
  pending.push(10, 2, sim::urgency::late);
  pending.push(10, 3);
  pending.push(10, 4);
  pending.push(10, 5, sim::urgency::urgent);
  pending.push(0, 6, sim::urgency::late);
  std::vector<int> order;
  while (!pending.is_empty()) order.push_back(pending.take().what);
  EXPECT_EQ(order, (std::vector<int>{6, 5, 3, 4, 2, 1}));
}

TEST(event_heap, every_event_has_a_ticket_of_its_own) {
  heap pending;
  const auto first = pending.push(5, 0);
  const auto second = pending.push(5, 0);
  EXPECT_NE(first, second);
  EXPECT_NE(first, sim::k_no_ticket);
  EXPECT_EQ(pending.take().ticket, first);
  EXPECT_EQ(pending.take().ticket, second);
}

TEST(event_heap, a_taken_event_no_longer_counts_whether_its_place_was_filled_or_not) {
  heap pending;
  for (int i = 0; i != 6; ++i) pending.push(i, i);
  EXPECT_EQ(pending.take().what, 0);
  EXPECT_EQ(pending.size(), 5u);
  pending.push(100, 6);
  EXPECT_EQ(pending.size(), 6u);
  EXPECT_EQ(pending.take().what, 1);
  EXPECT_EQ(pending.top().what, 2);
  EXPECT_EQ(pending.size(), 5u);
  while (pending.size() > 1) pending.take();
  EXPECT_EQ(pending.take().what, 6);
  EXPECT_TRUE(pending.is_empty());
  pending.push(1, 7);
  EXPECT_EQ(pending.take().what, 7);
}

// Against a sorted list: pushes and takes in random order give the same events.
TEST(event_heap, agrees_with_a_sorted_list) {
  random_stream random{filch_test::test_seed()};
  for (int round = 0; round != 50; ++round) {
    heap pending;
    std::vector<std::tuple<time_ns, int, int>> model;
    const auto bound = 1 + random.below(30);
    for (int i = 0; i != 2000; ++i) {
      if (model.empty() || random.below(100) < 52) {
        const auto at = static_cast<time_ns>(random.below(bound));
        const auto how = static_cast<int>(random.below(3));
        pending.push(at, i, static_cast<sim::urgency>(how));
        model.emplace_back(at, how, i);
      } else {
        const auto least = std::ranges::min_element(model);
        const auto got = pending.take();
        ASSERT_EQ(got.what, std::get<2>(*least));
        ASSERT_EQ(got.at_ns, std::get<0>(*least));
        model.erase(least);
      }
      ASSERT_EQ(pending.size(), model.size());
      ASSERT_EQ(pending.is_empty(), model.empty());
    }
  }
}

}  // namespace
