// Sorting needs elements that can be reached at once.
// expect: sortable_range
#include <filch/algo/sort.hpp>

#include <list>
#include <vector>

void f() {
#ifdef FILCH_VALID
  std::vector<int> xs{2, 1};
#else
  std::list<int> xs{2, 1};
#endif
  filch::sort(xs);
}
