#include <kernels/parallel/uts.hpp>

#include "trees.hpp"

static const filch::bench::added k_t1{filch::bench::uts_t1_problem(filch::kernels::uts)};
static const filch::bench::added k_t3{filch::bench::uts_t3_problem(filch::kernels::uts)};
