#include <filch/trace/ring.hpp>

#include "sample.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

using filch::trace::ring;
using filch::trace::when_full;

// Two words that belong together: a torn item shows.
using pair_ring = ring<2>;
using pair_item = pair_ring::item;
pair_item item(std::uint64_t n) { return {{n, ~n}}; }
bool is_whole(pair_item i) { return i.at[1] == ~i.at[0]; }

std::vector<std::uint64_t> take_all(pair_ring& r) {
  std::vector<std::uint64_t> out;
  pair_item i{};
  while (r.take(i)) {
    EXPECT_TRUE(is_whole(i)) << i.at[0];
    out.push_back(i.at[0]);
  }
  return out;
}

TEST(ring, items_come_out_in_the_order_they_went_in) {
  pair_ring r{8, when_full::refuse_new};
  for (std::uint64_t n = 0; n != 5; ++n) EXPECT_TRUE(r.append(item(n)));
  EXPECT_EQ(take_all(r), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(take_all(r).empty());
}

TEST(ring, a_ring_that_refuses_keeps_the_oldest_and_takes_again_after_a_take) {
  pair_ring r{4, when_full::refuse_new};
  for (std::uint64_t n = 0; n != 4; ++n) EXPECT_TRUE(r.append(item(n)));
  EXPECT_FALSE(r.append(item(4)));
  pair_item out{};
  EXPECT_TRUE(r.take(out));
  EXPECT_TRUE(r.append(item(5)));
  EXPECT_FALSE(r.append(item(6)));
  EXPECT_EQ(take_all(r), (std::vector<std::uint64_t>{1, 2, 3, 5}));
  EXPECT_EQ(r.lost(), 0u);
}

TEST(ring, a_ring_that_overwrites_keeps_the_newest_and_counts_the_rest) {
  pair_ring r{4, when_full::overwrite_old};
  for (std::uint64_t n = 0; n != 10; ++n) EXPECT_TRUE(r.append(item(n)));
  EXPECT_EQ(take_all(r), (std::vector<std::uint64_t>{6, 7, 8, 9}));
  EXPECT_EQ(r.lost(), 6u);
  EXPECT_TRUE(r.append(item(10)));
  EXPECT_EQ(take_all(r), (std::vector<std::uint64_t>{10}));
  EXPECT_EQ(r.lost(), 6u);
}

TEST(ring, wraps_around_many_times_without_loss) {
  pair_ring r{4, when_full::refuse_new};
  for (std::uint64_t n = 0; n < 1'000; n += 3) {
    for (std::uint64_t i = n; i != n + 3; ++i) ASSERT_TRUE(r.append(item(i)));
    ASSERT_EQ(take_all(r), (std::vector<std::uint64_t>{n, n + 1, n + 2}));
  }
}

TEST(ring, item_numbers_pass_the_end_of_their_range) {
  for (const when_full full : {when_full::refuse_new, when_full::overwrite_old}) {
    pair_ring r{4, full, UINT64_MAX - 5};
    std::uint64_t taken = 0;
    for (std::uint64_t n = 0; n != 20; ++n) {
      ASSERT_TRUE(r.append(item(n)));
      if (n % 3 == 2) taken += take_all(r).size();
    }
    EXPECT_EQ(taken + take_all(r).size(), 20u);
    EXPECT_EQ(r.lost(), 0u);
  }
}

TEST(ring, an_overwriting_ring_counts_losses_across_the_end_of_the_range) {
  pair_ring r{4, when_full::overwrite_old, UINT64_MAX - 5};
  for (std::uint64_t n = 0; n != 20; ++n) ASSERT_TRUE(r.append(item(n)));
  EXPECT_EQ(take_all(r), (std::vector<std::uint64_t>{16, 17, 18, 19}));
  EXPECT_EQ(r.lost(), 16u);
}

TEST(ring, a_ring_of_one_slot_works) {
  pair_ring keep{1, when_full::refuse_new}, newest{1, when_full::overwrite_old};
  EXPECT_TRUE(keep.append(item(1)));
  EXPECT_FALSE(keep.append(item(2)));
  EXPECT_EQ(take_all(keep), (std::vector<std::uint64_t>{1}));
  EXPECT_TRUE(newest.append(item(1)));
  EXPECT_TRUE(newest.append(item(2)));
  EXPECT_EQ(take_all(newest), (std::vector<std::uint64_t>{2}));
}

// Property: with a writer and a reader at once, every item is whole, items come in order, and
// created = read + refused + lost. Oracle: the counts of both sides. Method: two threads, small rings, seeded pauses.
TEST(ring, created_is_read_plus_dropped_with_two_threads) {
  const std::uint64_t seed = filch_trace_test::chosen_seed(11);
  for (const when_full full : {when_full::refuse_new, when_full::overwrite_old}) {
    for (const std::size_t capacity : {1u, 2u, 8u, 256u}) {
      constexpr std::uint64_t k_items = 10'000;
      pair_ring r{capacity, full};
      std::atomic<bool> is_done{false};
      std::uint64_t refused = 0;
      std::thread writer{[&] {
        filch::random_stream random{seed};
        for (std::uint64_t n = 0; n != k_items; ++n) {
          if (!r.append(item(n))) ++refused;
          if (random.below(256) == 0) std::this_thread::yield();
        }
        is_done.store(true, std::memory_order_release);
      }};
      std::uint64_t read = 0, next = 0;
      filch::random_stream random{seed + 1};
      for (bool is_last = false;; is_last = is_done.load(std::memory_order_acquire)) {
        pair_item i{};
        while (r.take(i)) {
          ASSERT_TRUE(is_whole(i)) << "capacity " << capacity << ", item " << i.at[0];
          ASSERT_GE(i.at[0], next);
          next = i.at[0] + 1;
          ++read;
        }
        if (is_last) break;
        if (random.below(4) == 0) std::this_thread::yield();
      }
      writer.join();
      EXPECT_EQ(read + refused + r.lost(), k_items) << "capacity " << capacity;
      if (full == when_full::overwrite_old) {
        EXPECT_EQ(refused, 0u);
      }
      if (full == when_full::refuse_new) {
        EXPECT_EQ(r.lost(), 0u);
      }
    }
  }
}

}  // namespace
