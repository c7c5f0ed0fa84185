// An index is an integer: a last one of 2.5 is not cut to 2.
// expect: index_number
#include <filch/algo/for_each.hpp>

#include <vector>

void f(const std::vector<int>& xs) {
#ifdef FILCH_VALID
  filch::for_index(0, xs.size(), [](std::size_t) {});
#else
  filch::for_index(0, 2.5, [](int) {});
#endif
}
