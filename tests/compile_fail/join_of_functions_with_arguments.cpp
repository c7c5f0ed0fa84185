// A function that wants an argument is refused by name; it may be any of them.
// expect: function_without_arguments
#include <filch/fork/join.hpp>

void f() {
#ifdef FILCH_VALID
  filch::join([] {}, [] {}, [](int = 0) {});
#else
  filch::join([] {}, [] {}, [](int) {});
#endif
}
