#include <share/frame_list.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <filch/base/random.hpp>
#include <filch/share/latent.hpp>
#include <filch/share/range_frame.hpp>

#include "support/spin_until.hpp"
#include "support/test_seed.hpp"

namespace {

using filch::latent_frame;
using filch::latent_stack;

constexpr filch::latent_kind k_kind{nullptr, nullptr};

// A stack whose forks and joins are made by hand, beside a plain list of what is on it.
class forks {
 public:
  // Where in memory the frames lie, from the oldest on.
  enum class places { falling, rising, mixed };
  explicit forks(places where = places::falling) : where_{where} {}

  void fork() {
    latent_frame& made = memory_[place(open_.size())];
    made.newer = made.older = &made;  // what lay there before means nothing
    made.offer = reinterpret_cast<filch::offered_task*>(std::uintptr_t{0xdead0});
    EXPECT_TRUE(filch::fork_latent(stack_, made, k_kind));
    open_.push_back(&made);
  }
  // The two halves of a join: a visitor may come in between.
  void unlink() {
    leaving_ = open_.back();
    open_.pop_back();
    stack_.newest.store(leaving_->older, std::memory_order_relaxed);  // owner-only
  }
  void end_join() {
    const bool was_seen = stack_.last_seen.load(std::memory_order_relaxed) == leaving_;  // owner-only
    const bool was_shared = shared_ > open_.size();
    const bool is_heard = filch::detail::is_address_not_below(leaving_, stack_.join_limit);
    if (was_seen || is_asked_) {
      ASSERT_TRUE(is_heard) << "a join of a frame that was seen, or with a request, must take the slow path";
    } else if (where_ == places::falling) {
      ASSERT_FALSE(is_heard) << "a join of a fresh frame without a request must not take the slow path";
    }
    if (!was_seen) {
      ASSERT_FALSE(was_shared) << "a frame that others could take must be seen";
    } else {
      ASSERT_EQ(filch::forget(stack_, *leaving_), was_shared);
    }
    shared_ = std::min(shared_, open_.size());
    leaving_ = nullptr;
  }
  // Both at once, for one that was seen.
  void unlink_and_forget() {
    unlink();
    (void)filch::forget(stack_, *leaving_);
  }
  // What an offer does. While a frame is being unlinked, nothing newer than it may be found.
  void share() {
    latent_frame* const oldest = filch::oldest_latent(stack_, newest());
    if (shared_ >= open_.size()) {
      ASSERT_EQ(oldest, nullptr);
      return;
    }
    ASSERT_EQ(oldest, open_[shared_]);
    ASSERT_EQ(oldest->offer, nullptr);
    filch::share_oldest(stack_, *oldest);
    ++shared_;
  }
  void see() { filch::see_frames(stack_, newest()); }
  void ask() {
    stack_.join_limit.store(latent_stack::k_join_requested, std::memory_order_relaxed);  // statistic
    is_asked_ = true;
  }
  void clear_requests() {
    EXPECT_EQ(filch::take_request(stack_), is_asked_);
    is_asked_ = false;
  }
  [[nodiscard]] latent_stack& stack() { return stack_; }

  [[nodiscard]] std::size_t depth() const { return open_.size(); }
  [[nodiscard]] bool has_room() const { return open_.size() != memory_.size(); }

 private:
  [[nodiscard]] latent_frame* newest() const { return stack_.newest.load(std::memory_order_relaxed); }  // owner-only
  [[nodiscard]] std::size_t place(std::size_t depth) const {
    switch (where_) {
      case places::falling:
        return memory_.size() - 1 - depth;
      case places::rising:
        return depth;
      case places::mixed:
        break;
    }
    return depth * 7 % memory_.size();  // 7 and the size have no common divisor
  }

  const places where_;
  latent_stack stack_;
  std::array<latent_frame, 24> memory_{};
  bool is_asked_ = false;
  std::vector<latent_frame*> open_;
  std::size_t shared_ = 0;  // of the oldest, perhaps with the one that is being unlinked
  latent_frame* leaving_ = nullptr;
};

TEST(frame_list, gives_the_oldest_frame_first_and_each_once) {
  forks list;
  for (int i = 0; i != 5; ++i) list.fork();
  for (int i = 0; i != 6; ++i) list.share();  // the last finds none
  for (int i = 0; i != 5; ++i) {
    list.unlink();
    list.end_join();
  }
  list.share();
}

TEST(frame_list, a_frame_made_after_others_were_seen_is_found_behind_them) {
  forks list;
  list.fork();
  list.fork();
  list.share();
  list.unlink();
  list.end_join();
  list.fork();
  list.share();
  list.share();
}

// Property: at any point, also while a frame is being unlinked, the oldest frame that was not shared is found, and a
// join learns whether its frame was shared, wherever the frames lie. Oracle: a plain list. Method: random forks, joins
// and requests; memory of frames is used again with rubbish in it.
TEST(frame_list, agrees_with_a_plain_list_at_every_point_where_a_visitor_may_come) {
  filch::random_stream random{filch_test::test_seed()};
  for (int round = 0; round != 300; ++round) {
    forks list{static_cast<forks::places>(round % 3)};
    const auto perhaps_visit = [&] {
      const auto what = random.below(8);
      if (what <= 1) list.share();
      if (what == 2 || what == 3) list.see();
      if (what == 4) list.ask();
      if (what == 5) list.clear_requests();
    };
    for (int step = 0; step != 400 && !HasFatalFailure(); ++step) {
      if (list.has_room() && (list.depth() == 0 || random.below(2) == 0)) {
        list.fork();
      } else {
        list.unlink();
        perhaps_visit();
        list.end_join();
      }
      perhaps_visit();
    }
  }
}

// Property: whatever the owner sees meanwhile, a request stands until it is taken. Method: another thread requests
// again and again, while frames come, are seen and go.
TEST(frame_list, a_request_is_not_covered_up_by_the_frames_that_the_owner_sees) {
  constexpr int k_requests = 20'000;
  forks list;
  std::atomic<int> taken{0};
  std::atomic<bool> is_over{false};
  std::thread asker{[&] {
    for (int i = 0; i != k_requests; ++i) {
      filch::post_request(list.stack().join_limit, latent_stack::k_join_requested);
      if (!filch_test::spin_until([&] { return taken.load() > i; })) {
        ADD_FAILURE() << "request " << i << " is lost";
        break;
      }
    }
    is_over = true;
  }};
  for (std::uint32_t round = 0; !is_over; ++round) {
    if (round % 256 == 0) std::this_thread::yield();  // the two may have one CPU between them
    for (int i = 0; i != 3; ++i) list.fork();
    list.see();
    for (int i = 0; i != 3; ++i) list.unlink_and_forget();
    if (filch::is_join_requested(list.stack()) && filch::take_request(list.stack())) ++taken;
  }
  asker.join();
  EXPECT_EQ(taken, k_requests);
}

}  // namespace
