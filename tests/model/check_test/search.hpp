// A search whose failure is expected as often as not: quiet, with three preemptions unless told otherwise.
#pragma once

#include "litmus.hpp"

namespace filch::check::litmus {

inline result search(const std::function<void(context&)>& body, options how = {.mode = exhaustive{.preemptions = 3}}) {
  how.print_failure = false;
  return run(how, body);
}

inline void expect_clean(const result& r) {
  EXPECT_FALSE(r.failed) << r.report;
  EXPECT_TRUE(r.exhausted) << r.report;
}

}  // namespace filch::check::litmus
