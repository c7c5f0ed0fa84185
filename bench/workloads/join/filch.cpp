#include <filch/fork/join.hpp>

#include "../harness/problems.hpp"

static const filch::bench::added k_added{filch::bench::join_problem([](std::uint64_t i) {
  const auto [a, b] =
      filch::join([i] { return filch::bench::tiny_left(i); }, [i] { return filch::bench::tiny_right(i); });
  return a + b;
})};
