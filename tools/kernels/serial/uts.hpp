// Unbalanced Tree Search (Olivier et al., LCPC 2006): counts the nodes of a tree that is made while it is walked. Each
// node is a SHA-1 state; it decides how many children the node has, and the states of the children follow from it. So
// the tree is the same on every machine, and the size of a subtree is not known without walking it.
//
// T1 is geometric: the number of children has a geometric distribution with mean 4, down to depth 10.
// T3 is binomial: below the root's 2000 children a node has 8 children with probability 0.124875, otherwise none.
#pragma once

#include <cmath>
#include <cstdint>

#include "sha1.hpp"

namespace filch::kernels {

struct uts_tree {
  bool is_geometric;
  double root_branch;      // b0
  std::uint32_t depth;     // geometric: nodes that deep have no children
  double branch_chance;    // binomial: q
  std::uint32_t branches;  // binomial: m
  std::uint32_t seed;
  double log_1_minus_p = 0;  // geometric: of the probability that gives the mean b0
};

inline uts_tree uts_t1(std::uint32_t depth = 10) { return {true, 4, depth, 0, 0, 19, std::log(1 - 1.0 / (1 + 4.0))}; }
inline uts_tree uts_t3(std::uint32_t root_branch = 2000) {
  return {false, static_cast<double>(root_branch), 0, 0.124875, 8, 42};
}

// The published numbers of nodes of the full trees.
inline constexpr std::uint64_t k_uts_t1_nodes = 4'130'071;
inline constexpr std::uint64_t k_uts_t3_nodes = 4'112'897;

struct uts_node {
  sha1_words state;
  std::uint32_t depth;
};

inline uts_node uts_root(const uts_tree& tree) { return {sha1_of_words<5>({0, 0, 0, 0, tree.seed}), 0}; }

inline uts_node uts_child(const uts_node& parent, std::uint32_t number) {
  const sha1_words& s = parent.state;
  return {sha1_of_words<6>({s[0], s[1], s[2], s[3], s[4], number}), parent.depth + 1};
}

inline std::uint32_t uts_children(const uts_tree& tree, const uts_node& node) {
  const double chance = static_cast<double>(node.state[4] & 0x7fffffffu) / 2147483648.0;
  if (!tree.is_geometric) {
    if (node.depth == 0) return static_cast<std::uint32_t>(tree.root_branch);
    return chance < tree.branch_chance ? tree.branches : 0;
  }
  if (node.depth >= tree.depth) return 0;
  return static_cast<std::uint32_t>(std::floor(std::log(1 - chance) / tree.log_1_minus_p));
}

// The nodes of the subtree, this one included.
[[gnu::noinline]] inline std::uint64_t serial_uts(const uts_tree& tree, const uts_node& node) {
  const std::uint32_t children = uts_children(tree, node);
  std::uint64_t nodes = 1;
  for (std::uint32_t i = 0; i != children; ++i) nodes += serial_uts(tree, uts_child(node, i));
  return nodes;
}

}  // namespace filch::kernels
