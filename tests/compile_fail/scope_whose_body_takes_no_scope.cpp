// The body of a scope gets the scope.
// expect: scope_body
#include <filch/fork/scope.hpp>

void f() {
#ifdef FILCH_VALID
  filch::scope([](auto& s) { s.spawn([] {}); });
#else
  filch::scope([] {});
#endif
}
