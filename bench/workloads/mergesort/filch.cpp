#include <kernels/parallel/mergesort.hpp>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{
    filch::bench::mergesort_problem([](auto items, auto other) { filch::kernels::mergesort(items, other, false); })};
