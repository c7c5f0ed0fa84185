// The idle protocol step by step on one thread: a worker that has been chosen has its token, so its sleep returns.
#include <filch/park/idle.hpp>

#include <gtest/gtest.h>
#include <support/hooked_atomics.hpp>

#include <cstdint>
#include <new>
#include <vector>

namespace {

using filch::worker_id;
using filch::park::duty;
using filch::park::park_outcome;
using filch_test::hook;
using idle_t = filch::park::idle<filch_test::hooked_atomics>;

constexpr worker_id w0{0};
constexpr worker_id w1{1};
constexpr worker_id w2{2};

class idle : public filch_test::fresh_hooks, public testing::Test {
 protected:
  void expect_counts(std::uint32_t searching, std::uint32_t sleeping) {
    EXPECT_EQ(idle_.searching_hint(), searching);
    EXPECT_EQ(idle_.sleeping_hint(), sleeping);
  }
  // The worker has not been chosen; afterwards it searches.
  void expect_not_chosen(worker_id worker) {
    EXPECT_EQ(idle_.sleep(worker, filch::monotonic_now_ns()), park_outcome::timed_out);
  }

  idle_t idle_{3};
};

TEST_F(idle, a_new_one_has_only_active_workers) {
  EXPECT_EQ(idle_.workers(), 3u);
  expect_counts(0, 0);
  EXPECT_EQ(idle_.notify(), worker_id::none());
  EXPECT_EQ(idle_.notify_all(), 0u);
  EXPECT_FALSE(idle_.notify_worker(w0));
}

TEST_F(idle, no_more_workers_search_than_allowed) {
  idle_t bounded{3, 2};
  EXPECT_TRUE(bounded.try_start_searching());
  EXPECT_TRUE(bounded.try_start_searching());
  EXPECT_FALSE(bounded.try_start_searching());
  EXPECT_EQ(bounded.searching_hint(), 2u);
  EXPECT_EQ(bounded.stop_searching(), duty::none);
  EXPECT_TRUE(bounded.try_start_searching());
}

TEST_F(idle, a_searcher_that_comes_between_is_counted) {
  idle_t bounded{3, 1};
  hook().before_compare_exchange = [&] { EXPECT_TRUE(bounded.try_start_searching()); };
  EXPECT_FALSE(bounded.try_start_searching());
  EXPECT_EQ(bounded.searching_hint(), 1u);
}

TEST_F(idle, only_the_last_searcher_beside_a_sleeper_has_to_look_again) {
  EXPECT_TRUE(idle_.try_start_searching());
  EXPECT_EQ(idle_.stop_searching(), duty::none);  // the last, but nobody sleeps

  idle_.announce_sleep(w0, false);
  EXPECT_TRUE(idle_.try_start_searching());
  EXPECT_TRUE(idle_.try_start_searching());
  EXPECT_EQ(idle_.stop_searching(), duty::none);  // another one searches
  EXPECT_EQ(idle_.stop_searching(), duty::recheck);
  expect_counts(0, 1);
}

TEST_F(idle, a_searcher_that_goes_to_sleep_is_counted_once) {
  EXPECT_TRUE(idle_.try_start_searching());
  expect_counts(1, 0);
  idle_.announce_sleep(w0, true);
  expect_counts(0, 1);
  idle_.announce_sleep(w1, false);
  expect_counts(0, 2);
}

TEST_F(idle, a_notification_wakes_the_longest_asleep) {
  for (const worker_id w : {w2, w0, w1}) idle_.announce_sleep(w, false);
  for (const worker_id w : {w2, w0, w1}) {
    EXPECT_EQ(idle_.notify(), w);
    EXPECT_EQ(idle_.sleep(w), park_outcome::notified);
    (void)idle_.stop_searching();
  }
  expect_counts(0, 0);
  EXPECT_EQ(idle_.notify(), worker_id::none());
}

TEST_F(idle, a_notification_chooses_among_the_sleepers_as_it_is_told) {
  for (const worker_id w : {w0, w1, w2}) idle_.announce_sleep(w, false);
  const auto choose_second = [](const worker_id* sleepers, std::size_t count) -> std::size_t {
    EXPECT_EQ(count, 3u);
    EXPECT_EQ(sleepers[0], w0);
    EXPECT_EQ(sleepers[1], w1);
    EXPECT_EQ(sleepers[2], w2);
    return 1;
  };
  EXPECT_EQ(idle_.notify(choose_second), w1);
  EXPECT_EQ(idle_.sleep(w1), park_outcome::notified);
  (void)idle_.stop_searching();
  // The order of the others has stayed.
  EXPECT_EQ(idle_.notify([](const worker_id* sleepers, std::size_t count) -> std::size_t {
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(sleepers[0], w0);
    return 1;
  }),
            w2);
}

TEST_F(idle, a_notification_wakes_nobody_while_somebody_searches) {
  idle_.announce_sleep(w0, false);
  EXPECT_TRUE(idle_.try_start_searching());
  EXPECT_EQ(idle_.notify(), worker_id::none());
  expect_counts(1, 1);
  expect_not_chosen(w0);
}

TEST_F(idle, a_burst_of_notifications_wakes_one_worker) {
  for (const worker_id w : {w0, w1, w2}) idle_.announce_sleep(w, false);
  EXPECT_EQ(idle_.notify(), w0);
  expect_counts(1, 2);
  for (int i = 0; i != 10; ++i) EXPECT_EQ(idle_.notify(), worker_id::none());
  expect_counts(1, 2);
  // The one that was woken hands the duty on when it stops searching.
  EXPECT_EQ(idle_.sleep(w0), park_outcome::notified);
  EXPECT_EQ(idle_.stop_searching(), duty::recheck);
  EXPECT_EQ(idle_.notify(), w1);
}

TEST_F(idle, a_sleepy_worker_that_found_work_searches_again_and_is_no_sleeper) {
  for (const worker_id w : {w0, w1, w2}) idle_.announce_sleep(w, false);
  idle_.retract_sleep(w1);
  expect_counts(1, 2);
  EXPECT_EQ(idle_.stop_searching(), duty::recheck);
  EXPECT_EQ(idle_.notify(), w0);
  (void)idle_.stop_searching();
  EXPECT_EQ(idle_.notify(), w2);
  (void)idle_.stop_searching();
  EXPECT_EQ(idle_.notify(), worker_id::none());
}

TEST_F(idle, a_sleepy_worker_that_was_chosen_before_it_withdrew_consumes_its_token) {
  idle_.announce_sleep(w0, false);
  EXPECT_EQ(idle_.notify(), w0);
  idle_.retract_sleep(w0);
  expect_counts(1, 0);
  idle_.announce_sleep(w0, true);
  expect_not_chosen(w0);
}

TEST_F(idle, a_worker_whose_deadline_has_passed_searches_and_is_no_sleeper) {
  idle_.announce_sleep(w0, false);
  expect_not_chosen(w0);
  expect_counts(1, 0);
  EXPECT_EQ(idle_.stop_searching(), duty::none);
  EXPECT_EQ(idle_.notify(), worker_id::none());
}

// The deadline passes, and before the worker is out of the list it is chosen. It must not leave its token behind.
TEST_F(idle, a_worker_that_is_chosen_just_after_its_deadline_consumes_its_token) {
  idle_.announce_sleep(w0, false);
  hook().before_lock = [&] { EXPECT_EQ(idle_.notify(), w0); };
  EXPECT_EQ(idle_.sleep(w0, 0), park_outcome::timed_out);
  expect_counts(1, 0);
  idle_.announce_sleep(w0, true);
  expect_not_chosen(w0);
}

// Somebody begins to search, or the sleeper withdraws, after `notify` has looked and before it has the lock.
TEST_F(idle, a_notification_that_is_overtaken_wakes_nobody) {
  idle_.announce_sleep(w0, false);
  hook().before_lock = [&] { EXPECT_TRUE(idle_.try_start_searching()); };
  EXPECT_EQ(idle_.notify(), worker_id::none());
  EXPECT_EQ(idle_.stop_searching(), duty::recheck);
  hook().before_lock = [&] { idle_.retract_sleep(w0); };
  EXPECT_EQ(idle_.notify(), worker_id::none());
  expect_counts(1, 0);
  idle_.announce_sleep(w0, true);
  hook().before_lock = [&] { idle_.retract_sleep(w0); };
  EXPECT_FALSE(idle_.notify_worker(w0));
}

TEST_F(idle, notify_all_gives_every_sleeper_its_token_whoever_searches) {
  idle_.announce_sleep(w0, false);
  idle_.announce_sleep(w2, false);
  EXPECT_TRUE(idle_.try_start_searching());
  EXPECT_EQ(idle_.notify_all(), 2u);
  expect_counts(3, 0);
  EXPECT_EQ(idle_.sleep(w0), park_outcome::notified);
  EXPECT_EQ(idle_.sleep(w2), park_outcome::notified);
  EXPECT_EQ(idle_.notify_all(), 0u);
}

TEST_F(idle, notify_worker_wakes_that_worker_whoever_searches) {
  idle_.announce_sleep(w0, false);
  idle_.announce_sleep(w1, false);
  EXPECT_TRUE(idle_.try_start_searching());
  EXPECT_TRUE(idle_.notify_worker(w1));
  expect_counts(2, 1);
  EXPECT_EQ(idle_.sleep(w1), park_outcome::notified);
  EXPECT_FALSE(idle_.notify_worker(w1));
  EXPECT_FALSE(idle_.notify_worker(w2));
  expect_not_chosen(w0);
}

TEST_F(idle, one_worker_is_enough) {
  idle_t alone{1, 1};
  for (int i = 0; i != 3; ++i) {
    EXPECT_TRUE(alone.try_start_searching());
    alone.announce_sleep(w0, true);
    EXPECT_EQ(alone.notify(), w0);
    EXPECT_EQ(alone.sleep(w0), park_outcome::notified);
    EXPECT_EQ(alone.stop_searching(), duty::none);
  }
}

TEST_F(idle, an_idle_set_that_cannot_be_made_leaves_nothing_behind) {
  const std::uint64_t alive = hook().objects_alive;
  for (const std::uint64_t successes : {0u, 1u}) {
    hook().allocations_until_failure = successes;
    EXPECT_THROW(idle_t{4}, std::bad_alloc);
    EXPECT_EQ(hook().objects_alive, alive);
  }
}

class idle_death : public idle {};

TEST_F(idle_death, wrong_worker_numbers_are_stopped_and_named) {
  EXPECT_DEATH(idle_t{0}, "workers = 0");
  EXPECT_DEATH(idle_t{idle_t::k_max_workers + 1}, "workers = 65537");
  EXPECT_DEATH((idle_t{1, 0}), "max_searching = 0");
  EXPECT_DEATH(idle_.announce_sleep(worker_id{3}, false), "= 3, 3");
}

TEST_F(idle_death, a_worker_that_announces_its_sleep_twice_is_stopped) {
  idle_.announce_sleep(w1, false);
  EXPECT_DEATH(idle_.announce_sleep(w1, false), "self = 1");
}

TEST_F(idle_death, a_worker_that_stops_a_search_nobody_began_is_stopped) {
  EXPECT_DEATH((void)idle_.stop_searching(), "searching");
}

TEST_F(idle_death, a_choice_outside_of_the_sleepers_is_stopped) {
  idle_.announce_sleep(w0, false);
  EXPECT_DEATH(idle_.notify([](const worker_id*, std::size_t count) { return count; }), "index, count = 1, 1");
}

}  // namespace
