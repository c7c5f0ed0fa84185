// CPython's random stream, number for number, so that a simulation written in Python can be repeated here exactly.
//
// The generator is the 32-bit Mersenne Twister (Matsumoto and Nishimura, 1998), seeded by an array of words as CPython
// seeds it from an integer. For everything else filch has random_stream, which is smaller, faster and splittable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <utility>

namespace filch::inline v0::sim {

class lesson_random {
 public:
  // As random.seed(seed) does for an integer from 0 on.
  explicit lesson_random(std::uint64_t seed);

  // The next 32 random bits.
  std::uint32_t bits();

  // random(): uniform in [0, 1) with 53 bits.
  double random();
  // uniform(low, high).
  double uniform(double low, double high);
  // Uniform in [0, bound), by drawing as many bits as the bound has until they lie below it. At least 1, at most
  // 2^32−1.
  std::uint32_t below(std::uint32_t bound);
  // randint(low, high): both ends included; high − low is less than 2^32 − 1.
  std::int64_t randint(std::int64_t low, std::int64_t high) {
    return low + below(static_cast<std::uint32_t>(high - low + 1));
  }

  // choice(items); not empty.
  template <class T>
  T& choice(std::span<T> items) {
    return items[below(static_cast<std::uint32_t>(items.size()))];
  }

  // shuffle(items).
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::ranges::swap(items[i - 1], items[below(static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  static constexpr std::size_t k_words = 624;

  void seed_one(std::uint32_t seed);
  void seed_array(std::span<const std::uint32_t> key);
  void refill();

  std::array<std::uint32_t, k_words> words_{};
  std::size_t next_ = k_words;
};

}  // namespace filch::inline v0::sim
