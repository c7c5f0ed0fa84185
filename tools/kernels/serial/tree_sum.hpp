// The sum of the values of a binary tree in memory: nothing but pointers and calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "keep.hpp"

namespace filch::kernels {

struct tree_node {
  std::uint64_t value;
  const tree_node* left;  // null: none, and then `right` is null, too
  const tree_node* right;
};

// A balanced tree of `nodes` nodes with the values 1, 2, 3, …, each node before its subtrees.
class summed_tree {
 public:
  explicit summed_tree(std::size_t nodes) {
    nodes_.reserve(nodes);
    root_ = grow(nodes);
  }
  [[nodiscard]] const tree_node* root() const { return root_; }

 private:
  const tree_node* grow(std::size_t nodes) {
    if (nodes == 0) return nullptr;
    tree_node& made = nodes_.emplace_back(tree_node{nodes_.size() + 1, nullptr, nullptr});
    made.left = grow(nodes / 2);
    made.right = grow(nodes - 1 - nodes / 2);
    return &made;
  }

  std::vector<tree_node> nodes_;
  const tree_node* root_ = nullptr;
};

// One call per node.
[[gnu::noinline]] inline std::uint64_t serial_tree_sum(const tree_node* of) {
  std::uint64_t left = of->left != nullptr ? serial_tree_sum(of->left) : 0;
  keep(left);
  std::uint64_t right = of->right != nullptr ? serial_tree_sum(of->right) : 0;
  keep(right);
  return of->value + left + right;
}

}  // namespace filch::kernels
