// A stage that is not the last must return something.
// expect: stages_fit_together
#include <filch/algo/pipeline.hpp>

#include <vector>

void f(const std::vector<int>& xs) {
#ifdef FILCH_VALID
  filch::pipeline(4, xs, filch::serial([](int x) { return x; }), filch::serial([](auto) {}));
#else
  filch::pipeline(4, xs, filch::serial([](int) {}), filch::serial([](auto) {}));
#endif
}
