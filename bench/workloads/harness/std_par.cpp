// std::execution::par of libstdc++, which uses oneTBB.
#include <oneapi/tbb/global_control.h>

#include "program.hpp"

namespace filch::bench {

constinit const std::string_view k_runtime = "std::execution::par";

void with_threads(unsigned threads, bool, const std::function<void()>& body) {
  const tbb::global_control limit{tbb::global_control::max_allowed_parallelism, threads};
  body();
}

}  // namespace filch::bench
