#include <filch/policy/victim.hpp>

#include "helpers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace {

using namespace filch;
using namespace filch::policy;
using check::fake_view;

constexpr victims k_all[] = {victims::random,      victims::random_probe, victims::round_robin, victims::largest,
                             victims::best_of_two, victims::nearest,      victims::last_victim};

std::vector<std::uint32_t> draws(victim_order& order, const fake_view& view, random_stream& random, std::size_t count) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i != count; ++i) out.push_back(order.draw(view, random).value);
  return out;
}

std::vector<std::uint32_t> all_but(std::uint32_t self, std::uint32_t workers) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t w = 0; w != workers; ++w) {
    if (w != self) out.push_back(w);
  }
  return out;
}

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> list) {
  std::ranges::sort(list);
  return list;
}

// Two sockets of four workers: 0 to oneself, 1 inside a socket, 2 to the other.
std::uint32_t two_sockets(worker_id a, worker_id b) { return a == b ? 0u : a.value / 4 == b.value / 4 ? 1u : 2u; }

TEST(victim_order, no_policy_ever_draws_the_thief_or_a_worker_that_does_not_exist) {
  random_stream random{check::test_seed()};
  for (const victims how : k_all) {
    for (const std::uint32_t workers : {2u, 3u, 8u}) {
      for (std::uint32_t self = 0; self != workers; ++self) {
        victim_order order{how, worker_id{self}, workers};
        EXPECT_EQ(order.count(), workers - 1);
        const fake_view view{{9, 9, 0, 4, 4, 0, 1, 2}};
        for (const std::uint32_t v : draws(order, view, random, 50)) {
          EXPECT_NE(v, self) << to_string(how);
          EXPECT_LT(v, workers) << to_string(how);
        }
      }
    }
  }
}

TEST(victim_order, a_sweep_visits_every_other_worker_exactly_once) {
  random_stream random{check::test_seed()};
  for (const victims how :
       {victims::random, victims::round_robin, victims::largest, victims::nearest, victims::last_victim}) {
    for (std::uint32_t self = 0; self != 8; ++self) {
      victim_order order{how, worker_id{self}, 8, two_sockets};
      for (int sweep = 0; sweep != 5; ++sweep) {
        order.start_sweep();
        EXPECT_EQ(sorted(draws(order, fake_view{{5, 0, 3, 3, 0, 1, 0, 2}}, random, 7)), all_but(self, 8))
            << to_string(how) << " of worker " << self << " in sweep " << sweep;
        if (sweep == 2) order.succeeded();
      }
    }
  }
}

TEST(victim_order, a_sweep_that_was_broken_off_leaves_the_next_one_whole) {
  random_stream random{check::test_seed()};
  for (const victims how : {victims::random, victims::largest, victims::nearest, victims::last_victim}) {
    victim_order order{how, worker_id{3}, 8, two_sockets};
    for (std::size_t broken_off = 0; broken_off != 8; ++broken_off) {
      order.start_sweep();
      draws(order, fake_view{{5, 0, 3, 3, 0, 1, 0, 2}}, random, broken_off);
      if (broken_off % 3 == 1) order.succeeded();
      order.start_sweep();
      EXPECT_EQ(sorted(draws(order, fake_view{}, random, 7)), all_but(3, 8)) << to_string(how) << broken_off;
    }
  }
}

TEST(victim_order, more_draws_than_victims_start_the_next_sweep) {
  random_stream random{1};
  victim_order order{victims::random, worker_id{0}, 4};
  auto list = draws(order, fake_view{}, random, 6);
  EXPECT_EQ(sorted({list.begin(), list.begin() + 3}), all_but(0, 4));
  EXPECT_EQ(sorted({list.begin() + 3, list.end()}), all_but(0, 4));
}

// Method: all 6 orders of 3 victims are counted over many sweeps that follow each other without a reset of the list.
TEST(victims_random, every_order_is_equally_likely) {
  random_stream random{check::test_seed()};
  victim_order order{victims::random, worker_id{1}, 4};
  std::vector<std::uint64_t> seen(6);
  std::vector<std::vector<std::uint32_t>> orders;
  auto permutation = all_but(1, 4);
  do orders.push_back(permutation);
  while (std::ranges::next_permutation(permutation).found);
  for (int i = 0; i != 60'000; ++i) {
    order.start_sweep();
    const auto at = std::ranges::find(orders, draws(order, fake_view{}, random, 3));
    ++seen.at(static_cast<std::size_t>(at - orders.begin()));
  }
  EXPECT_LT(check::chi_squared(seen), 25.7);  // 5 degrees of freedom, p = 0.0001
}

// Operations are counted as draws of random bits, hints read and list entries moved.
TEST(victims_random, a_victim_costs_one_draw_and_one_swap_however_many_workers_there_are) {
  for (const std::uint32_t workers : {8u, victim_order::k_most_listed}) {
    random_stream random{5};
    random_stream expected{5};
    victim_order order{victims::random, worker_id{0}, workers};
    const fake_view view;
    for (int sweep = 0; sweep != 100; ++sweep) {
      order.start_sweep();
      const std::vector<worker_id> before{order.candidates().begin(), order.candidates().end()};
      (void)order.draw(view, random);
      expected.bits();
      std::size_t moved = 0;
      for (std::size_t i = 0; i != before.size(); ++i) moved += order.candidates()[i] != before[i] ? 1u : 0u;
      EXPECT_LE(moved, 2u);
    }
    EXPECT_EQ(random, expected);
    EXPECT_EQ(view.hints_read, 0u);
  }
}

TEST(victims_random_probe, draws_are_independent_and_uniform) {
  random_stream random{check::test_seed()};
  victim_order order{victims::random_probe, worker_id{2}, 5};
  std::vector<std::uint64_t> seen(5);
  std::vector<std::uint64_t> pairs(25);
  std::uint32_t previous = 0;
  for (const std::uint32_t v : draws(order, fake_view{}, random, 80'000)) {
    ++seen.at(v);
    ++pairs.at(previous * 5 + v);
    previous = v;
  }
  EXPECT_LT(check::chi_squared({seen[0], seen[1], seen[3], seen[4]}), 21.1);  // 3 degrees of freedom, p = 0.0001
  EXPECT_GT(pairs[0], 4000u);                                                 // the same twice in a row: 1 in 16
  EXPECT_TRUE(order.candidates().empty());
}

TEST(victims_round_robin, goes_on_after_the_last_visited_victim_and_skips_the_thief) {
  random_stream random{1};
  victim_order order{victims::round_robin, worker_id{2}, 4};
  EXPECT_EQ(draws(order, fake_view{}, random, 2), (std::vector<std::uint32_t>{3, 0}));
  order.start_sweep();
  EXPECT_EQ(draws(order, fake_view{}, random, 5), (std::vector<std::uint32_t>{1, 3, 0, 1, 3}));
  victim_order last{victims::round_robin, worker_id{3}, 4};
  EXPECT_EQ(draws(last, fake_view{}, random, 4), (std::vector<std::uint32_t>{0, 1, 2, 0}));
  EXPECT_EQ(random, random_stream{1});
}

TEST(victims_largest, goes_by_the_hints_from_the_largest_on) {
  random_stream random{1};
  victim_order order{victims::largest, worker_id{0}, 5};
  EXPECT_EQ(draws(order, fake_view{{99, 4, 7, 1, 5}}, random, 4), (std::vector<std::uint32_t>{2, 4, 1, 3}));
  EXPECT_EQ(random, random_stream{1});  // no ties, no draws
}

TEST(victims_largest, reads_the_hints_anew_for_every_victim) {
  random_stream random{1};
  victim_order order{victims::largest, worker_id{0}, 4};
  EXPECT_EQ(order.draw(fake_view{{0, 4, 7, 1}}, random), worker_id{2});
  EXPECT_EQ(order.draw(fake_view{{0, 4, 9, 8}}, random), worker_id{3});
}

TEST(victims_largest, chooses_among_equal_hints_at_random) {
  random_stream random{check::test_seed()};
  victim_order order{victims::largest, worker_id{0}, 5};
  std::vector<std::uint64_t> seen(5);
  for (int i = 0; i != 30'000; ++i) {
    order.start_sweep();
    ++seen.at(order.draw(fake_view{{9, 3, 3, 1, 3}}, random).value);
  }
  EXPECT_EQ(seen[0] + seen[3], 0u);
  EXPECT_LT(check::chi_squared({seen[1], seen[2], seen[4]}), 18.4);  // 2 degrees of freedom, p = 0.0001
}

TEST(victims_largest, visits_the_rest_too_but_reads_no_more_hints_once_all_are_zero) {
  random_stream random{1};
  victim_order order{victims::largest, worker_id{0}, 64};
  const fake_view view{{0, 0, 5}};
  EXPECT_EQ(order.draw(view, random), worker_id{2});
  const std::uint64_t first = view.hints_read;
  EXPECT_EQ(first, 63u);
  draws(order, view, random, 62);
  EXPECT_EQ(view.hints_read - first, 62u);  // one scan that found only zeros
}

TEST(victims_best_of_two, takes_the_larger_of_two_different_candidates) {
  random_stream random{check::test_seed()};
  victim_order order{victims::best_of_two, worker_id{0}, 5};
  std::vector<std::uint64_t> seen(5);
  constexpr std::uint64_t k_draws = 60'000;
  for (std::uint64_t i = 0; i != k_draws; ++i) ++seen.at(order.draw(fake_view{{9, 1, 2, 3, 4}}, random).value);
  // Of the 6 pairs of 4 candidates, the largest wins 3, the next 2, the next 1, the smallest none.
  EXPECT_EQ(seen[1], 0u);
  EXPECT_NEAR(static_cast<double>(seen[2]), k_draws / 6.0, 460);  // 5 standard deviations
  EXPECT_NEAR(static_cast<double>(seen[3]), k_draws / 3.0, 580);
  EXPECT_NEAR(static_cast<double>(seen[4]), k_draws / 2.0, 620);
}

TEST(victims_best_of_two, equal_hints_are_a_uniform_choice_and_two_hints_are_read) {
  random_stream random{check::test_seed()};
  victim_order order{victims::best_of_two, worker_id{4}, 5};
  std::vector<std::uint64_t> seen(4);
  const fake_view view;
  for (int i = 0; i != 40'000; ++i) ++seen.at(order.draw(view, random).value);
  EXPECT_LT(check::chi_squared(seen), 21.1);  // 3 degrees of freedom, p = 0.0001
  EXPECT_EQ(view.hints_read, 80'000u);
}

TEST(victims_best_of_two, has_no_choice_with_one_other_worker) {
  random_stream random{1};
  const fake_view view;
  victim_order order{victims::best_of_two, worker_id{0}, 2};
  EXPECT_EQ(draws(order, view, random, 3), (std::vector<std::uint32_t>{1, 1, 1}));
  EXPECT_EQ(view.hints_read, 0u);
}

TEST(victims_nearest, visits_the_own_socket_first_and_each_group_in_every_order) {
  random_stream random{check::test_seed()};
  victim_order order{victims::nearest, worker_id{5}, 8, two_sockets};
  std::vector<std::uint64_t> first(8);
  std::vector<std::uint64_t> fourth(8);
  for (int i = 0; i != 30'000; ++i) {
    order.start_sweep();
    const auto list = draws(order, fake_view{}, random, 7);
    ASSERT_EQ(sorted({list.begin(), list.begin() + 3}), (std::vector<std::uint32_t>{4, 6, 7}));
    ASSERT_EQ(sorted({list.begin() + 3, list.end()}), (std::vector<std::uint32_t>{0, 1, 2, 3}));
    ++first.at(list[0]);
    ++fourth.at(list[3]);
  }
  EXPECT_LT(check::chi_squared({first[4], first[6], first[7]}), 18.4);  // 2 degrees of freedom, p = 0.0001
  EXPECT_LT(check::chi_squared({fourth[0], fourth[1], fourth[2], fourth[3]}), 21.1);  // 3
}

TEST(victims_nearest, without_ties_the_order_is_the_distance) {
  random_stream random{1};
  const std::vector<std::uint32_t> table{0,  30, 10, 20,  //
                                         30, 0,  5,  6,   //
                                         10, 5,  0,  7,   //
                                         20, 6,  7,  0};
  victim_order order{victims::nearest, worker_id{0}, 4, distance_table{table, 4}};
  EXPECT_EQ(draws(order, fake_view{}, random, 3), (std::vector<std::uint32_t>{2, 3, 1}));
}

TEST(victims_last_victim, starts_with_the_last_one_that_gave_work) {
  random_stream random{check::test_seed()};
  victim_order order{victims::last_victim, worker_id{0}, 8};
  for (int round = 0; round != 100; ++round) {
    order.start_sweep();
    const auto before = draws(order, fake_view{}, random, 1 + static_cast<std::size_t>(round) % 7);
    order.succeeded();
    for (int sweep = 0; sweep != 3; ++sweep) {  // it stays the first until another one gives work
      order.start_sweep();
      EXPECT_EQ(draws(order, fake_view{}, random, 4).front(), before.back());
    }
  }
}

TEST(victims_last_victim, the_rest_is_in_random_order) {
  random_stream random{check::test_seed()};
  victim_order order{victims::last_victim, worker_id{0}, 5};
  const std::uint32_t first = draws(order, fake_view{}, random, 1).front();
  order.succeeded();
  std::vector<std::uint64_t> second(5);
  for (int i = 0; i != 30'000; ++i) {
    order.start_sweep();
    ++second.at(draws(order, fake_view{}, random, 2).back());
  }
  EXPECT_EQ(second[0] + second[first], 0u);
  std::erase(second, 0u);
  ASSERT_EQ(second.size(), 3u);
  EXPECT_LT(check::chi_squared(second), 18.4);  // 2 degrees of freedom, p = 0.0001
}

// ---- more workers than are listed -----------------------------------------------------------------------------------

constexpr std::uint32_t k_many = 3 * victim_order::k_most_listed + 17;
constexpr victims k_sweeping[] = {victims::random, victims::largest, victims::nearest, victims::last_victim};

TEST(victims_of_many, a_sweep_visits_every_other_worker_exactly_once_and_needs_no_list) {
  random_stream random{check::test_seed()};
  const fake_view view{{5, 0, 3, 3, 0, 1, 0, 2}};
  for (const victims how : k_sweeping) {
    for (const std::uint32_t self : {0u, 5u, 300u, k_many - 1}) {
      victim_order order{how, worker_id{self}, k_many};
      for (int sweep = 0; sweep != 3; ++sweep) {
        order.start_sweep();
        EXPECT_EQ(sorted(draws(order, view, random, k_many - 1)), all_but(self, k_many)) << to_string(how);
        if (sweep == 1) order.succeeded();
      }
      EXPECT_TRUE(order.candidates().empty()) << to_string(how);
    }
  }
}

TEST(victims_of_many, a_sweep_that_was_broken_off_leaves_the_next_one_whole) {
  random_stream random{check::test_seed()};
  for (const victims how : k_sweeping) {
    victim_order order{how, worker_id{3}, k_many};
    for (const std::size_t broken_off : {1u, 2u, 5u, 400u}) {
      order.start_sweep();
      draws(order, fake_view{{5, 0, 3, 3, 0, 1, 0, 2}}, random, broken_off);
      if (broken_off != 2) order.succeeded();
      order.start_sweep();
      EXPECT_EQ(sorted(draws(order, fake_view{}, random, k_many - 1)), all_but(3, k_many)) << to_string(how);
    }
  }
}

TEST(victims_of_many, every_other_worker_is_equally_likely_to_come_first) {
  random_stream random{check::test_seed()};
  victim_order order{victims::random, worker_id{7}, k_many};
  std::vector<std::uint64_t> seen(k_many - 1);
  for (std::uint32_t i = 0; i != 200 * k_many; ++i) {
    order.start_sweep();
    const std::uint32_t drawn = order.draw(fake_view{}, random).value;
    ASSERT_NE(drawn, 7u);
    ++seen[drawn < 7 ? drawn : drawn - 1];
  }
  const double freedom = k_many - 2;
  EXPECT_LT(check::chi_squared(seen), freedom + 3.9 * std::sqrt(2 * freedom));  // p = 0.0001
}

TEST(victims_of_many, the_last_victim_that_gave_work_comes_first_in_the_next_sweep) {
  random_stream random{1};
  victim_order order{victims::last_victim, worker_id{0}, k_many};
  const auto found = draws(order, fake_view{}, random, 3).back();
  order.succeeded();
  for (int sweep = 0; sweep != 3; ++sweep) {
    order.start_sweep();
    EXPECT_EQ(draws(order, fake_view{}, random, 2).front(), found);
  }
}

TEST(victims_of_many, the_largest_hints_come_first_and_are_not_read_again_once_all_are_zero) {
  random_stream random{1};
  victim_order order{victims::largest, worker_id{0}, k_many};
  const fake_view view{{99, 4, 7, 0, 5}};
  EXPECT_EQ(draws(order, view, random, 3), (std::vector<std::uint32_t>{2, 4, 1}));
  const std::uint64_t before = view.hints_read;
  draws(order, view, random, k_many - 4);
  EXPECT_LE(view.hints_read - before, k_many);
}

// Who is near matters more than the memory: only distances that are all equal are not looked at.
TEST(victims_of_many, near_ones_come_first_where_distances_differ) {
  random_stream random{check::test_seed()};
  const auto halves = [](worker_id a, worker_id b) { return a.value / 400 == b.value / 400 ? 1u : 2u; };
  victim_order order{victims::nearest, worker_id{5}, 800, halves};
  for (const std::uint32_t each : draws(order, fake_view{}, random, 399)) EXPECT_LT(each, 400u);
  for (const std::uint32_t each : draws(order, fake_view{}, random, 400)) EXPECT_GE(each, 400u);
}

}  // namespace
