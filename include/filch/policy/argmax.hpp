// The largest of some keys, ties broken at random with at most one draw.
#pragma once

#include <filch/base/random.hpp>

#include <cstddef>
#include <cstdint>

namespace filch::inline v0::policy {

// The first of the largest keys, and how many there are.
struct largest_key {
  std::size_t index;
  std::uint64_t key;
  std::uint64_t ties;
};

// `key(i)` for i in [0, count), count ≥ 1.
template <class Key>
[[nodiscard]] constexpr largest_key find_largest(std::size_t count, const Key& key) {
  largest_key found{0, key(0), 1};
  for (std::size_t i = 1; i != count; ++i) {
    const std::uint64_t k = key(i);
    if (k > found.key) {
      found = {i, k, 1};
    } else if (k == found.key) {
      ++found.ties;
    }
  }
  return found;
}

// One of the largest, each equally likely. The keys may have changed since they were searched (hints that other threads
// write): the answer is then still an index below `count`.
template <class Key>
[[nodiscard]] constexpr std::size_t choose_tie(const largest_key& found, std::size_t count, const Key& key,
                                               random_stream& random) {
  if (found.ties == 1) return found.index;
  std::uint64_t skip = random.below(found.ties);
  for (std::size_t i = found.index; i != count; ++i) {
    if (key(i) == found.key && skip-- == 0) return i;
  }
  return found.index;
}

template <class Key>
[[nodiscard]] constexpr std::size_t random_argmax(std::size_t count, const Key& key, random_stream& random) {
  return policy::choose_tie(policy::find_largest(count, key), count, key, random);
}

}  // namespace filch::inline v0::policy
