#include <algorithm>
#include <execution>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{
    filch::bench::library_sort_problem([](auto items) { std::sort(std::execution::par, items.begin(), items.end()); })};
