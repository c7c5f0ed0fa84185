// How late tasks start that come from outside while all workers sleep.
#include "../harness/filch.hpp"

namespace filch::bench {
namespace {

template <class F>
task<> call(F function) {
  function();
  co_return;
}
constexpr auto k_start = [](auto function) { start(call(function)); };

const added k_wake{wake_shape("wake", 0.5, k_start)};
const added k_wake_p99{wake_shape("wake_p99", 0.99, k_start)};

}  // namespace
}  // namespace filch::bench
