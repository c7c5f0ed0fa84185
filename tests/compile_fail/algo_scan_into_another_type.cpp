// The sums must go into the output.
// expect: takes_values
#include <filch/algo/scan.hpp>

#include <vector>

#ifdef FILCH_VALID
using sums = std::vector<double>;
#else
using sums = std::vector<void*>;
#endif

void f(const std::vector<double>& xs, sums& out) { filch::inclusive_scan(xs, out.begin()); }
