#include "../harness/problems.hpp"

namespace {

void step_all(std::span<std::uint32_t> items) {
  std::uint32_t* const data = items.data();
  const std::size_t count = items.size();
#pragma omp parallel for simd
  for (std::size_t i = 0; i < count; ++i) filch::bench::cheap_step(data[i]);
}

filch::bench::workload outside() {
  filch::bench::workload made = filch::bench::for_each_problem(step_all);
  made.is_inside = false;  // the loop makes its own team
  return made;
}

const filch::bench::added k_added{outside()};

}  // namespace
