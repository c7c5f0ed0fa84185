// skynet: the ten children of a node are halved by joins until one is left.
#pragma once

#include <filch/fork/join.hpp>

#include "../serial/skynet.hpp"

namespace filch::kernels {

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves);

// The sum of `count` neighbouring subtrees of `each` leaves.
inline std::uint64_t skynet_children(std::uint64_t first, std::uint64_t each, std::uint64_t count) {
  if (count == 1) return skynet(first, each);
  const std::uint64_t half = count / 2;
  const auto [left, right] = join([=] { return skynet_children(first, each, half); },
                                  [=] { return skynet_children(first + half * each, each, count - half); });
  return left + right;
}

[[gnu::noinline]] inline std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  return skynet_children(first, leaves / k_skynet_children, k_skynet_children);
}

}  // namespace filch::kernels
