#include <kernels/serial/nqueens.hpp>

#include "../harness/problems.hpp"

namespace {

using filch::kernels::board;
using filch::kernels::next_fit;

std::uint64_t nqueens(const board& queens, unsigned row, unsigned n) {
  if (row == n) return 1;
  const unsigned first = next_fit(queens, row, n, 0);
  if (first == n) return 0;
  std::array<std::uint64_t, filch::kernels::k_most_queens> found{};
  for (unsigned column = first; (column = next_fit(queens, row, n, column + 1)) != n;) {
#pragma omp task shared(found, queens) firstprivate(column, row, n)
    {
      board next = queens;
      next[row] = static_cast<std::int8_t>(column);
      found[column] = nqueens(next, row + 1, n);
    }
  }
  board next = queens;
  next[row] = static_cast<std::int8_t>(first);
  found[first] = nqueens(next, row + 1, n);
#pragma omp taskwait
  std::uint64_t sum = 0;
  for (const std::uint64_t each : found) sum += each;
  return sum;
}

const filch::bench::added k_added{filch::bench::number_problem(
    "nqueens", [](std::uint64_t size) { return nqueens({}, 0, static_cast<unsigned>(size)); })};

}  // namespace
