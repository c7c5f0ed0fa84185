#include <kernels/serial/fib.hpp>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{filch::bench::number_problem(
    "fib", [](std::uint64_t size) { return filch::kernels::serial_fib(static_cast<std::int64_t>(size)); })};
