// In how many ways n queens fit on a board of n × n: a search tree of uneven branches. One call per queen that fits.
#pragma once

#include <array>
#include <cstdint>

#include "keep.hpp"

namespace filch::kernels {

inline constexpr unsigned k_most_queens = 20;

// The column of the queen in each row so far.
using board = std::array<std::int8_t, k_most_queens>;

// May a queen stand in `column` of `row`, given those in the rows above?
inline bool fits(const board& queens, unsigned row, unsigned column) {
  for (unsigned above = 0; above != row; ++above) {
    const int across = static_cast<int>(column) - queens[above];
    const int down = static_cast<int>(row - above);
    if (across == 0 || across == down || across == -down) return false;
  }
  return true;
}

// The first column from `column` on where one fits; n when there is none.
inline unsigned next_fit(const board& queens, unsigned row, unsigned n, unsigned column) {
  while (column != n && !fits(queens, row, column)) ++column;
  return column;
}

// The solutions below a board whose first `row` rows are filled.
[[gnu::noinline]] inline std::uint64_t serial_nqueens(board& queens, unsigned row, unsigned n) {
  if (row == n) return 1;
  std::uint64_t found = 0;
  for (unsigned column = next_fit(queens, row, n, 0); column != n; column = next_fit(queens, row, n, column + 1)) {
    queens[row] = static_cast<std::int8_t>(column);
    found += serial_nqueens(queens, row + 1, n);
  }
  return found;
}

inline std::uint64_t serial_nqueens(unsigned n) {
  board queens{};
  unsigned row = 0;
  keep(row);  // g++ would make a copy of the function for each of the first eight rows
  return serial_nqueens(queens, row, n);
}

}  // namespace filch::kernels
