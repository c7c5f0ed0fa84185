#include "../harness/problems.hpp"

static const filch::bench::added k_added{filch::bench::join_problem(
    [](std::uint64_t i) { return filch::bench::tiny_left(i) + filch::bench::tiny_right(i); })};
