// 200 tasks that yield in turn.
#include <filch/coro/switching.hpp>

#include "../harness/filch.hpp"

namespace filch::bench {
namespace {

task<> yield_often(countdown& counter, std::uint64_t times) {
  std::uint64_t done = 0;
  while (done != times) {
    co_await yield();
    ++done;
  }
  counter.finish(done);
}

const added k_yield_many{shape("yield_many", [](std::uint64_t yields) {
  countdown counter{k_yielding_tasks};
  for (std::uint64_t i = 0; i != k_yielding_tasks; ++i) start(yield_often(counter, yields / k_yielding_tasks));
  return counter.wait();
})};

}  // namespace
}  // namespace filch::bench
