// nqueens with a join between every queen that fits and the rest of its row.
#pragma once

#include <filch/fork/join.hpp>

#include "../serial/nqueens.hpp"

namespace filch::kernels {

std::uint64_t nqueens(const board& queens, unsigned row, unsigned n);

// The solutions with a queen of `row` in `column`, where one fits, or further right.
[[gnu::noinline]] inline std::uint64_t nqueens_from(const board& queens, unsigned row, unsigned n, unsigned column) {
  const auto place = [&queens, row, n, column] {
    board next = queens;
    next[row] = static_cast<std::int8_t>(column);
    return nqueens(next, row + 1, n);
  };
  const unsigned further = next_fit(queens, row, n, column + 1);
  if (further == n) return place();
  const auto [here, rest] = join(place, [&queens, row, n, further] { return nqueens_from(queens, row, n, further); });
  return here + rest;
}

// The solutions below a board whose first `row` rows are filled.
inline std::uint64_t nqueens(const board& queens, unsigned row, unsigned n) {
  if (row == n) return 1;
  const unsigned column = next_fit(queens, row, n, 0);
  return column == n ? 0 : nqueens_from(queens, row, n, column);
}

inline std::uint64_t nqueens(unsigned n) {
  return nqueens(board{}, 0, n);
}

}  // namespace filch::kernels
