// What is no function is refused by name, not deep inside the join.
// expect: function_without_arguments
#include <filch/fork/join.hpp>

void f() {
#ifdef FILCH_VALID
  (void)filch::join([] { return 1; }, [] { return 2; });
#else
  (void)filch::join(1, 2);
#endif
}
