// Skynet: a tree in which every node has ten children, down to leaves that return their number; the sum of all leaves.
#pragma once

#include <cstdint>

#include "keep.hpp"

namespace filch::kernels {

inline constexpr std::uint64_t k_skynet_children = 10;

// The sum of the `leaves` leaves from `first` on; `leaves` is a power of ten.
[[gnu::noinline]] inline std::uint64_t serial_skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t each = leaves / k_skynet_children;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i != k_skynet_children; ++i) {
    sum += serial_skynet(first + i * each, each);
    keep(sum);
  }
  return sum;
}

}  // namespace filch::kernels
