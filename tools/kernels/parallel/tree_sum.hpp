// tree_sum with a join at every node that has two subtrees.
#pragma once

#include <filch/fork/join.hpp>

#include "../serial/tree_sum.hpp"

namespace filch::kernels {

std::uint64_t tree_sum(const tree_node* of);

[[gnu::noinline]] inline std::uint64_t tree_sum_left_only(const tree_node* of) {
  std::uint64_t only = tree_sum(of->left);
  keep(only);
  return of->value + only;
}

// What a leaf does not need is read behind the test for it: so a leaf needs no registers that must be saved first.
[[gnu::noinline]] inline std::uint64_t tree_sum(const tree_node* of) {
  const tree_node* const second = of->right;
  if (second == nullptr) return of->left == nullptr ? of->value : tree_sum_left_only(of);
  keep(of);
  const std::uint64_t value = of->value;
  const tree_node* const first = of->left;
  const auto [left, right] = join([first] { return tree_sum(first); }, [second] { return tree_sum(second); });
  return value + left + right;
}

}  // namespace filch::kernels
