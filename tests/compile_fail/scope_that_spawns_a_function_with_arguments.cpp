// What is spawned is called without arguments.
// expect: spawnable_function
#include <filch/fork/scope.hpp>

void f() {
  filch::scope([](filch::scope_handle& s) {
#ifdef FILCH_VALID
    s.spawn([] {});
#else
    s.spawn([](int) {});
#endif
  });
}
