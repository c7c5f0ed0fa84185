#include <kernels/parallel/tree_sum.hpp>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{filch::bench::tree_sum_problem(filch::kernels::tree_sum)};
