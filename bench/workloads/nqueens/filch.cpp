#include <kernels/parallel/nqueens.hpp>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{filch::bench::number_problem(
    "nqueens", [](std::uint64_t size) { return filch::kernels::nqueens(static_cast<unsigned>(size)); })};
