// A loop over a range that goes on for ever would never return; a search may.
// expect: reachable_end
#include <filch/algo/find.hpp>
#include <filch/algo/for_each.hpp>

#include <ranges>

void f() {
#ifdef FILCH_VALID
  (void)filch::find(std::views::iota(0), 3);
  filch::for_each(std::views::iota(0, 10), [](int) {});
#else
  filch::for_each(std::views::iota(0), [](int) {});
#endif
}
