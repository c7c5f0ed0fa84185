// The timer wheel on a clock that the tests turn, against std::multimap.
#include "time/timer_wheel.hpp"

#include <filch/base/random.hpp>

#include "support/test_seed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

namespace {

using filch::k_never_ns;
using filch::time_ns;

struct node {
  time_ns at_ns = 0;
  node* next = nullptr;
  node** link = nullptr;
  std::multimap<time_ns, node*>::iterator place{};
};
using wheel = filch::time::timer_wheel<node>;

std::vector<node*> take(wheel& from, time_ns now_ns, std::size_t at_most = SIZE_MAX) {
  std::vector<node*> taken;
  for (node* each = from.take_due(now_ns, at_most); each != nullptr; each = each->next) taken.push_back(each);
  return taken;
}

TEST(timer_wheel, an_empty_wheel_has_nothing_and_never_will) {
  wheel w;
  EXPECT_EQ(w.size(), 0u);
  EXPECT_EQ(w.earliest_ns(), k_never_ns);
  EXPECT_TRUE(take(w, 1'000'000).empty());
}

TEST(timer_wheel, a_timer_is_due_at_the_first_tick_that_is_not_before_its_time) {
  for (const time_ns at_ns : {time_ns{0}, time_ns{1}, time_ns{1024}, time_ns{1025}, time_ns{123'456'789'012}}) {
    const time_ns due_ns = wheel::due_ns(at_ns);
    EXPECT_GE(due_ns, at_ns);
    EXPECT_LT(due_ns - at_ns, 1024);
    wheel w;
    node one{.at_ns = at_ns};
    w.insert(one);
    EXPECT_EQ(w.earliest_ns(), due_ns);
    if (due_ns != 0) {
      EXPECT_TRUE(take(w, due_ns - 1).empty());
    }
    EXPECT_EQ(take(w, due_ns), std::vector{&one});
    EXPECT_EQ(w.size(), 0u);
  }
}

TEST(timer_wheel, times_that_have_passed_are_due_at_once) {
  wheel w;
  EXPECT_TRUE(take(w, 5'000'000'000).empty());
  node old{.at_ns = 17};
  node negative{.at_ns = -1};
  w.insert(old);
  w.insert(negative);
  EXPECT_LE(w.earliest_ns(), 5'000'000'000);
  EXPECT_EQ(take(w, 5'000'000'000).size(), 2u);
}

TEST(timer_wheel, a_timer_that_is_never_due_waits_and_can_be_removed) {
  wheel w;
  node never{.at_ns = k_never_ns};
  w.insert(never);
  EXPECT_TRUE(take(w, k_never_ns / 2).empty());
  EXPECT_GT(w.earliest_ns(), k_never_ns / 2);
  w.remove(never);
  EXPECT_EQ(w.earliest_ns(), k_never_ns);
  w.insert(never);
  EXPECT_EQ(w.take_all(), &never);
}

TEST(timer_wheel, so_many_at_once_and_the_rest_the_next_time) {
  wheel w;
  std::vector<node> some(10, node{.at_ns = 4096});
  for (node& each : some) w.insert(each);
  EXPECT_EQ(take(w, 1'000'000, 4).size(), 4u);
  EXPECT_LE(w.earliest_ns(), 4096);
  EXPECT_EQ(take(w, 1'000'000, 4).size(), 4u);
  EXPECT_EQ(take(w, 1'000'000, 4).size(), 2u);
  EXPECT_EQ(w.earliest_ns(), k_never_ns);
}

TEST(timer_wheel, a_lone_timer_far_away_has_its_own_deadline) {
  wheel w;
  node far{.at_ns = 3'600'000'000'000};
  w.insert(far);
  EXPECT_EQ(w.earliest_ns(), wheel::due_ns(far.at_ns));
}

// Property: what is taken out is what is due, earlier ticks first; the earliest deadline is never too late. Oracle: a
// std::multimap by the time each is due. Method: random insertions, removals and steps of the clock, of every
// magnitude.
TEST(timer_wheel, random_use_agrees_with_a_multimap) {
  filch::random_stream random{filch_test::test_seed()};
  for (int round = 0; round != 20; ++round) {
    wheel w;
    std::multimap<time_ns, node*> oracle;
    std::vector<std::unique_ptr<node>> all;
    std::vector<node*> in;
    time_ns now_ns = static_cast<time_ns>(random.below(1'000'000'000));
    const auto any_span = [&] {
      return static_cast<time_ns>(random.below(std::uint64_t{1} << (1 + random.below(45))));
    };
    for (int step = 0; step != 2000; ++step) {
      switch (random.below(4)) {
        case 0:
        case 1: {
          auto& made = all.emplace_back(std::make_unique<node>());
          made->at_ns = now_ns + any_span() - 1000;
          w.insert(*made);
          made->place = oracle.emplace(wheel::due_ns(made->at_ns), made.get());
          in.push_back(made.get());
          break;
        }
        case 2: {
          if (in.empty()) break;
          std::swap(in[random.below(in.size())], in.back());
          node& removed = *in.back();
          in.pop_back();
          w.remove(removed);
          oracle.erase(removed.place);
          break;
        }
        default: {
          now_ns += any_span() >> random.below(20);
          const std::size_t at_most = random.below(3) == 0 ? random.below(5) : SIZE_MAX;
          const std::vector<node*> taken = take(w, now_ns, at_most);
          const auto due =
              static_cast<std::size_t>(std::distance(oracle.begin(), oracle.upper_bound(now_ns - now_ns % 1024)));
          ASSERT_EQ(taken.size(), std::min(due, at_most));
          for (node* each : taken) {
            ASSERT_LE(each->place->first, now_ns);
            oracle.erase(each->place);
            std::erase(in, each);
          }
        }
      }
      ASSERT_EQ(w.size(), oracle.size());
      const time_ns earliest_ns = oracle.empty() ? k_never_ns : oracle.begin()->first;
      ASSERT_LE(w.earliest_ns(), std::max(earliest_ns, now_ns));
      ASSERT_EQ(w.earliest_ns() == k_never_ns, oracle.empty());
    }
  }
}

// Where the clock never jumps over a timer, the order is that of the ticks.
TEST(timer_wheel, timers_come_in_the_order_of_their_ticks) {
  filch::random_stream random{filch_test::test_seed()};
  wheel w;
  std::vector<node> some(3000);
  for (node& each : some) {
    each.at_ns = static_cast<time_ns>(random.below(std::uint64_t{1} << (10 + random.below(30))));
    w.insert(each);
  }
  const std::vector<node*> taken = take(w, time_ns{1} << 41);
  ASSERT_EQ(taken.size(), some.size());
  for (std::size_t i = 1; i != taken.size(); ++i) {
    EXPECT_LE(wheel::due_ns(taken[i - 1]->at_ns), wheel::due_ns(taken[i]->at_ns));
  }
}

}  // namespace
