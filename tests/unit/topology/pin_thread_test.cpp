#include <filch/topology/pin_thread.hpp>

#include <gtest/gtest.h>

#include <latch>
#include <thread>

namespace {

using namespace filch::topology;

// On a thread of its own, so that the affinity of the test program stays as it is.
TEST(pin_thread, a_pinned_thread_may_run_there_and_nowhere_else) {
  const auto before = thread_affinity();
  ASSERT_TRUE(before.has_value());
  ASSERT_FALSE(before->empty());
  std::thread([&] {
    const cpu_number cpu = before->back();
    const std::error_code error = pin_thread(cpu);
    ASSERT_FALSE(error) << error.message();
    EXPECT_EQ(thread_affinity(), cpu_set{cpu});
    EXPECT_FALSE(pin_thread(*before));
    EXPECT_EQ(thread_affinity(), before);
  }).join();
  EXPECT_EQ(thread_affinity(), before);
}

TEST(pin_thread, another_thread_can_be_pinned) {
  const auto before = thread_affinity();
  ASSERT_TRUE(before.has_value());
  std::latch is_pinned{1};
  std::thread other{[&] {
    is_pinned.wait();
    EXPECT_EQ(thread_affinity(), cpu_set{before->back()});
  }};
  EXPECT_FALSE(pin_thread(other.native_handle(), before->back()));
  EXPECT_EQ(pin_thread(other.native_handle(), k_max_cpus - 1), std::errc::invalid_argument);
  is_pinned.count_down();
  other.join();
  EXPECT_EQ(thread_affinity(), before);
}

TEST(pin_thread, a_thread_that_has_moved_may_run_where_it_might_before) {
  const auto before = thread_affinity();
  ASSERT_TRUE(before.has_value());
  std::thread([&] {
    const auto here = current_cpu();
    ASSERT_TRUE(here.has_value());
    EXPECT_TRUE(before->contains(*here));
    EXPECT_EQ(move_away_from({*here}), before->size() > 1);
    EXPECT_EQ(thread_affinity(), before);
    EXPECT_FALSE(move_away_from(*before)) << "there is no other";
    EXPECT_EQ(thread_affinity(), before);
    ASSERT_FALSE(pin_thread(*here));
    EXPECT_FALSE(move_away_from({*here})) << "its mask is respected";
    EXPECT_EQ(thread_affinity(), cpu_set{*here});
  }).join();
}

TEST(pin_thread, a_thread_is_away_from_a_cpu_for_a_while_and_then_back) {
  const auto before = thread_affinity();
  ASSERT_TRUE(before.has_value());
  std::thread([&] {
    const cpu_number last = before->back();
    {
      const away_from there{{last}};
      EXPECT_EQ(there.is_away(), before->size() > 1);
      if (there.is_away()) {
        EXPECT_FALSE(thread_affinity()->contains(last));
      }
    }
    EXPECT_EQ(thread_affinity(), before);
    const away_from nothing{{}};
    EXPECT_FALSE(nothing.is_away());
    EXPECT_EQ(thread_affinity(), before);
  }).join();
}

TEST(pin_thread, a_mask_that_changes_while_a_thread_is_away_stays) {
  const auto before = thread_affinity();
  ASSERT_TRUE(before.has_value());
  std::thread([&] {
    const cpu_number last = before->back();
    {
      const away_from there{{before->front()}};
      ASSERT_FALSE(pin_thread(last));
    }
    // With two CPUs that is the mask it had while it was away: nobody can tell.
    EXPECT_EQ(thread_affinity(), before->size() == 2 ? *before : cpu_set{last});
    ASSERT_FALSE(pin_thread(*before));
    {
      const away_from there{{before->front()}};
      ASSERT_FALSE(pin_thread(before->front()));
    }
    EXPECT_EQ(thread_affinity(), cpu_set{before->front()});
  }).join();
}

TEST(pin_thread, a_cpu_that_does_not_exist_is_an_error_value) {
  const auto before = thread_affinity();
  EXPECT_EQ(pin_thread(k_max_cpus - 1), std::errc::invalid_argument);
  EXPECT_EQ(pin_thread(UINT32_MAX), std::errc::invalid_argument);
  EXPECT_EQ(pin_thread(cpu_set{}), std::errc::invalid_argument);
  EXPECT_EQ(thread_affinity(), before);
}

}  // namespace
