#include <kernels/serial/nqueens.hpp>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{filch::bench::number_problem(
    "nqueens", [](std::uint64_t size) { return filch::kernels::serial_nqueens(static_cast<unsigned>(size)); })};
