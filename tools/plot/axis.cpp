#include "axis.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace filch::plot {
namespace {

constexpr double k_ticks = 6;  // approximately, on a linear axis
// A logarithmic axis that spans fewer decades than this has ticks at 2 and 5, too.
constexpr double k_few_decades = 2.5;

}  // namespace

std::string number_text(double value) {
  if (value == 0) value = 0;  // no "-0"
  std::array<char, 32> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 6);
  return error == std::errc{} ? std::string{buffer.data(), end} : std::string{"?"};
}

axis::axis(double least, double most, bool is_log) : is_log_{is_log} {
  if (is_log) {
    choose_log(least, most);
  } else {
    choose_linear(least, most);
  }
}

void axis::choose_linear(double least, double most) {
  if (most - least <= 1e-12 * std::abs(most)) {  // one value: room on both sides
    const double room = most == 0 ? 1 : std::abs(most) / 2;
    least -= room;
    most += room;
  }
  const double rough = (most - least) / k_ticks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  }
  const double first = std::floor(least / step + 1e-9);
  const double last = std::ceil(most / step - 1e-9);
  low_ = first * step;
  high_ = last * step;
  for (double i = first; i <= last; ++i) ticks_.push_back({i * step, number_text(i * step)});
}

void axis::choose_log(double least, double most) {
  low_ = std::log10(least);
  high_ = std::log10(most);
  const double room = high_ - low_ < 1e-9 ? 0.3 : 0.04 * (high_ - low_);
  low_ -= room;
  high_ += room;
  const bool has_few = high_ - low_ < k_few_decades;
  for (double decade = std::floor(low_); decade <= std::ceil(high_); ++decade) {
    for (int digit = 1; digit != 10; ++digit) {
      const double value = digit * std::pow(10, decade);
      const double at = std::log10(value);
      if (at < low_ || at > high_) continue;
      const bool is_named = digit == 1 || (has_few && (digit == 2 || digit == 5));
      ticks_.push_back({value, is_named ? number_text(value) : std::string{}});
    }
  }
}

double axis::place(double value) const { return ((is_log_ ? std::log10(value) : value) - low_) / (high_ - low_); }

}  // namespace filch::plot
