#include <vector>

#include "trees.hpp"

namespace {

using filch::kernels::uts_node;
using filch::kernels::uts_tree;

std::uint64_t uts(const uts_tree& tree, const uts_node& node) {
  const std::uint32_t children = uts_children(tree, node);
  if (children == 0) return 1;
  std::vector<std::uint64_t> nodes(children);
  for (std::uint32_t i = 1; i != children; ++i) {
#pragma omp task shared(nodes, tree, node) firstprivate(i)
    nodes[i] = uts(tree, uts_child(node, i));
  }
  nodes[0] = uts(tree, uts_child(node, 0));
#pragma omp taskwait
  std::uint64_t sum = 1;
  for (const std::uint64_t each : nodes) sum += each;
  return sum;
}

const filch::bench::added k_t1{filch::bench::uts_t1_problem(uts)};
const filch::bench::added k_t3{filch::bench::uts_t3_problem(uts)};

}  // namespace
