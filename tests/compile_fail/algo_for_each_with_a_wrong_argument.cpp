// A function that cannot be called with an element is refused by name, not deep inside the loop.
// expect: callable_with_element
#include <filch/algo/for_each.hpp>

#include <string>
#include <vector>

void f() {
  std::vector<int> xs{1, 2};
#ifdef FILCH_VALID
  filch::for_each(xs, [](int) {});
#else
  filch::for_each(xs, [](const std::string&) {});
#endif
}
