// A stage says whether it is serial or parallel.
// expect: pipeline_stage
#include <filch/algo/pipeline.hpp>

#include <vector>

void f(const std::vector<int>& xs) {
#ifdef FILCH_VALID
  filch::pipeline(4, xs, filch::parallel([](int x) { return x; }), filch::serial([](int) {}));
#else
  filch::pipeline(4, xs, [](int x) { return x; }, [](int) {});
#endif
}
