#include <algorithm>
#include <execution>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{filch::bench::for_each_problem(
    [](auto items) { std::for_each(std::execution::par, items.begin(), items.end(), filch::bench::cheap_step); })};
