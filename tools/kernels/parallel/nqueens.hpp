// nqueens with a join between every queen that fits and those further right in its row.
#pragma once

#include <filch/fork/join.hpp>

#include "../serial/nqueens.hpp"

namespace filch::kernels {

// The solutions below a board whose first `row` rows are filled, with a queen of `row` in `column` or further right.
// One function for both directions: the search for the next column is compiled once, and its branches are learnt once.
[[gnu::noinline]] inline std::uint64_t nqueens(const board& queens, unsigned row, unsigned n, unsigned column) {
  if (row == n) return 1;
  column = next_fit(queens, row, n, column);
  if (column == n) return 0;
  const auto [here, further] = join(
      [&queens, row, n, column] {
        board next = queens;
        next[row] = static_cast<std::int8_t>(column);
        return nqueens(next, row + 1, n, 0);
      },
      [&queens, row, n, column] { return nqueens(queens, row, n, column + 1); });
  return here + further;
}

inline std::uint64_t nqueens(unsigned n) { return nqueens(board{}, 0, n, 0); }

}  // namespace filch::kernels
