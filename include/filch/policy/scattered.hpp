// A random order of the numbers below a count that needs no list of them.
//
// A few steps scatter the numbers below the next power of two, and each of them can be undone: a product with an odd
// number, a sum, and a shift that folds the upper bits onto the lower ones. So every number comes once. Those at or
// above the count are passed over; they are fewer than the others, so a number costs O(1) on average.
//
// An order is drawn as 64 random bits. From three numbers on some orders are likelier than others, and of many numbers
// most orders cannot come up; but each number is equally likely to come first, and the pairs show no pattern
// (tests/unit/policy/scattered_test.cpp). Where there is room for a list, lazy_shuffle draws all orders alike.
#pragma once

#include <filch/base/random.hpp>

#include <bit>
#include <cstdint>

namespace filch::inline v0::policy {

class scattered_order {
 public:
  // For the numbers below `count`; nothing to draw before start().
  constexpr explicit scattered_order(std::uint32_t count)
      : count_{count},
        mask_{count < 2 ? 0 : UINT32_MAX >> std::countl_zero(count - 1)},
        fold_{(32 - std::countl_zero(mask_ | 1u) + 1) / 2} {}

  constexpr void start(random_stream& random) {
    std::uint64_t key = random.bits();
    for (step& each : steps_) {
      const std::uint64_t bits = splitmix64(key);
      each = {static_cast<std::uint32_t>(bits) | 1u, static_cast<std::uint32_t>(bits >> 32)};
    }
    at_ = 0;
  }

  // The next number; at most `count` times after start().
  [[nodiscard]] constexpr std::uint32_t next() {
    for (;;) {
      const std::uint32_t drawn = scattered(at_++);
      if (drawn < count_) return drawn;
    }
  }

 private:
  struct step {
    std::uint32_t factor = 1;
    std::uint32_t summand = 0;
  };

  [[nodiscard]] constexpr std::uint32_t scattered(std::uint32_t number) const {
    constexpr std::uint32_t k_last_factor = 0x9e3779b1u;
    for (const step& each : steps_) {
      number = (number * each.factor + each.summand) & mask_;
      number ^= number >> fold_;
    }
    number = (number * k_last_factor) & mask_;
    return number ^ (number >> fold_);
  }

  std::uint32_t count_;
  std::uint32_t mask_;  // all ones: below the power of two
  int fold_;
  std::uint32_t at_ = 0;
  step steps_[2];
};

}  // namespace filch::inline v0::policy
