#include <filch/sim/event_lanes.hpp>

#include <support/test_seed.hpp>

#include <filch/base/random.hpp>

#include <gtest/gtest.h>

namespace {

using namespace filch;

using lanes = sim::event_lanes<std::uint32_t>;

// Property: the order of the heap. Oracle: a heap that gets the same events; method: random delays, of which more or
// fewer are of a few kinds.
TEST(event_lanes, events_come_in_the_order_of_a_heap) {
  random_stream random{filch_test::test_seed()};
  for (int round = 0; round != 200; ++round) {
    lanes pending;
    sim::event_heap<std::uint32_t> oracle;
    const std::uint64_t kinds = 1 + random.below(12);
    const std::uint64_t irregular = random.below(100);
    time_ns now_ns = 0;
    for (std::uint32_t i = 0; i != 3000; ++i) {
      if (oracle.is_empty() || random.below(100) < 52) {
        const auto delay = static_cast<time_ns>(
            random.below(100) < irregular ? random.below(1000) : 50 * random.below(kinds) * random.below(kinds));
        const sim::ticket given = pending.push(now_ns + delay, i);
        ASSERT_EQ(given, oracle.push(now_ns + delay, i));
      } else {
        const auto wanted = oracle.take();
        ASSERT_EQ(pending.top().what, wanted.what);
        const auto got = pending.take_top();
        ASSERT_EQ(got.what, wanted.what);
        ASSERT_EQ(got.at_ns, wanted.at_ns);
        ASSERT_EQ(got.ticket, wanted.ticket);
        now_ns = got.at_ns;
      }
      ASSERT_EQ(pending.size(), oracle.size());
      ASSERT_EQ(pending.is_empty(), oracle.is_empty());
    }
  }
}

// A heap's cost grows with the number of events; what never gets there costs the same for any number.
TEST(event_lanes, a_few_delays_need_no_heap_however_many_events_are_pending) {
  for (const std::uint32_t workers : {64u, 65'536u}) {
    random_stream random{3};
    lanes pending;
    for (std::uint32_t w = 0; w != workers; ++w) pending.push(0, w);
    constexpr time_ns k_delays[] = {500, 2000, 10'000};
    for (std::uint32_t i = 0; i != 20 * workers; ++i) {
      const time_ns now_ns = pending.top().at_ns;
      const std::uint32_t who = pending.take_top().what;
      pending.push(now_ns + k_delays[random.below(3)], who);
    }
    EXPECT_EQ(pending.in_heap(), 0u);
    EXPECT_EQ(pending.size(), workers);
  }
}

}  // namespace
