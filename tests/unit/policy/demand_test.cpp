#include <filch/policy/demand.hpp>
#include <filch/policy/options.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace filch;
using namespace filch::policy;

constexpr time_ns us = k_ns_per_us;
constexpr demand k_rules{};

// ---- wake_throttle --------------------------------------------------------------------------------------------------

wake_throttle after_tiny(int children, wake_throttle from = {}, const demand& rules = k_rules) {
  for (int i = 0; i != children; ++i) from = from.after(0, 0, rules);
  return from;
}

TEST(wake_throttle, a_child_is_tiny_below_the_price_of_a_wake_up) {
  EXPECT_EQ(wake_throttle{}.after(k_rules.notify_ns - 1, 0, k_rules).streak(), 1u);
  EXPECT_EQ(wake_throttle{}.after(k_rules.notify_ns, 0, k_rules).streak(), 0u);
}

TEST(wake_throttle, throttles_from_the_third_tiny_child_in_a_row_on) {
  EXPECT_FALSE(after_tiny(2).is_throttled());
  EXPECT_TRUE(after_tiny(3).is_throttled());
}

TEST(wake_throttle, forbids_wake_ups_twice_as_long_with_each_tiny_child_up_to_the_sixth) {
  // A fifth of the price, doubled: 2, 4, 8, 16, 32, 64 µs, and no longer.
  const time_ns pauses[] = {2 * us, 4 * us, 8 * us, 16 * us, 32 * us, 64 * us, 64 * us};
  wake_throttle now;
  for (const time_ns pause_ns : pauses) {
    now = now.after(0, 1000, k_rules);
    EXPECT_EQ(now.not_before_ns(), 1000 + pause_ns);
    EXPECT_FALSE(now.may_wake(1000 + pause_ns - 1));
    EXPECT_TRUE(now.may_wake(1000 + pause_ns));
  }
  EXPECT_EQ(now.streak(), wake_throttle::k_longest_streak);
  EXPECT_EQ(wake_throttle::longest_ns(k_rules), 64 * us);
}

TEST(wake_throttle, a_child_worth_its_wake_up_halves_the_streak_and_allows_the_next_one) {
  const wake_throttle now = after_tiny(6).after(k_rules.notify_ns, 0, k_rules);
  EXPECT_EQ(now.streak(), 3u);
  EXPECT_TRUE(now.may_wake(0));
}

TEST(wake_throttle, a_large_child_ends_the_streak) {
  EXPECT_EQ(after_tiny(6).after(10 * k_rules.notify_ns - 1, 0, k_rules).streak(), 3u);
  EXPECT_EQ(after_tiny(6).after(10 * k_rules.notify_ns, 0, k_rules).streak(), 0u);
}

TEST(wake_throttle, does_nothing_where_it_is_left_out) {
  const demand rules{.throttle = false};
  EXPECT_EQ(after_tiny(6, {}, rules), wake_throttle{});
}

// ---- request_pace ---------------------------------------------------------------------------------------------------

TEST(request_pace, a_thief_that_got_tiny_tasks_requests_less_and_less_often) {
  request_pace pace;
  // Half a transfer, doubled, at most ten wake-ups' price.
  const time_ns pauses[] = {us, 2 * us, 4 * us, 8 * us, 16 * us, 32 * us, 50 * us, 50 * us};
  for (const time_ns pause_ns : pauses) {
    pace.judge(true, 0, k_rules);
    EXPECT_FALSE(pace.may_request(pause_ns - 1, k_rules));
    EXPECT_TRUE(pace.may_request(pause_ns, k_rules));
  }
}

TEST(request_pace, what_was_taken_is_tiny_if_the_thief_is_back_within_a_transfer) {
  request_pace quick;
  (void)quick.take(1000);
  EXPECT_FALSE(quick.may_request(1000 + k_rules.transfer_ns - 1, k_rules));
  request_pace slow;
  (void)slow.take(1000);
  EXPECT_TRUE(slow.may_request(1000 + k_rules.transfer_ns, k_rules));
}

TEST(request_pace, a_theft_asks_for_the_next_offer_ahead_of_time_unless_tasks_were_tiny) {
  request_pace pace;
  EXPECT_TRUE(pace.take(1));
  pace.judge(true, 10, k_rules);
  EXPECT_FALSE(pace.take(20));
  pace.judge(false, 30, k_rules);
  EXPECT_TRUE(pace.take(40));
}

TEST(request_pace, requests_at_once_where_the_throttle_is_left_out) {
  const demand rules{.throttle = false};
  request_pace pace;
  pace.judge(true, 0, rules);
  EXPECT_TRUE(pace.may_request(0, rules));
  EXPECT_TRUE(pace.take(1));
  EXPECT_TRUE(pace.may_request(1, rules));
}

// ---- join_answers ---------------------------------------------------------------------------------------------------

using target = join_answers::target;

TEST(join_answers, a_join_is_asked_where_it_has_answered_or_an_open_fork_can_be_visited) {
  EXPECT_EQ(join_answers{}.request(false, false, k_rules), target::fork);
  EXPECT_EQ(join_answers{}.request(true, false, k_rules), target::fork);
  EXPECT_EQ(join_answers{}.request(false, true, k_rules), target::fork);
  EXPECT_EQ(join_answers{}.request(true, true, k_rules), target::join);
  EXPECT_EQ(join_answers{1}.request(false, false, k_rules), target::join);
}

TEST(join_answers, forks_are_asked_where_joins_first_is_left_out) {
  EXPECT_EQ(join_answers{16}.request(true, true, {.join_first = false}), target::fork);
}

TEST(join_answers, counts_offers_up_to_sixteen_and_joins_in_vain_down_to_none) {
  join_answers now;
  for (std::uint32_t i = 1; i != 20; ++i) {
    now = now.after(true);
    EXPECT_EQ(now.count(), i < 16 ? i : 16);
  }
  for (std::uint32_t i = 16; i != 0; --i) {
    EXPECT_TRUE(now.do_answer());
    now = now.after(false);
    EXPECT_EQ(now.count(), i - 1);
  }
  EXPECT_FALSE(now.do_answer());
  EXPECT_EQ(now.after(false), now);
}

// ---- visits and looks -----------------------------------------------------------------------------------------------

TEST(visit_pace, a_visit_in_vain_forbids_the_next_for_twice_as_long_as_the_one_before) {
  visit_pace now;
  for (time_ns pause_ns = 20 * us; pause_ns <= 500 * 20 * us; pause_ns *= 2) {
    now = now.after(false, 7, k_rules);
    EXPECT_EQ(now.pause_ns(), pause_ns);
    EXPECT_FALSE(now.may_begin(7 + pause_ns - 1));
    EXPECT_TRUE(now.may_begin(7 + pause_ns));
  }
  for (int i = 0; i != 3; ++i) now = now.after(false, 7, k_rules);
  EXPECT_EQ(now.pause_ns(), 500 * k_rules.wake_ns);
}

TEST(visit_pace, a_visit_that_found_something_allows_the_next_at_once) {
  const visit_pace now = visit_pace{}.after(false, 0, k_rules).after(false, 0, k_rules);
  EXPECT_EQ(now.after(true, 0, k_rules), visit_pace{});
}

TEST(monitor_pace, looks_later_and_later_while_nothing_is_found) {
  monitor_pace pace{k_rules};
  for (time_ns pause_ns = 20 * us; pause_ns < 50 * 20 * us; pause_ns *= 2) {
    EXPECT_EQ(pace.pause_ns(), pause_ns);
    pace.after(false, k_never_ns, 0, k_rules);
  }
  EXPECT_EQ(pace.pause_ns(), 50 * k_rules.wake_ns);
  pace.after(false, k_never_ns, 0, k_rules);
  EXPECT_EQ(pace.pause_ns(), 50 * k_rules.wake_ns);
  pace.after(true, k_never_ns, 0, k_rules);
  EXPECT_EQ(pace.pause_ns(), k_rules.wake_ns);
}

TEST(monitor_pace, looks_when_the_next_deferred_request_is_due_within_its_bounds) {
  monitor_pace pace{k_rules};
  pace.after(false, 1000 + 33 * us, 1000, k_rules);
  EXPECT_EQ(pace.pause_ns(), 33 * us);
  pace.after(false, 500, 1000, k_rules);
  EXPECT_EQ(pace.pause_ns(), k_rules.wake_ns);
  pace.after(false, k_ns_per_s, 1000, k_rules);
  EXPECT_EQ(pace.pause_ns(), 50 * k_rules.wake_ns);
}

TEST(monitor_pace, a_look_is_soon_within_the_longest_pause_of_a_throttled_owner_and_a_transfer) {
  EXPECT_TRUE(monitor_pace::is_soon(66 * us, k_rules));
  EXPECT_FALSE(monitor_pace::is_soon(66 * us + 1, k_rules));
  EXPECT_TRUE(monitor_pace::is_soon(-66 * us, k_rules));
  EXPECT_FALSE(monitor_pace::is_soon(-66 * us - 1, k_rules));
}

// ---- the rest -------------------------------------------------------------------------------------------------------

TEST(demand, an_offer_is_old_enough_after_a_transfer) {
  EXPECT_FALSE(k_rules.is_aged(k_rules.transfer_ns - 1));
  EXPECT_TRUE(k_rules.is_aged(k_rules.transfer_ns));
}

TEST(demand, half_of_the_ready_coroutines_are_shared_and_fewer_where_they_were_tiny) {
  EXPECT_EQ(demand::shared_ready(0, 0), 1u);
  EXPECT_EQ(demand::shared_ready(9, 0), 4u);
  EXPECT_EQ(demand::shared_ready(1000, 0), 256u);
  EXPECT_EQ(demand::shared_ready(1000, 6), 4u);
}

TEST(demand, an_idle_worker_takes_its_share_of_the_injector) {
  EXPECT_EQ(demand::taken_from_injector(0, 4), 1u);
  EXPECT_EQ(demand::taken_from_injector(7, 4), 2u);
  EXPECT_EQ(demand::taken_from_injector(1000, 4), 16u);
}

TEST(demand, a_worker_lingers_only_after_a_theft_that_was_worth_it_and_with_a_cpu_of_its_own) {
  EXPECT_EQ(k_rules.linger_ns(50 * us, k_rules.notify_ns, true), 50 * us);
  EXPECT_EQ(k_rules.linger_ns(50 * us, k_rules.notify_ns - 1, true), 0);
  EXPECT_EQ(k_rules.linger_ns(50 * us, k_rules.notify_ns, false), 0);
}

TEST(demand, a_worker_with_a_deferred_request_lingers_until_it_is_due_and_half_an_answer_longer) {
  EXPECT_EQ(k_rules.due_linger_ns(40 * us, 30 * us), 20 * us);
}

TEST(demand, the_monitor_wakes_for_a_throttled_owner_unless_a_worker_lingers) {
  EXPECT_EQ(demand::wakes_for_offer(true, false, true), demand::waker::monitor);
  EXPECT_EQ(demand::wakes_for_offer(true, false, false), demand::waker::owner);
  EXPECT_EQ(demand::wakes_for_offer(true, true, true), demand::waker::owner);
  EXPECT_EQ(demand::wakes_for_offer(false, false, true), demand::waker::owner);
}

TEST(demand, an_external_thread_that_computes_takes_the_place_of_one_worker) {
  EXPECT_FALSE(k_rules.has_place_for_sleeper(1, true));
  EXPECT_TRUE(k_rules.has_place_for_sleeper(2, true));
  EXPECT_TRUE(k_rules.has_place_for_sleeper(1, false));
  EXPECT_FALSE(k_rules.has_place_awake(0, true));
  EXPECT_TRUE(k_rules.has_place_awake(1, true));
  EXPECT_TRUE(k_rules.has_place_awake(0, false));
  const demand crowded{.one_place = false};
  EXPECT_TRUE(crowded.has_place_for_sleeper(1, true));
  EXPECT_TRUE(crowded.has_place_awake(0, true));
}

TEST(demand, no_sleeper_is_woken_for_an_offer_while_enough_workers_search) {
  EXPECT_FALSE(k_rules.is_searched(0));
  EXPECT_TRUE(k_rules.is_searched(1));
  const demand four{.searchers = 4};
  EXPECT_FALSE(four.is_searched(3));
  EXPECT_TRUE(four.is_searched(4));
}

TEST(demand, loops_look_as_often_and_divide_as_little_as_their_costs_allow) {
  EXPECT_EQ(k_rules.block_ns(), 4 * us);
  EXPECT_EQ(k_rules.worth_awake_ns(), 8 * us);
  EXPECT_EQ(k_rules.worth_waking_ns(), 20 * us);
}

// ---- as text --------------------------------------------------------------------------------------------------------

constexpr const char* k_default_text =
    "notify=5us,wake=20us,transfer=2us,migrate=300ns,throttle=on,join_first=on,one_place=on,searchers=1";

TEST(demand, text_and_value_belong_together) {
  EXPECT_EQ(describe(k_rules), k_default_text);
  const demand other{.notify_ns = 1400, .wake_ns = 14'600, .migrate_ns = 0, .throttle = false, .one_place = false};
  EXPECT_EQ(describe(other),
            "notify=1400ns,wake=14600ns,transfer=2us,migrate=0ns,throttle=off,join_first=on,one_place=off,searchers=1");
  for (const demand& each : {k_rules, other}) EXPECT_EQ(*parse<demand>(describe(each)), each);
  EXPECT_EQ(*parse<demand>("default"), k_rules);
}

TEST(demand, fields_left_out_have_their_defaults) {
  EXPECT_EQ(*parse<demand>("wake=1ms"), demand{.wake_ns = k_ns_per_ms});
  EXPECT_EQ(*parse<demand>("join_first=off,notify=1us"), (demand{.notify_ns = us, .join_first = false}));
}

TEST(demand, an_error_names_the_field_the_value_and_what_is_allowed) {
  EXPECT_EQ(parse<demand>("wake=20", "--demand").error,
            "--demand.wake = \"20\": allowed is a whole number with ns, us, ms or s");
  EXPECT_EQ(parse<demand>("throttle=yes", "--demand").error, "--demand.throttle = \"yes\": allowed is on or off");
  EXPECT_EQ(parse<demand>("searchers=many", "--demand").error,
            "--demand.searchers = \"many\": allowed is a whole number from 1 on");
  EXPECT_EQ((*parse<demand>("searchers=4")).searchers, 4u);
  EXPECT_EQ(parse<demand>("notfy=1us", "--demand").error.substr(0, 58),
            "--demand field = \"notfy\": unknown name; did you mean \"noti");
  EXPECT_EQ(parse<demand>("defualt").error,
            "demand = \"defualt\": unknown name; did you mean \"default\"? Valid are default, or fields such as " +
                std::string{k_default_text});
}

TEST(demand, rules_that_cannot_work_are_named) {
  EXPECT_TRUE(validate(k_rules).empty());
  EXPECT_TRUE(validate({.notify_ns = 0, .wake_ns = 1, .transfer_ns = 1, .migrate_ns = 0}).empty());
  const auto problems =
      validate({.notify_ns = -1, .wake_ns = 0, .transfer_ns = 0, .migrate_ns = k_ns_per_s + 1, .searchers = 0});
  ASSERT_EQ(problems.size(), 5u);
  EXPECT_EQ(to_string(problems[0]), "demand.notify_ns = -1: allowed is a time from 0 ns to 1 s");
  EXPECT_EQ(to_string(problems[1]), "demand.wake_ns = 0: allowed is a time from 1 ns to 1 s");
  EXPECT_EQ(problems[2].field, "demand.transfer_ns");
  EXPECT_EQ(problems[3].field, "demand.migrate_ns");
  EXPECT_EQ(to_string(problems[4]), "demand.searchers = 0: allowed is a number from 1 to 1048576");
}

}  // namespace
