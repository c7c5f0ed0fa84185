#include <oneapi/tbb/parallel_sort.h>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{
    filch::bench::library_sort_problem([](auto items) { tbb::parallel_sort(items.begin(), items.end()); })};
