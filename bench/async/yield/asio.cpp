// 200 chains of handlers, each of which posts the next.
#include "../harness/asio.hpp"

namespace filch::bench {
namespace {

struct yielding {
  countdown* counter;
  std::uint64_t times;
  std::uint64_t done = 0;

  void operator()() {
    if (done == times) {
      counter->finish(done);
      return;
    }
    ++done;
    asio::post(measured_pool(), *this);
  }
};

const added k_yield_many{shape("yield_many", [](std::uint64_t yields) {
  countdown counter{k_yielding_tasks};
  for (std::uint64_t i = 0; i != k_yielding_tasks; ++i) {
    asio::post(measured_pool(), yielding{&counter, yields / k_yielding_tasks});
  }
  return counter.wait();
})};

}  // namespace
}  // namespace filch::bench
