// T1 by its depth, T3 by the number of its root's children.
#pragma once

#include <kernels/serial/uts.hpp>

#include "../harness/problems.hpp"

namespace filch::bench {

// `count(tree, root)` walks a tree.
template <class Count>
workload uts_t1_problem(Count count) {
  return number_problem("uts_t1", [count](std::uint64_t size) {
    const kernels::uts_tree tree = kernels::uts_t1(static_cast<std::uint32_t>(size));
    return count(tree, kernels::uts_root(tree));
  });
}

template <class Count>
workload uts_t3_problem(Count count) {
  return number_problem("uts_t3", [count](std::uint64_t size) {
    const kernels::uts_tree tree = kernels::uts_t3(static_cast<std::uint32_t>(size));
    return count(tree, kernels::uts_root(tree));
  });
}

}  // namespace filch::bench
