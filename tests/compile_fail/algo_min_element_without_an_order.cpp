// Elements without an order of their own need a comparison.
// expect: order_of_elements
#include <filch/algo/reduce.hpp>

#include <vector>

struct point {
  int x;
  int y;
};

void f(const std::vector<point>& xs) {
#ifdef FILCH_VALID
  (void)filch::min_element(xs, [](const point& a, const point& b) { return a.x < b.x; });
#else
  (void)filch::min_element(xs);
#endif
}
