// tree_sum with a join at every node that has two subtrees.
#pragma once

#include <filch/fork/join.hpp>

#include "../serial/tree_sum.hpp"

namespace filch::kernels {

[[gnu::noinline]] inline std::uint64_t tree_sum(const tree_node* of) {
  const std::uint64_t value = of->value;
  const tree_node* const first = of->left;
  const tree_node* const second = of->right;
  if (second == nullptr) {
    if (first == nullptr) return value;
    std::uint64_t only = tree_sum(first);
    keep(only);
    return value + only;
  }
  const auto [left, right] = join([first] { return tree_sum(first); }, [second] { return tree_sum(second); });
  return value + left + right;
}

}  // namespace filch::kernels
