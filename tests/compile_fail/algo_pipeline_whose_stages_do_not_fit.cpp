// A stage gets what the one before returned.
// expect: stages_fit_together
#include <filch/algo/pipeline.hpp>

#include <string>
#include <vector>

void f(const std::vector<int>& xs) {
#ifdef FILCH_VALID
  filch::pipeline(4, xs, filch::parallel([](int x) { return std::to_string(x); }),
                  filch::serial([](const std::string&) {}));
#else
  filch::pipeline(4, xs, filch::parallel([](int x) { return x; }), filch::serial([](const std::string&) {}));
#endif
}
