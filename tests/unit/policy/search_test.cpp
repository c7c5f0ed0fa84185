#include <filch/policy/search.hpp>

#include "helpers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

using namespace filch;
using namespace filch::policy;
using check::always_empty;
using check::fake_view;
using check::found_in;
using check::make_search;
using check::steps;

using texts = std::vector<std::string>;

constexpr search_options k_round_robin{.victims = victims::round_robin};

TEST(search, looks_at_inbox_local_injector_and_then_at_the_victims) {
  auto subject = make_search({.victims = victims::round_robin, .idle = idle::eco}, 1, 4);
  subject.begin();
  EXPECT_EQ(steps(subject, fake_view{}, always_empty), (texts{"inbox", "local", "injector", "v2", "v3", "v0", "park"}));
}

TEST(search, ends_where_something_is_found_and_begins_anew) {
  auto subject = make_search(k_round_robin, 0, 3);
  for (int i = 0; i != 3; ++i) {
    subject.begin();
    EXPECT_EQ(steps(subject, fake_view{}, found_in(step_kind::local)), (texts{"inbox", "local"}));
  }
  subject.begin();
  EXPECT_EQ(steps(subject, fake_view{}, found_in(step_kind::victim)), (texts{"inbox", "local", "injector", "v1"}));
  subject.begin();
  EXPECT_EQ(steps(subject, fake_view{}, found_in(step_kind::inbox)), (texts{"inbox"}));
}

TEST(search, waits_between_cycles_with_growing_waits_and_then_parks) {
  auto subject = make_search(
      {.victims = victims::round_robin, .idle = {.initial_ns = 100, .factor = 3, .cap_ns = 500, .cycles = 4}}, 0, 2);
  subject.begin();
  EXPECT_EQ(steps(subject, fake_view{}, always_empty),
            (texts{"inbox", "local", "injector", "v1", "wait 100", "inbox", "injector", "v1", "wait 300", "inbox",
                   "injector", "v1", "wait 500", "inbox", "injector", "v1", "park"}));
}

TEST(search, the_wait_and_the_cycles_start_again_with_every_search) {
  auto subject = make_search(
      {.victims = victims::round_robin, .idle = {.initial_ns = 100, .factor = 2, .cap_ns = 800, .cycles = 3}}, 0, 2);
  subject.begin();
  const auto whole = steps(subject, fake_view{}, always_empty);
  for (std::size_t limit = 1; limit <= whole.size(); ++limit) {  // broken off anywhere
    subject.begin();
    steps(subject, fake_view{}, always_empty, limit);
    subject.begin();
    EXPECT_EQ(steps(subject, fake_view{}, always_empty), whole) << limit;
  }
}

TEST(search, a_woken_worker_skips_its_own_queue_and_has_the_whole_idle_bound_again) {
  auto subject = make_search(
      {.victims = victims::round_robin, .idle = {.initial_ns = 100, .factor = 2, .cap_ns = 800, .cycles = 3}}, 0, 2);
  subject.begin();
  steps(subject, fake_view{}, always_empty);
  EXPECT_EQ(check::text(subject.next(fake_view{})), "park");  // it sleeps until woken() or begin()
  for (int i = 0; i != 2; ++i) {
    subject.woken();
    EXPECT_EQ(steps(subject, fake_view{}, always_empty),
              (texts{"inbox", "injector", "v1", "wait 100", "inbox", "injector", "v1", "wait 200", "inbox", "injector",
                     "v1", "park"}));
  }
}

TEST(search, the_presets_park_after_their_cycles) {
  const std::pair<idle, std::size_t> k_waits[] = {{idle::eco, 0}, {idle::balanced, 1}, {idle::latency, 29}};
  for (const auto& [preset, waits] : k_waits) {
    auto subject = make_search({.idle = preset}, 0, 4);
    subject.begin();
    const auto list = steps(subject, fake_view{}, always_empty, 10'000);
    EXPECT_EQ(list.back(), "park");
    EXPECT_EQ(subject.counters().waits, waits);
    EXPECT_EQ(subject.counters().waited_ns, total_wait_ns(preset));
  }
}

// A theft, and work of other kinds: only the first lets it linger, and once.
TEST(search, lingers_when_it_parks_after_a_theft) {
  auto subject = make_search({.idle = {.linger_ns = 70}}, 0, 2);
  const auto parks_for = [&] {
    for (subject.begin();;) {
      const step s = subject.next(fake_view{});
      if (s.kind == step_kind::park) return s.wait_ns;
      subject.report(outcome::empty);
    }
  };
  EXPECT_EQ(parks_for(), 0);
  subject.woken();
  (void)steps(subject, fake_view{}, found_in(step_kind::injector));
  EXPECT_EQ(parks_for(), 0);
  subject.woken();
  (void)steps(subject, fake_view{}, found_in(step_kind::victim));
  EXPECT_EQ(parks_for(), 70);
  subject.woken();
  EXPECT_EQ(parks_for(), 0);
}

TEST(search, polling_never_parks) {
  auto subject = make_search({.victims = victims::round_robin, .idle = idle::poll(7)}, 0, 2);
  subject.begin();
  const auto list = steps(subject, fake_view{}, always_empty, 4'000);
  EXPECT_EQ(std::ranges::count(list, "park"), 0);
  EXPECT_EQ(std::ranges::count(list, "wait 7"), 1000 - 1);
}

TEST(search, one_worker_has_no_victims) {
  for (const victims how : {victims::random, victims::random_probe, victims::round_robin, victims::largest,
                            victims::best_of_two, victims::nearest, victims::last_victim}) {
    auto subject = make_search(
        {.victims = how, .idle = {.attempts_per_cycle = 5, .initial_ns = 10, .cap_ns = 10, .cycles = 2}}, 0, 1);
    subject.begin();
    EXPECT_EQ(steps(subject, fake_view{}, always_empty),
              (texts{"inbox", "local", "injector", "wait 10", "inbox", "injector", "park"}));
    EXPECT_EQ(subject.counters().attempts, 0u);
  }
}

TEST(search, two_workers_visit_each_other_under_every_policy) {
  for (const victims how : {victims::random, victims::random_probe, victims::round_robin, victims::largest,
                            victims::best_of_two, victims::nearest, victims::last_victim}) {
    for (const std::uint32_t self : {0u, 1u}) {
      auto subject = make_search({.victims = how, .idle = idle::eco}, self, 2);
      subject.begin();
      EXPECT_EQ(steps(subject, fake_view{}, always_empty),
                (texts{"inbox", "local", "injector", std::string{"v"}.append(std::to_string(1 - self)), "park"}));
    }
  }
}

TEST(search, the_attempts_per_cycle_bound_the_visits_from_below_and_above_one_sweep) {
  for (const std::uint32_t attempts : {1u, 2u, 3u, 7u}) {
    auto subject = make_search({.victims = victims::round_robin, .idle = {.attempts_per_cycle = attempts}}, 0, 4);
    subject.begin();
    EXPECT_EQ(steps(subject, fake_view{}, always_empty).size(), 3 + attempts + 1);
    EXPECT_EQ(subject.counters().attempts, attempts);
  }
}

TEST(search, a_lost_race_is_retried_once_with_the_same_victim) {
  auto subject = make_search({.victims = victims::round_robin, .idle = idle::eco}, 0, 3);
  subject.begin();
  const auto always_lost = [](const step& s) { return s.kind == step_kind::victim ? outcome::lost : outcome::empty; };
  EXPECT_EQ(steps(subject, fake_view{}, always_lost),
            (texts{"inbox", "local", "injector", "v1", "v1", "v2", "v2", "park"}));
  EXPECT_EQ(subject.counters().attempts, 2u);
  EXPECT_EQ(subject.counters().failures, 2u);
  EXPECT_EQ(subject.counters().lost, 4u);
}

TEST(search, a_lost_race_is_not_retried_when_switched_off) {
  auto subject = make_search({.victims = victims::round_robin, .idle = idle::eco, .retry_lost = false}, 0, 3);
  subject.begin();
  const auto always_lost = [](const step& s) { return s.kind == step_kind::victim ? outcome::lost : outcome::empty; };
  EXPECT_EQ(steps(subject, fake_view{}, always_lost), (texts{"inbox", "local", "injector", "v1", "v2", "park"}));
  EXPECT_EQ(subject.counters().lost, 2u);
}

TEST(search, counts_what_it_decides) {
  auto subject = make_search(
      {.victims = victims::round_robin, .idle = {.initial_ns = 100, .factor = 2, .cap_ns = 800, .cycles = 3}}, 0, 4);
  subject.begin();
  steps(subject, fake_view{}, always_empty);
  subject.begin();
  steps(subject, fake_view{}, found_in(step_kind::victim));
  EXPECT_EQ(subject.counters(), (search_counters{.attempts = 10,
                                                 .successes = 1,
                                                 .failures = 9,
                                                 .lost = 0,
                                                 .cycles = 3,
                                                 .waits = 2,
                                                 .parks = 1,
                                                 .waited_ns = 300}));
}

TEST(search, a_report_about_an_own_step_or_twice_about_a_victim_counts_nothing) {
  auto subject = make_search({.victims = victims::round_robin, .idle = idle::eco}, 0, 2);
  subject.begin();
  for (int i = 0; i != 3; ++i) {
    (void)subject.next(fake_view{});
    subject.report(outcome::lost);
  }
  EXPECT_EQ(subject.counters(), search_counters{});
  (void)subject.next(fake_view{});
  subject.report(outcome::empty);
  subject.report(outcome::empty);
  EXPECT_EQ(subject.counters().failures, 1u);
}

TEST(search, says_how_much_to_take) {
  EXPECT_EQ(make_search({.steal = steal::half}, 0, 2).amount(9), 5u);
  EXPECT_EQ(make_search({.steal = steal::fixed(4)}, 0, 2).amount(9), 4u);
}

TEST(search, remembers_the_last_victim_that_gave_work) {
  auto subject = make_search({.victims = victims::last_victim, .idle = idle::eco}, 0, 16);
  for (int round = 0; round != 20; ++round) {
    subject.begin();
    int visits = 0;
    const auto third = steps(subject, fake_view{}, [&](const step& s) {
      return s.kind == step_kind::victim && ++visits == 3 ? outcome::found : outcome::empty;
    });
    subject.begin();
    EXPECT_EQ(steps(subject, fake_view{}, found_in(step_kind::victim)).back(), third.back());
  }
}

// The same seed and the same view give these steps on every machine; the lists come from an independent version in
// Python. A change here changes every recorded simulation.
TEST(search, the_steps_of_a_seed_are_fixed_for_ever) {
  const fake_view view{{0, 3, 1, 3, 0, 2}};
  const auto of = [&](victims how) {
    auto subject = make_search({.victims = how, .idle = {.initial_ns = 50, .cap_ns = 50, .cycles = 2}}, 2, 6, 192837);
    subject.begin();
    auto list = steps(subject, view, always_empty);
    list.erase(list.begin(), list.begin() + 3);
    return list;
  };
  EXPECT_EQ(of(victims::random), (texts{"v0", "v4", "v5", "v3", "v1", "wait 50", "inbox", "injector", "v5", "v4", "v1",
                                        "v0", "v3", "park"}));
  EXPECT_EQ(of(victims::random_probe), (texts{"v0", "v3", "v4", "v4", "v5", "wait 50", "inbox", "injector", "v3", "v0",
                                              "v5", "v4", "v1", "park"}));
  EXPECT_EQ(of(victims::largest), (texts{"v1", "v3", "v5", "v0", "v4", "wait 50", "inbox", "injector", "v3", "v1", "v5",
                                         "v4", "v0", "park"}));
  EXPECT_EQ(of(victims::best_of_two), (texts{"v0", "v3", "v3", "v5", "v1", "wait 50", "inbox", "injector", "v1", "v1",
                                             "v0", "v1", "v3", "park"}));
  EXPECT_EQ(of(victims::nearest), (texts{"v0", "v4", "v5", "v3", "v1", "wait 50", "inbox", "injector", "v5", "v4", "v1",
                                         "v0", "v3", "park"}));
  EXPECT_EQ(of(victims::last_victim), (texts{"v0", "v4", "v5", "v3", "v1", "wait 50", "inbox", "injector", "v5", "v4",
                                             "v1", "v0", "v3", "park"}));
}

TEST(search, a_copy_decides_as_the_original_does_from_wherever_it_was_taken) {
  const fake_view view{{0, 3, 1, 3, 0, 2, 7, 7}, true};
  for (const victims how : {victims::random, victims::random_probe, victims::round_robin, victims::largest,
                            victims::best_of_two, victims::nearest, victims::last_victim}) {
    for (std::size_t taken_after = 0; taken_after != 60; ++taken_after) {
      auto original = make_search({.victims = how}, 2, 8, 7);
      original.begin();
      steps(original, view, always_empty, taken_after);
      search copy = original;
      const auto expected = steps(original, view, always_empty);
      EXPECT_EQ(steps(copy, view, always_empty), expected) << to_string(how) << " copied after " << taken_after;
      EXPECT_EQ(copy.counters(), original.counters());
    }
  }
}

TEST(search, different_seeds_visit_in_different_orders) {
  std::set<texts> seen;
  for (std::uint64_t seed = 0; seed != 50; ++seed) {
    auto subject = make_search({.idle = idle::eco}, 0, 16, seed);
    subject.begin();
    seen.insert(steps(subject, fake_view{}, always_empty));
  }
  EXPECT_EQ(seen.size(), 50u);
}

TEST(search, finding_local_work_uses_no_randomness_and_reads_no_hints) {
  auto subject = make_search({}, 0, 1024);
  const fake_view view;
  for (int i = 0; i != 1000; ++i) {
    subject.begin();
    steps(subject, view, found_in(step_kind::local));
  }
  EXPECT_EQ(subject.random(), random_stream{1});
  EXPECT_EQ(view.hints_read, 0u);
}

TEST(search, the_first_victim_of_1024_costs_as_much_as_that_of_4) {
  for (const std::uint32_t workers : {4u, 1024u}) {
    auto subject = make_search({}, 0, workers);
    const fake_view view;
    random_stream expected{1};
    for (int i = 0; i != 100; ++i) {
      subject.begin();
      steps(subject, view, found_in(step_kind::victim));
      expected.bits();
    }
    EXPECT_EQ(subject.random(), expected);
    EXPECT_EQ(view.hints_read, 0u);
  }
}

TEST(search_death, a_worker_that_does_not_exist_is_an_assertion) {
  EXPECT_DEATH((void)make_search({}, 4, 4), "self.value < workers");
}

}  // namespace
