// The largest of some keys, ties broken at random with at most one draw.
#pragma once

#include <filch/base/random.hpp>

#include <cstddef>
#include <cstdint>

namespace filch::inline v0::policy {

struct best {
  std::size_t index;
  std::uint64_t key;
};

// `key(i)` for i in [0, count), count ≥ 1. Each of several largest is equally likely. The keys may change between two
// calls (hints that other threads write): the answer is then still an index below `count`.
template <class Key>
[[nodiscard]] constexpr best random_argmax(std::size_t count, const Key& key, random_stream& random) {
  best first{0, key(0)};
  std::uint64_t ties = 1;
  for (std::size_t i = 1; i != count; ++i) {
    const std::uint64_t k = key(i);
    if (k > first.key) {
      first = {i, k};
      ties = 1;
    } else if (k == first.key) {
      ++ties;
    }
  }
  if (ties == 1) return first;
  std::uint64_t skip = random.below(ties);
  for (std::size_t i = first.index; i != count; ++i) {
    if (key(i) == first.key && skip-- == 0) return {i, first.key};
  }
  return first;
}

}  // namespace filch::inline v0::policy
