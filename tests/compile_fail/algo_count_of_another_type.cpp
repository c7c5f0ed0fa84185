// What is counted must be comparable with an element.
// expect: comparable_with_element
#include <filch/algo/reduce.hpp>

#include <string>
#include <vector>

void f(const std::vector<std::string>& xs) {
#ifdef FILCH_VALID
  (void)filch::count(xs, "3");
#else
  (void)filch::count(xs, 3);
#endif
}
