// tree_sum with a join at every node that has two subtrees.
#pragma once

#include <filch/fork/join.hpp>

#include "../serial/tree_sum.hpp"

namespace filch::kernels {

[[gnu::noinline]] inline std::uint64_t tree_sum(const tree_node* of) {
  if (of->right == nullptr) return of->value + (of->left != nullptr ? tree_sum(of->left) : 0);
  const auto [left, right] = join([of] { return tree_sum(of->left); }, [of] { return tree_sum(of->right); });
  return of->value + left + right;
}

}  // namespace filch::kernels
