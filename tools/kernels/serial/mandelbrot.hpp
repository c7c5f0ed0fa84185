// How often z² + c may be applied before it leaves a circle, for the points of a square picture of the Mandelbrot set:
// lines of very different cost. The sum over all points.
#pragma once

#include <cstdint>

namespace filch::kernels {

inline constexpr std::uint32_t k_most_steps = 1000;

inline std::uint32_t steps_to_escape(double x, double y) {
  double re = 0;
  double im = 0;
  std::uint32_t steps = 0;
  for (; steps != k_most_steps; ++steps) {
    const double re2 = re * re;
    const double im2 = im * im;
    if (re2 + im2 > 4) break;
    im = 2 * re * im + y;
    re = re2 - im2 + x;
  }
  return steps;
}

// The sum of one line of a picture of `size` × `size` points over [-2, 1] × [-1.5, 1.5].
inline std::uint64_t mandelbrot_line(std::uint32_t line, std::uint32_t size) {
  const double step = 3.0 / size;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i != size; ++i) sum += steps_to_escape(-2 + step * i, -1.5 + step * line);
  return sum;
}

inline std::uint64_t serial_mandelbrot(std::uint32_t size) {
  std::uint64_t sum = 0;
  for (std::uint32_t line = 0; line != size; ++line) sum += mandelbrot_line(line, size);
  return sum;
}

}  // namespace filch::kernels
