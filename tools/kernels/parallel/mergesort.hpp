// mergesort: the halves are sorted by a join, and the merge is split, too: the middle of the longer half has its place
// in the other one, and what lies before and behind is merged independently.
#pragma once

#include <filch/fork/join.hpp>

#include "../serial/mergesort.hpp"

namespace filch::kernels {

inline void merge(std::span<const std::uint32_t> left, std::span<const std::uint32_t> right, std::uint32_t* to) {
  if (left.size() + right.size() <= k_serial_merge_items) return serial_merge(left, right, to);
  const merge_cut cut = cut_of(left, right);
  join([&] { merge(left.first(cut.left), right.first(cut.right), to); },
       [&] { merge(left.subspan(cut.left), right.subspan(cut.right), to + cut.left + cut.right); });
}

// As serial_mergesort.
inline void mergesort(std::span<std::uint32_t> items, std::span<std::uint32_t> other, bool into_other) {
  if (items.size() <= k_insertion_items) return serial_mergesort(items, other, into_other);
  const std::size_t half = items.size() / 2;
  join([&] { mergesort(items.first(half), other.first(half), !into_other); },
       [&] { mergesort(items.subspan(half), other.subspan(half), !into_other); });
  const auto from = into_other ? items : other;
  merge(from.first(half), from.subspan(half), (into_other ? other : items).data());
}

}  // namespace filch::kernels
