// One stack and the next: what a switch keeps, what it tells the entered side, and what lies around a stack. The same
// tests run with the switch by the system's contexts (stack_ucontext_test).
#include <stack/fiber.hpp>
#include <support/thread_here.hpp>

#include <unwind.h>

#include <gtest/gtest.h>

#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using filch::fiber;

constexpr std::size_t k_bytes = std::size_t{256} << 10;

// A fiber that runs a function, and whose function goes back to `home` when it is over.
class excursion {
 public:
  explicit excursion(std::function<void(excursion&)> function) : function_{std::move(function)} {
    away.prepare(&begin, this);
  }
  // There and, at the next back() or the end of the function, back.
  void go() { (void)fiber::switch_to(home, away); }
  void back() { (void)fiber::switch_to(away, home); }
  [[nodiscard]] bool is_over() const { return is_over_; }

  fiber home;
  fiber away{k_bytes};

 private:
  static void begin(void* given, fiber&) {
    auto& self = *static_cast<excursion*>(given);
    self.function_(self);
    self.is_over_ = true;
    (void)fiber::switch_to(self.away, self.home, true);
  }

  std::function<void(excursion&)> function_;
  bool is_over_ = false;
};

// ---- what the entered side learns -----------------------------------------------------------------------------------

TEST(fiber, a_function_is_told_its_argument_and_the_fiber_that_was_left) {
  struct record {
    fiber home;
    fiber away{k_bytes};
    fiber* left = nullptr;
  } both;
  both.away.prepare(
      [](void* given, fiber& left) {
        auto& here = *static_cast<record*>(given);
        here.left = &left;
        (void)fiber::switch_to(here.away, left, true);
      },
      &both);
  EXPECT_EQ(&fiber::switch_to(both.home, both.away), &both.away);
  EXPECT_EQ(both.left, &both.home);
}

// Property: a switch returns the fiber from which its own was entered, which need not be the one it went to. Method:
// three fibers in a ring.
TEST(fiber, a_switch_returns_the_fiber_from_which_its_own_was_entered) {
  struct ring {
    fiber home;
    fiber first{k_bytes};
    fiber second{k_bytes};
    std::vector<const fiber*> seen;
  } all;
  all.first.prepare(
      [](void* given, fiber& left) {
        auto& ring_here = *static_cast<ring*>(given);
        ring_here.seen.push_back(&left);
        while (true) ring_here.seen.push_back(&fiber::switch_to(ring_here.first, ring_here.second));
      },
      &all);
  all.second.prepare(
      [](void* given, fiber& left) {
        auto& ring_here = *static_cast<ring*>(given);
        ring_here.seen.push_back(&left);
        while (true) ring_here.seen.push_back(&fiber::switch_to(ring_here.second, ring_here.home));
      },
      &all);
  for (int i = 0; i != 3; ++i) EXPECT_EQ(&fiber::switch_to(all.home, all.first), &all.second);
  const std::vector<const fiber*> expected{&all.home, &all.first, &all.home, &all.first, &all.home, &all.first};
  EXPECT_EQ(all.seen, expected);
}

TEST(fiber, one_that_was_left_for_good_can_be_prepared_again) {
  int sum = 0;
  fiber home;
  fiber away{k_bytes};
  struct place {
    fiber& home;
    fiber& away;
    int& sum;
    int added;
  };
  for (int i = 1; i <= 100; ++i) {
    place here{home, away, sum, i};
    away.prepare(
        [](void* given, fiber& left) {
          auto& at = *static_cast<place*>(given);
          unsigned char much[4096];
          std::memset(much, at.added, sizeof much);
          at.sum += much[at.added];
          (void)fiber::switch_to(at.away, left, true);
        },
        &here);
    (void)fiber::switch_to(home, away);
  }
  EXPECT_EQ(sum, 100 * 101 / 2);
}

// ---- what a switch keeps --------------------------------------------------------------------------------------------

// How the caller's stack rounds: what is set, and what a division says; on x86-64 they are two registers.
struct rounding {
  int mode;
  double third;
  bool operator==(const rounding&) const = default;
};
[[gnu::noinline]] rounding rounding_here() {
  volatile double one = 1;
  volatile double three = 3;
  return {std::fegetround(), one / three};
}
rounding rounding_as(int mode) {
  const int before = std::fegetround();
  std::fesetround(mode);
  const rounding found = rounding_here();
  std::fesetround(before);
  return found;
}

// Property: how a stack rounds is its own affair; a new one begins as the one that prepared it.
TEST(fiber, each_keeps_its_own_rounding) {
  const int before = std::fegetround();
  std::vector<rounding> seen;
  std::fesetround(FE_DOWNWARD);
  excursion trip{[&](excursion& here) {
    seen.push_back(rounding_here());
    std::fesetround(FE_UPWARD);
    here.back();
    seen.push_back(rounding_here());
  }};
  trip.go();
  seen.push_back(rounding_here());
  std::fesetround(FE_TONEAREST);
  trip.go();
  seen.push_back(rounding_here());
  std::fesetround(before);
  EXPECT_TRUE(trip.is_over());
  EXPECT_NE(rounding_as(FE_UPWARD).third, rounding_as(FE_DOWNWARD).third);
  const std::vector<rounding> expected{rounding_as(FE_DOWNWARD), rounding_as(FE_DOWNWARD), rounding_as(FE_UPWARD),
                                       rounding_as(FE_TONEAREST)};
  EXPECT_TRUE(seen == expected);
}

// Property: the exceptions that a stack handles are its own. Method: both leave each other in the middle of a handler,
// and each throws its own again later.
TEST(fiber, each_handles_its_own_exceptions) {
  std::string seen;
  excursion trip{[&](excursion& here) {
    try {
      EXPECT_EQ(std::current_exception(), nullptr);
      throw std::runtime_error{"away"};
    } catch (const std::runtime_error&) {
      here.back();
      try {
        throw;
      } catch (const std::runtime_error& caught) {
        seen += caught.what();
      }
    }
    EXPECT_EQ(std::current_exception(), nullptr);
  }};
  try {
    throw std::runtime_error{"home"};
  } catch (const std::runtime_error&) {
    trip.go();
    try {
      throw;
    } catch (const std::runtime_error& caught) {
      seen += caught.what();
    }
    trip.go();
  }
  EXPECT_TRUE(trip.is_over());
  EXPECT_EQ(std::current_exception(), nullptr);
  EXPECT_EQ(seen, "homeaway");
}

// Property: a stack may go on on another thread, with what it had. Oracle: the threads' numbers, and ThreadSanitizer.
TEST(fiber, one_that_was_left_on_one_thread_goes_on_on_another) {
  std::vector<std::thread::id> seen;
  fiber* home = nullptr;
  fiber away{k_bytes};
  struct place {
    std::vector<std::thread::id>& seen;
    fiber*& home;
    fiber& away;
  } here{seen, home, away};
  away.prepare(
      [](void* given, fiber&) {
        auto& at = *static_cast<place*>(given);
        while (true) {
          at.seen.push_back(filch_test::thread_here());
          (void)fiber::switch_to(at.away, *at.home);
        }
      },
      &here);
  std::vector<std::thread::id> expected;
  for (int i = 0; i != 4; ++i) {
    std::thread visitor{[&] {
      fiber own;
      home = &own;
      (void)fiber::switch_to(own, away);
      expected.push_back(filch_test::thread_here());
    }};
    visitor.join();
  }
  EXPECT_EQ(seen, expected);
}

// ---- the stack itself -----------------------------------------------------------------------------------------------

TEST(fiber, its_function_begins_with_an_aligned_stack) {
  std::uintptr_t frame = 1;
  excursion trip{[&](excursion&) { frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }};
  trip.go();
  EXPECT_EQ(frame % 16, 0u);
}

_Unwind_Reason_Code count_frame(_Unwind_Context*, void* frames) {
  return ++*static_cast<int*>(frames) < 100 ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

// Property: a walk over the frames ends at the bottom of the stack: so do backtraces, profilers and an exception that
// nothing catches.
TEST(fiber, a_walk_over_its_frames_ends) {
  int frames = 0;
  _Unwind_Reason_Code ended = _URC_NO_REASON;
  excursion trip{[&](excursion&) { ended = _Unwind_Backtrace(&count_frame, &frames); }};
  trip.go();
  EXPECT_EQ(ended, _URC_END_OF_STACK);
  EXPECT_GE(frames, 3);
  EXPECT_LT(frames, 20);
}

TEST(fiber, an_exception_that_nothing_catches_terminates) {
  excursion trip{[](excursion&) { throw std::runtime_error{"lost"}; }};
  EXPECT_DEATH(trip.go(), "lost");
}

TEST(fiber, a_page_below_the_stack_is_a_guard) {
  fiber away{k_bytes};
  EXPECT_DEATH(*reinterpret_cast<volatile char*>(away.lowest() - 1) = 1, "");
}

TEST(fiber, the_bytes_above_a_stack_are_its_users) {
  constexpr std::size_t k_top_bytes = 1000;
  fiber home;
  fiber away{k_bytes, k_top_bytes};
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(away.top()) % 64, 0u);
  EXPECT_TRUE(away.contains(away.lowest()));
  EXPECT_TRUE(away.contains(reinterpret_cast<std::uintptr_t>(away.top()) - 1));
  EXPECT_FALSE(away.contains(reinterpret_cast<std::uintptr_t>(away.top())));
  EXPECT_FALSE(away.contains(away.lowest() - 1));
  EXPECT_GT(away.low_mark(), away.lowest());
  std::memset(away.top(), 7, k_top_bytes);
  for (int i = 0; i != 3; ++i) {
    struct place {
      fiber& away;
    } here{away};
    away.prepare([](void* given, fiber& left) { (void)fiber::switch_to(static_cast<place*>(given)->away, left, true); },
                 &here);
    (void)fiber::switch_to(home, away);
    away.discard();
  }
  const std::vector<std::byte> found{away.top(), away.top() + k_top_bytes};
  EXPECT_EQ(found, std::vector<std::byte>(k_top_bytes, std::byte{7}));
}

// Property: what lies deeper than a few pages is given back to the system, and reads as nothing afterwards.
TEST(fiber, a_discarded_stack_gives_its_deep_pages_back) {
  constexpr std::size_t k_much = std::size_t{1} << 20;
  fiber away{k_much};
  auto* const deep = reinterpret_cast<volatile char*>(away.lowest());
  volatile char* const high = deep + k_much - 1;
  *deep = 1;
  *high = 2;
  away.discard();
  EXPECT_EQ(*deep, 0);
  EXPECT_EQ(*high, 2);
}

TEST(fiber, more_than_the_address_space_has_cannot_be_had) {
  EXPECT_THROW(fiber{std::size_t{1} << 62}, std::bad_alloc);
}

}  // namespace
