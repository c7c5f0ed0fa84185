#include <kernels/parallel/matmul.hpp>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{filch::bench::matmul_problem(filch::kernels::matmul)};
