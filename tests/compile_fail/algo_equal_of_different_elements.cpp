// Elements of both ranges are compared with each other.
// expect: relation_of_elements
#include <filch/algo/compare.hpp>

#include <string>
#include <vector>

bool f(const std::vector<int>& xs, const std::vector<long>& ys, const std::vector<std::string>& words) {
#ifdef FILCH_VALID
  return filch::equal(xs, ys) && !words.empty();
#else
  return filch::equal(xs, words) && !ys.empty();
#endif
}
