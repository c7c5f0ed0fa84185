#include "../harness/problems.hpp"

static const filch::bench::added k_added{filch::bench::mergesort_problem(
    [](auto items, auto other) { filch::kernels::serial_mergesort(items, other, false); })};
