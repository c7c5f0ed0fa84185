// uts: the children of a node are halved by joins until one is left.
#pragma once

#include <filch/fork/join.hpp>

#include "../serial/uts.hpp"

namespace filch::kernels {

std::uint64_t uts(const uts_tree& tree, const uts_node& node);

// The nodes of the subtrees of the children `from` to `to` - 1.
inline std::uint64_t uts_subtrees(const uts_tree& tree, const uts_node& parent, std::uint32_t from, std::uint32_t to) {
  if (to - from == 1) return uts(tree, uts_child(parent, from));
  const std::uint32_t middle = from + (to - from) / 2;
  const auto [left, right] = join([&, middle] { return uts_subtrees(tree, parent, from, middle); },
                                  [&, middle] { return uts_subtrees(tree, parent, middle, to); });
  return left + right;
}

// The nodes of the subtree, this one included.
[[gnu::noinline]] inline std::uint64_t uts(const uts_tree& tree, const uts_node& node) {
  const std::uint32_t children = uts_children(tree, node);
  return 1 + (children == 0 ? 0 : uts_subtrees(tree, node, 0, children));
}

}  // namespace filch::kernels
