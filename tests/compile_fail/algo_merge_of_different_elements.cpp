// Elements of both inputs are compared with each other and go to the same output.
// expect: mergeable
#include <filch/algo/merge.hpp>

#include <string>
#include <vector>

void f(const std::vector<int>& xs, std::vector<int>& out) {
#ifdef FILCH_VALID
  const std::vector<int> ys{1, 2};
#else
  const std::vector<std::string> ys{"1", "2"};
#endif
  filch::merge(xs, ys, out.begin());
}
