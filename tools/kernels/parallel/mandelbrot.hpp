// mandelbrot: the lines are halved by joins until one is left.
#pragma once

#include <filch/fork/join.hpp>

#include "../serial/mandelbrot.hpp"

namespace filch::kernels {

// The sum of the lines `from` to `to` - 1.
inline std::uint64_t mandelbrot(std::uint32_t size, std::uint32_t from, std::uint32_t to) {
  if (to - from == 1) return mandelbrot_line(from, size);
  const std::uint32_t middle = from + (to - from) / 2;
  const auto [above, below] =
      join([=] { return mandelbrot(size, from, middle); }, [=] { return mandelbrot(size, middle, to); });
  return above + below;
}

}  // namespace filch::kernels
