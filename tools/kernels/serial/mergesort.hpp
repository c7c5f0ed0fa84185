// Merge sort: halves are sorted, then merged through a second array of the same length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace filch::kernels {

// Up to this many are sorted by insertion.
inline constexpr std::size_t k_insertion_items = 32;

inline void sort_by_insertion(std::span<std::uint32_t> items) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    const std::uint32_t moving = items[i];
    std::size_t at = i;
    for (; at != 0 && items[at - 1] > moving; --at) items[at] = items[at - 1];
    items[at] = moving;
  }
}

// Merges two sorted ranges into `to`, which is as long as both.
inline void serial_merge(std::span<const std::uint32_t> left, std::span<const std::uint32_t> right, std::uint32_t* to) {
  const std::uint32_t* a = left.data();
  const std::uint32_t* const a_end = a + left.size();
  const std::uint32_t* b = right.data();
  const std::uint32_t* const b_end = b + right.size();
  while (a != a_end && b != b_end) {
    const bool is_right = *b < *a;
    *to++ = is_right ? *b : *a;
    a += !is_right;
    b += is_right;
  }
  to = std::copy(a, a_end, to);
  std::copy(b, b_end, to);
}

// Where to cut two sorted ranges so that what is before both cuts may be merged apart from the rest.
struct merge_cut {
  std::size_t left;
  std::size_t right;
};

// Merges of no more than this are not cut any further: finding a cut costs about as much as merging 100 items.
inline constexpr std::size_t k_serial_merge_items = 2048;

// The middle of the longer range, and its place in the other.
inline merge_cut cut_of(std::span<const std::uint32_t> left, std::span<const std::uint32_t> right) {
  const auto place = [](std::span<const std::uint32_t> in, std::uint32_t of) {
    return static_cast<std::size_t>(std::ranges::lower_bound(in, of) - in.begin());
  };
  if (left.size() >= right.size()) return {left.size() / 2, place(right, left[left.size() / 2])};
  return {place(left, right[right.size() / 2]), right.size() / 2};
}

// Sorts `items`; the result is in `items`, or in `other` when that is asked for. Both are overwritten.
inline void serial_mergesort(std::span<std::uint32_t> items, std::span<std::uint32_t> other, bool into_other) {
  if (items.size() <= k_insertion_items) {
    sort_by_insertion(items);
    if (into_other) std::ranges::copy(items, other.begin());
    return;
  }
  const std::size_t half = items.size() / 2;
  serial_mergesort(items.first(half), other.first(half), !into_other);
  serial_mergesort(items.subspan(half), other.subspan(half), !into_other);
  const auto from = into_other ? items : other;
  serial_merge(from.first(half), from.subspan(half), (into_other ? other : items).data());
}

// The numbers to sort: the same on every machine and in every language.
inline std::vector<std::uint32_t> numbers_to_sort(std::size_t count) {
  std::vector<std::uint32_t> made(count);
  std::uint64_t state = 88172645463325252u;
  for (std::uint32_t& each : made) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    each = static_cast<std::uint32_t>(state >> 33);
  }
  return made;
}

// Depends on the order.
inline std::uint64_t order_checksum(std::span<const std::uint32_t> items) {
  std::uint64_t sum = 0;
  for (const std::uint32_t each : items) sum = sum * 31 + each;
  return sum;
}

}  // namespace filch::kernels
