// skynet: the ten children of a node are halved by joins until one is left.
#pragma once

#include <filch/fork/join.hpp>

#include "../serial/skynet.hpp"

namespace filch::kernels {

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves);

// The sum of `count` neighbouring subtrees of `each` leaves, at least two. Not inlined into itself, which would make its
// frame large.
[[gnu::noinline]] inline std::uint64_t skynet_children(std::uint64_t first, std::uint64_t each, std::uint64_t count) {
  const std::uint64_t half = count / 2;
  const auto part = [each](std::uint64_t from, std::uint64_t subtrees) {
    return subtrees == 1 ? skynet(from, each) : skynet_children(from, each, subtrees);
  };
  const auto [left, right] =
      join([=] { return part(first, half); }, [=] { return part(first + half * each, count - half); });
  return left + right;
}

[[gnu::noinline]] inline std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  return skynet_children(first, leaves / k_skynet_children, k_skynet_children);
}

}  // namespace filch::kernels
