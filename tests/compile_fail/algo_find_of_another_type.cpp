// What is looked for must be comparable with an element.
// expect: comparable_with_element
#include <filch/algo/find.hpp>

#include <string>
#include <vector>

void f(const std::vector<int>& xs) {
#ifdef FILCH_VALID
  (void)filch::find(xs, 3L);
#else
  (void)filch::find(xs, std::string{"3"});
#endif
}
