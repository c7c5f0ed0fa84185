// A random stream that is small, fast, seedable and splittable, with distributions of our own.
//
// The generator is xoshiro256** (Blackman and Vigna, 2018), seeded through SplitMix64. The standard library's
// distributions are not used: they differ between libraries, and a run must be repeatable from its printed seed.
// Everything here gives the same numbers on every compiler.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace filch::inline v0 {

// One step of SplitMix64: turns a counter into well-mixed bits.
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

class random_stream {
 public:
  constexpr explicit random_stream(std::uint64_t seed = 0) {
    for (auto& word : state_) word = splitmix64(seed);
  }

  // The next 64 random bits.
  constexpr std::uint64_t bits() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // A stream of its own for part `index`. Depends on this stream's present state, which it does not change, so worker
  // 3 gets the same numbers whether there are 4 workers or 400.
  [[nodiscard]] constexpr random_stream split(std::uint64_t index) const {
    std::uint64_t mixed = state_[0] ^ std::rotl(state_[1], 16) ^ std::rotl(state_[2], 32) ^ std::rotl(state_[3], 48);
    mixed = splitmix64(mixed) ^ index;
    return random_stream{splitmix64(mixed)};
  }

  // Uniform in [0, bound), without bias (Lemire 2019). `bound` is at least 1.
  constexpr std::uint64_t below(std::uint64_t bound) {
    __extension__ using wide = unsigned __int128;
    wide product = static_cast<wide>(bits()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<wide>(bits()) * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // Uniform in [0, 1) with 53 bits.
  constexpr double unit() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  // Uniform in [low, high).
  constexpr double uniform(double low, double high) { return low + (high - low) * unit(); }

  // Exponential with the given mean. Uses a logarithm of our own: the C library's differ in the last bit.
  double exponential(double mean);

  friend constexpr bool operator==(const random_stream&, const random_stream&) = default;

 private:
  std::uint64_t state_[4]{};
};

// A natural logarithm that gives the same bits everywhere: for finite x > 0, within 2 units in the last place.
[[nodiscard]] double portable_log(double x);

// A random order of `items`, drawn one item at a time: a caller that stops after two has drawn two.
// It needs no reset between orders: a partial Fisher–Yates shuffle of any arrangement is again uniform.
template <class T>
class lazy_shuffle {
 public:
  constexpr explicit lazy_shuffle(std::span<T> items) : items_{items} {}

  [[nodiscard]] constexpr bool is_done() const { return drawn_ == items_.size(); }

  // The next item of this order; call only when not done.
  constexpr T next(random_stream& random) {
    const std::size_t other = drawn_ + static_cast<std::size_t>(random.below(items_.size() - drawn_));
    std::swap(items_[drawn_], items_[other]);
    return items_[drawn_++];
  }

 private:
  std::span<T> items_;
  std::size_t drawn_ = 0;
};

}  // namespace filch::inline v0
