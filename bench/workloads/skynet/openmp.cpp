#include <array>
#include <kernels/serial/skynet.hpp>

#include "../harness/problems.hpp"

namespace {

using filch::kernels::k_skynet_children;

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t each = leaves / k_skynet_children;
  std::array<std::uint64_t, k_skynet_children> sums{};
  for (std::uint64_t i = 1; i != k_skynet_children; ++i) {
#pragma omp task shared(sums) firstprivate(i, first, each)
    sums[i] = skynet(first + i * each, each);
  }
  sums[0] = skynet(first, each);
#pragma omp taskwait
  std::uint64_t sum = 0;
  for (const std::uint64_t part : sums) sum += part;
  return sum;
}

const filch::bench::added k_added{
    filch::bench::number_problem("skynet", [](std::uint64_t size) { return skynet(0, size); })};

}  // namespace
