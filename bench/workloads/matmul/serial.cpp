#include "../harness/problems.hpp"

static const filch::bench::added k_added{filch::bench::matmul_problem(filch::kernels::serial_matmul)};
