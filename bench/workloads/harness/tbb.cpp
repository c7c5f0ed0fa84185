#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "program.hpp"

namespace filch::bench {

constinit const std::string_view k_runtime = "oneTBB";

void with_threads(unsigned threads, bool is_inside, const std::function<void()>& body) {
  const tbb::global_control limit{tbb::global_control::max_allowed_parallelism, threads};
  tbb::task_arena arena{static_cast<int>(threads)};
  if (is_inside) arena.execute([&body] { body(); });
  else body();
}

}  // namespace filch::bench
