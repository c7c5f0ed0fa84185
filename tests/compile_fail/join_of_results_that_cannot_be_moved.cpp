// A result is moved to the caller; of one that cannot be, the compiler says so in a sentence.
// expect: filch::join moves what its functions return
#include <filch/fork/join.hpp>

struct fixed {
  fixed() = default;
  fixed(const fixed&) = delete;
  fixed& operator=(const fixed&) = delete;
};

void f() {
#ifdef FILCH_VALID
  static fixed there;
  (void)filch::join([] { return 1; }, []() -> fixed& { return there; });
#else
  (void)filch::join([] { return 1; }, [] { return fixed{}; });
#endif
}
