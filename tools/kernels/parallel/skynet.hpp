// skynet: a node's first child, and perhaps at the same time the others. (Halving the children takes a call more for
// each.)
#pragma once

#include <filch/fork/join.hpp>

#include "../serial/skynet.hpp"

namespace filch::kernels {

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves);

// The sum of `count` neighbouring subtrees of `each` leaves. Not inlined into itself, which would make its frame large.
// Each function captures at most three words: more than four would be referred to instead of copied into the fork's
// frame.
[[gnu::noinline]] inline std::uint64_t skynet_children(std::uint64_t first, std::uint64_t each, std::uint64_t count) {
  if (count == 1) return skynet(first, each);
  const auto [one, others] =
      join([=] { return skynet(first, each); }, [=] { return skynet_children(first + each, each, count - 1); });
  return one + others;
}

[[gnu::noinline]] inline std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  return skynet_children(first, leaves / k_skynet_children, k_skynet_children);
}

}  // namespace filch::kernels
