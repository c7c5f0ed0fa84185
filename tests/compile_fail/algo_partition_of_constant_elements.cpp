// Elements that cannot change places cannot be partitioned.
// expect: permutable
#include <filch/algo/partition.hpp>

#include <vector>

#ifdef FILCH_VALID
using numbers = std::vector<int>;
#else
using numbers = const std::vector<int>;
#endif

void f(numbers& xs) {
  filch::partition(xs, [](int x) { return x > 0; });
}
