#include <oneapi/tbb/parallel_invoke.h>

#include "../harness/problems.hpp"

namespace {

using filch::kernels::extents;
using filch::kernels::product_block;

void matmul(const product_block& at, const extents& size) {
  if (is_block(size)) return multiply_block(at, size);
  if (size.rows >= size.inner && size.rows >= size.columns) {
    const std::size_t half = size.rows / 2;
    tbb::parallel_invoke([&] { matmul(at, {half, size.inner, size.columns}); },
                         [&] { matmul(from_row(at, half), {size.rows - half, size.inner, size.columns}); });
  } else if (size.columns >= size.inner) {
    const std::size_t half = size.columns / 2;
    tbb::parallel_invoke([&] { matmul(at, {size.rows, size.inner, half}); },
                         [&] { matmul(from_column(at, half), {size.rows, size.inner, size.columns - half}); });
  } else {
    const std::size_t half = size.inner / 2;
    matmul(at, {size.rows, half, size.columns});
    matmul(from_inner(at, half), {size.rows, size.inner - half, size.columns});
  }
}

const filch::bench::added k_added{filch::bench::matmul_problem(matmul)};

}  // namespace
