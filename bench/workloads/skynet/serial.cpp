#include <kernels/serial/skynet.hpp>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{
    filch::bench::number_problem("skynet", [](std::uint64_t size) { return filch::kernels::serial_skynet(0, size); })};
