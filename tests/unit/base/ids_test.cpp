#include <filch/base/ids.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace {

TEST(ids, an_id_of_one_kind_is_not_an_id_of_another) {
  static_assert(!std::is_convertible_v<filch::worker_id, filch::task_id>);
  static_assert(!std::is_constructible_v<filch::task_id, filch::worker_id>);
  EXPECT_LT(filch::worker_id{1}, filch::worker_id{2});
}

TEST(ids, none_is_no_id) {
  EXPECT_FALSE(filch::worker_id::none().is_some());
  EXPECT_TRUE(filch::worker_id{0}.is_some());
}

}  // namespace
