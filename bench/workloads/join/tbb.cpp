#include <oneapi/tbb/parallel_invoke.h>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{filch::bench::join_problem([](std::uint64_t i) {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  tbb::parallel_invoke([&] { a = filch::bench::tiny_left(i); }, [&] { b = filch::bench::tiny_right(i); });
  return a + b;
})};
