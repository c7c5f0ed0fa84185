#include "../harness/problems.hpp"

namespace {

std::uint64_t tree_sum(const filch::kernels::tree_node* of) {
  if (of->right == nullptr) return of->value + (of->left != nullptr ? tree_sum(of->left) : 0);
  std::uint64_t left = 0;
#pragma omp task shared(left)
  left = tree_sum(of->left);
  const std::uint64_t right = tree_sum(of->right);
#pragma omp taskwait
  return of->value + left + right;
}

const filch::bench::added k_added{filch::bench::tree_sum_problem(tree_sum)};

}  // namespace
