// uts: a node's first child, and perhaps at the same time the others. (Halving the children takes a call more for
// each.)
#pragma once

#include <filch/fork/join.hpp>

#include "../serial/uts.hpp"

namespace filch::kernels {

std::uint64_t uts(const uts_tree& tree, const uts_node& node);

// The nodes of the subtrees of the children from `first` on.
inline std::uint64_t uts_subtrees(const uts_tree& tree, const uts_node& parent, std::uint32_t first,
                                  std::uint32_t children) {
  if (first + 1 == children) return uts(tree, uts_child(parent, first));
  const auto [one, others] = join([&, first] { return uts(tree, uts_child(parent, first)); },
                                  [&, first, children] { return uts_subtrees(tree, parent, first + 1, children); });
  return one + others;
}

// The nodes of the subtree, this one included.
[[gnu::noinline]] inline std::uint64_t uts(const uts_tree& tree, const uts_node& node) {
  const std::uint32_t children = uts_children(tree, node);
  return 1 + (children == 0 ? 0 : uts_subtrees(tree, node, 0, children));
}

}  // namespace filch::kernels
