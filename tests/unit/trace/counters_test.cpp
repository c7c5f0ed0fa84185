#include <filch/trace/counters.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <thread>

namespace {

using namespace filch::trace;

TEST(counters, a_snapshot_shows_what_was_added) {
  counters<> c;
  c.add(count::executed);
  c.add(count::executed, 4);
  c.add(count::search_ns, 1'000);
  c.robbed(3);
  const count_values values = c.snapshot();
  EXPECT_EQ(values[count::executed], 5u);
  EXPECT_EQ(values[count::search_ns], 1'000u);
  EXPECT_EQ(values[count::stolen_from_me], 3u);
  EXPECT_EQ(values[count::parks], 0u);
}

TEST(counters, the_sum_of_two_workers_adds_all_but_takes_the_longer_queue) {
  counters<> a, b;
  a.add(count::spawned, 2), b.add(count::spawned, 3);
  a.raise(count::queue_max, 7), a.raise(count::queue_max, 5), b.raise(count::queue_max, 6);
  const count_values sum = a.snapshot() + b.snapshot();
  EXPECT_EQ(sum[count::spawned], 5u);
  EXPECT_EQ(sum[count::queue_max], 7u);
}

TEST(counters, every_count_has_a_name_of_its_own) {
  std::set<std::string> names;
  for (std::size_t i = 0; i != k_count_kinds; ++i) names.insert(name_of(static_cast<count>(i)));
  EXPECT_EQ(names.size(), k_count_kinds);
  EXPECT_STREQ(name_of(count::queue_max), "queue_max");
  EXPECT_STREQ(name_of(count::steal_attempts), "steal_attempts");
}

// Property: counts are exact once their writers have stopped. Oracle: the numbers of calls. One owner, two thieves and
// a reader at once.
TEST(counters, nothing_is_lost_between_an_owner_thieves_and_a_reader) {
  constexpr std::uint64_t k_rounds = 20'000;
  counters<> c;
  std::thread owner{[&] {
    for (std::uint64_t i = 0; i != k_rounds; ++i) c.add(count::executed);
  }};
  const auto rob = [&] {
    for (std::uint64_t i = 0; i != k_rounds; ++i) c.robbed(2);
  };
  std::thread first{rob}, second{rob};
  std::uint64_t seen = 0;
  while (seen != k_rounds) {
    const std::uint64_t now = c.snapshot()[count::executed];
    EXPECT_GE(now, seen);
    seen = now;
  }
  owner.join(), first.join(), second.join();
  EXPECT_EQ(c.snapshot()[count::stolen_from_me], 4 * k_rounds);
}

}  // namespace
