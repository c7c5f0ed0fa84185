#include <filch/algo/for_each.hpp>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{
    filch::bench::for_each_problem([](auto items) { filch::for_each(items, filch::bench::cheap_step); })};
