#include <filch/sim/lesson_random.hpp>

#include <filch/base/assert.hpp>

#include <algorithm>
#include <bit>

namespace filch::inline v0::sim {

lesson_random::lesson_random(std::uint64_t seed) {
  const std::array<std::uint32_t, 2> words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  seed_array(std::span{words}.first(words[1] == 0 ? 1 : 2));
}

void lesson_random::seed_one(std::uint32_t seed) {
  words_[0] = seed;
  for (std::uint32_t i = 1; i != k_words; ++i) {
    words_[i] = 1812433253u * (words_[i - 1] ^ (words_[i - 1] >> 30)) + i;
  }
}

// Stirs the key into the state, then the state into itself. Word 0 takes over the last one at each turn of the ring.
void lesson_random::seed_array(std::span<const std::uint32_t> key) {
  seed_one(19650218u);
  std::size_t i = 1;
  const auto stirred = [&](std::uint32_t factor) {
    return words_[i] ^ ((words_[i - 1] ^ (words_[i - 1] >> 30)) * factor);
  };
  const auto step = [&] {
    if (++i < k_words) return;
    words_[0] = words_[k_words - 1];
    i = 1;
  };
  std::size_t j = 0;
  for (std::size_t count = std::max(k_words, key.size()); count != 0; --count) {
    words_[i] = stirred(1664525u) + key[j] + static_cast<std::uint32_t>(j);
    step();
    if (++j == key.size()) j = 0;
  }
  for (std::size_t count = k_words - 1; count != 0; --count) {
    words_[i] = stirred(1566083941u) - static_cast<std::uint32_t>(i);
    step();
  }
  words_[0] = 0x80000000u;
}

void lesson_random::refill() {
  constexpr std::size_t k_middle = 397;
  for (std::size_t i = 0; i != k_words; ++i) {
    const std::uint32_t mixed = (words_[i] & 0x80000000u) | (words_[(i + 1) % k_words] & 0x7fffffffu);
    words_[i] = words_[(i + k_middle) % k_words] ^ (mixed >> 1) ^ ((mixed & 1) != 0 ? 0x9908b0dfu : 0u);
  }
  next_ = 0;
}

std::uint32_t lesson_random::bits() {
  if (next_ == k_words) refill();
  std::uint32_t y = words_[next_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

double lesson_random::random() {
  const double high = bits() >> 5;
  const double low = bits() >> 6;
  return (high * 0x1.0p26 + low) * 0x1.0p-53;
}

// Here, not in the header: this file is compiled without contraction of products and sums.
double lesson_random::uniform(double low, double high) { return low + (high - low) * random(); }

std::uint32_t lesson_random::below(std::uint32_t bound) {
  FILCH_ASSERT(bound >= 1, bound);
  const int shift = std::countl_zero(bound);
  std::uint32_t drawn = bits() >> shift;
  while (drawn >= bound) drawn = bits() >> shift;
  return drawn;
}

}  // namespace filch::inline v0::sim
