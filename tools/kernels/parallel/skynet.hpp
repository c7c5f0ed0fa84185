// skynet: the ten children of a node are halved by joins until one is left.
#pragma once

#include <filch/fork/join.hpp>

#include "../serial/skynet.hpp"

namespace filch::kernels {

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves);
std::uint64_t skynet_children(std::uint64_t first, std::uint64_t each, std::uint64_t count);

// The sum of `count` neighbouring subtrees of `each` leaves.
inline std::uint64_t skynet_part(std::uint64_t first, std::uint64_t each, std::uint64_t count) {
  return count == 1 ? skynet(first, each) : skynet_children(first, each, count);
}

// The same for at least two. Not inlined into itself, which would make its frame large. Each function captures three
// words: more than four would be referred to instead of copied into the fork's frame.
[[gnu::noinline]] inline std::uint64_t skynet_children(std::uint64_t first, std::uint64_t each, std::uint64_t count) {
  const std::uint64_t half = count / 2;
  const std::uint64_t rest = count - half;
  const std::uint64_t middle = first + half * each;
  const auto [left, right] =
      join([=] { return skynet_part(first, each, half); }, [=] { return skynet_part(middle, each, rest); });
  return left + right;
}

[[gnu::noinline]] inline std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  return skynet_children(first, leaves / k_skynet_children, k_skynet_children);
}

}  // namespace filch::kernels
