// Fairness towards the injector, and the bands of priority.
#include <filch/policy/search.hpp>

#include "helpers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace {

using namespace filch;
using namespace filch::policy;
using check::always_empty;
using check::fake_view;
using check::found_in;
using check::make_search;
using check::steps;

using texts = std::vector<std::string>;

// A body whose queues never run dry where `full` says so. Runs `tasks` searches and counts what each band of each
// source gave.
std::map<std::string, int> picks(search& subject, const fake_view& view, const texts& full, int tasks) {
  std::map<std::string, int> out;
  for (int i = 0; i != tasks; ++i) {
    subject.begin();
    const auto list = steps(subject, view, [&](const step& s) {
      return std::ranges::find(full, check::text(s)) != full.end() ? outcome::found : outcome::empty;
    });
    ++out[list.back()];
  }
  return out;
}

TEST(fairness, the_injector_comes_first_in_every_61st_search) {
  auto subject = make_search({}, 0, 4);
  for (int i = 1; i <= 610; ++i) {
    subject.begin();
    const auto list = steps(subject, fake_view{}, always_empty, 3);
    EXPECT_EQ(list, i % 61 == 0 ? (texts{"injector", "local", "inbox"}) : (texts{"inbox", "local", "injector"})) << i;
  }
}

TEST(fairness, an_injected_task_starts_within_61_tasks_of_a_busy_worker) {
  auto subject = make_search({}, 0, 4);
  EXPECT_EQ(picks(subject, fake_view{}, {"local", "injector"}, 6100),
            (std::map<std::string, int>{{"local", 6000}, {"injector", 100}}));
}

TEST(fairness, the_interval_can_be_chosen) {
  auto every_third = make_search({.fairness_interval = 3}, 0, 4);
  EXPECT_EQ(picks(every_third, fake_view{}, {"local", "injector"}, 300)["injector"], 100);
  auto always = make_search({.fairness_interval = 1}, 0, 4);
  EXPECT_EQ(picks(always, fake_view{}, {"local", "injector"}, 300)["injector"], 300);
}

TEST(fairness, a_flooded_inbox_does_not_keep_the_worker_from_its_own_queue) {
  auto subject = make_search({}, 0, 4);
  EXPECT_EQ(picks(subject, fake_view{}, {"inbox", "local"}, 6100)["local"], 100);
}

TEST(bands, only_normal_is_looked_at_while_no_other_is_in_use) {
  auto subject = make_search({.victims = victims::round_robin, .idle = idle::eco}, 0, 2);
  for (int i = 0; i != 200; ++i) {
    subject.begin();
    EXPECT_EQ(steps(subject, fake_view{}, always_empty).size(), 5u);
  }
}

TEST(bands, all_three_are_looked_at_from_high_to_low_at_each_place) {
  auto subject =
      make_search({.victims = victims::round_robin, .idle = {.initial_ns = 10, .cap_ns = 10, .cycles = 2}}, 0, 3);
  subject.begin();
  EXPECT_EQ(steps(subject, fake_view{{}, true}, always_empty),
            (texts{"inbox:high", "local:high",   "injector:high",                                   //
                   "inbox",      "local",        "injector",                                        //
                   "inbox:low",  "local:low",    "injector:low",                                    //
                   "v1:high",    "v1",           "v1:low",        "v2:high", "v2",       "v2:low",  //
                   "wait 10",    "inbox:high",   "injector:high", "inbox",   "injector",            //
                   "inbox:low",  "injector:low",                                                    //
                   "v1:high",    "v1",           "v1:low",        "v2:high", "v2",       "v2:low",  //
                   "park"}));
  EXPECT_EQ(subject.counters().attempts, 4u);  // a visit counts once, whatever the number of bands
  EXPECT_EQ(subject.counters().failures, 4u);
}

TEST(bands, a_lost_race_is_retried_in_its_band_and_once_per_visit) {
  auto subject = make_search({.victims = victims::round_robin, .idle = idle::eco}, 0, 2);
  subject.begin();
  const auto list = steps(subject, fake_view{{}, true}, [](const step& s) {
    return s.kind == step_kind::victim && s.band != priority::high ? outcome::lost : outcome::empty;
  });
  EXPECT_EQ((texts{list.begin() + 9, list.end()}), (texts{"v1:high", "v1", "v1", "v1:low", "park"}));
}

TEST(bands, that_come_into_use_during_the_own_phase_are_seen_at_the_victims) {
  auto subject = make_search({.victims = victims::round_robin, .idle = idle::eco}, 0, 2);
  fake_view view;
  subject.begin();
  EXPECT_EQ(steps(subject, view, always_empty, 3), (texts{"inbox", "local", "injector"}));
  view.banded = true;
  EXPECT_EQ(steps(subject, view, always_empty), (texts{"v1:high", "v1", "v1:low", "park"}));
}

TEST(bands, a_search_keeps_its_order_of_bands_when_it_is_woken) {
  auto subject = make_search({.victims = victims::round_robin, .idle = idle::eco, .starvation_interval = 2}, 0, 2);
  const fake_view view{{}, true};
  subject.begin();
  steps(subject, view, always_empty);
  subject.woken();
  EXPECT_EQ(steps(subject, view, always_empty, 2), (texts{"inbox:high", "injector:high"}));
  subject.begin();
  EXPECT_EQ(steps(subject, view, always_empty).front(), "inbox:low");
  subject.woken();
  EXPECT_EQ(steps(subject, view, always_empty, 2), (texts{"inbox:low", "injector:low"}));
}

TEST(bands, that_come_into_use_during_a_search_are_seen_in_its_next_cycle) {
  auto subject =
      make_search({.victims = victims::round_robin, .idle = {.initial_ns = 10, .cap_ns = 10, .cycles = 2}}, 0, 1);
  fake_view view;
  subject.begin();
  EXPECT_EQ(steps(subject, view, always_empty, 4), (texts{"inbox", "local", "injector", "wait 10"}));
  view.banded = true;
  EXPECT_EQ(steps(subject, view, always_empty),
            (texts{"inbox:high", "injector:high", "inbox", "injector", "inbox:low", "injector:low", "park"}));
  subject.woken();
  EXPECT_EQ(steps(subject, view, always_empty, 2), (texts{"inbox:high", "injector:high"}));
}

TEST(bands, high_is_strict_except_for_the_share_of_the_lower_ones) {
  auto subject = make_search({}, 0, 2);
  EXPECT_EQ(picks(subject, fake_view{{}, true}, {"local:high", "local", "local:low"}, 1600),
            (std::map<std::string, int>{{"local:high", 1500}, {"local", 50}, {"local:low", 50}}));
}

TEST(bands, a_starving_low_band_alone_gets_the_whole_share) {
  auto subject = make_search({}, 0, 2);
  EXPECT_EQ(picks(subject, fake_view{{}, true}, {"local:high", "local:low"}, 1600)["local:low"], 100);
}

TEST(bands, a_share_of_zero_is_strict_priority) {
  auto subject = make_search({.starvation_interval = 0}, 0, 2);
  EXPECT_EQ(picks(subject, fake_view{{}, true}, {"local:high", "local", "local:low"}, 1600)["local:high"], 1600);
}

// Whatever the intervals, and when fair and starvation turns always fall together: with every queue full, each band of
// own queue and injector is served.
TEST(bands, no_queue_starves_when_all_are_flooded) {
  const texts full{"local:high", "injector:high", "local", "injector", "local:low", "injector:low"};
  for (const std::uint32_t fairness : {1u, 2u, 16u, 61u}) {
    for (const std::uint32_t starvation : {2u, 16u, 61u}) {
      auto subject = make_search({.fairness_interval = fairness, .starvation_interval = starvation}, 0, 2);
      const int tasks = static_cast<int>(4 * starvation * 100);
      auto count = picks(subject, fake_view{{}, true}, full, tasks);
      for (const auto& queue : {"local", "local:low", "injector", "injector:low"}) {
        EXPECT_GE(count[queue], 98) << queue << " with intervals " << fairness << " and " << starvation;
      }
      EXPECT_GT(count["injector:high"], 0) << fairness << " and " << starvation;
      if (fairness > 2) {
        EXPECT_GT(count["local:high"], 0) << fairness << " and " << starvation;
      }
    }
  }
}

TEST(bands, the_injector_stays_within_its_interval_of_61_while_bands_are_in_use) {
  auto subject = make_search({}, 0, 2);
  int since = 0;
  for (int i = 0; i != 20'000; ++i) {
    subject.begin();
    const auto list = steps(subject, fake_view{{}, true}, always_empty, 1);
    since = list.front() == "injector:high" ? 0 : since + 1;
    ASSERT_LT(since, 61);
  }
}

TEST(bands, thieves_look_at_the_lower_band_first_on_a_starvation_turn) {
  auto subject = make_search({.victims = victims::round_robin, .idle = idle::eco}, 0, 2);
  std::map<std::string, int> first_visits;
  for (int i = 0; i != 64; ++i) {
    subject.begin();
    ++first_visits[steps(subject, fake_view{{}, true}, found_in(step_kind::victim)).back()];
  }
  EXPECT_EQ(first_visits, (std::map<std::string, int>{{"v1:high", 60}, {"v1", 2}, {"v1:low", 2}}));
}

}  // namespace
