// C += A · B by halving the largest of the three extents until a block fits into the cache: cache-oblivious, with no
// block size that would have to be tuned for a machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace filch::kernels {

// Extents of a product: C has rows × columns, A has rows × inner.
struct extents {
  std::size_t rows;
  std::size_t inner;
  std::size_t columns;
};

// Corners of the three blocks inside square matrices whose lines are `stride` apart.
struct product_block {
  const double* a;
  const double* b;
  double* c;
  std::size_t stride;
};

// Below this many rows, columns and inner steps a block is multiplied by loops.
inline constexpr std::size_t k_block = 32;

inline bool is_block(const extents& size) {
  return size.rows <= k_block && size.inner <= k_block && size.columns <= k_block;
}

[[gnu::noinline]] inline void multiply_block(const product_block& at, const extents& size) {
  for (std::size_t i = 0; i != size.rows; ++i) {
    double* const __restrict c = at.c + i * at.stride;
    for (std::size_t k = 0; k != size.inner; ++k) {
      const double factor = at.a[i * at.stride + k];
      const double* const __restrict b = at.b + k * at.stride;
      for (std::size_t j = 0; j != size.columns; ++j) c[j] += factor * b[j];
    }
  }
}

// The same block from another row, inner step or column on.
inline product_block from_row(const product_block& at, std::size_t row) {
  return {at.a + row * at.stride, at.b, at.c + row * at.stride, at.stride};
}
inline product_block from_inner(const product_block& at, std::size_t step) {
  return {at.a + step, at.b + step * at.stride, at.c, at.stride};
}
inline product_block from_column(const product_block& at, std::size_t column) {
  return {at.a, at.b + column, at.c + column, at.stride};
}

inline void serial_matmul(const product_block& at, const extents& size) {
  if (is_block(size)) return multiply_block(at, size);
  if (size.rows >= size.inner && size.rows >= size.columns) {
    const std::size_t half = size.rows / 2;
    serial_matmul(at, {half, size.inner, size.columns});
    serial_matmul(from_row(at, half), {size.rows - half, size.inner, size.columns});
  } else if (size.columns >= size.inner) {
    const std::size_t half = size.columns / 2;
    serial_matmul(at, {size.rows, size.inner, half});
    serial_matmul(from_column(at, half), {size.rows, size.inner, size.columns - half});
  } else {
    const std::size_t half = size.inner / 2;
    serial_matmul(at, {size.rows, half, size.columns});
    serial_matmul(from_inner(at, half), {size.rows, size.inner - half, size.columns});
  }
}

// Two matrices of small whole numbers, whose product is exact, and room for it.
struct matrices {
  explicit matrices(std::size_t size) : n{size}, a(size * size), b(size * size), c(size * size) {
    for (std::size_t i = 0; i != size * size; ++i) {
      a[i] = static_cast<double>((i * 7 + 3) % 10);
      b[i] = static_cast<double>((i * 3 + 1) % 10);
    }
  }
  void clear() { c.assign(c.size(), 0); }
  [[nodiscard]] product_block all() { return {a.data(), b.data(), c.data(), n}; }
  [[nodiscard]] extents size() const { return {n, n, n}; }
  // Every element with a weight, so that a wrong place is noticed; modulo 2⁶⁴.
  [[nodiscard]] std::uint64_t checksum() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i != c.size(); ++i) sum += static_cast<std::uint64_t>(c[i]) * (i % 97 + 1);
    return sum;
  }

  std::size_t n;
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> c;
};

}  // namespace filch::kernels
