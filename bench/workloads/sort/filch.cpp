#include <filch/algo/sort.hpp>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{filch::bench::library_sort_problem([](auto items) { filch::sort(items); })};
