// One axis: from values to places along it, and where its ticks are.
#pragma once

#include <string>
#include <vector>

namespace filch::plot {

struct tick {
  double value = 0;
  std::string text;  // empty: a small tick without a number
};

class axis {
 public:
  // Wide enough for both values; its ends are ticks of their own or lie a little beyond the values.
  axis(double least, double most, bool is_log);

  // 0 at the lower end, 1 at the upper.
  [[nodiscard]] double place(double value) const;
  [[nodiscard]] const std::vector<tick>& ticks() const { return ticks_; }
  [[nodiscard]] double low() const { return low_; }

 private:
  void choose_linear(double least, double most);
  void choose_log(double least, double most);

  double low_ = 0;
  double high_ = 1;
  bool is_log_ = false;
  std::vector<tick> ticks_;
};

// "0.25", "1500", "2e+06": the shortest text that keeps six digits.
[[nodiscard]] std::string number_text(double value);

}  // namespace filch::plot
