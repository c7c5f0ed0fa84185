// What the function returns must go into the output.
// expect: takes_results
#include <filch/algo/for_each.hpp>

#include <string>
#include <vector>

void f(const std::vector<int>& xs, std::vector<std::string>& out) {
#ifdef FILCH_VALID
  filch::transform(xs, out.begin(), [](int x) { return std::to_string(x); });
#else
  filch::transform(xs, out.begin(), [](int x) { return &x; });
#endif
}
