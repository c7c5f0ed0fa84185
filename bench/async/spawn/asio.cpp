// Handlers that do nothing but count: posted by the main thread, by one handler, and each by the one before.
#include "../harness/asio.hpp"

namespace filch::bench {
namespace {

void link(countdown& counter, std::uint64_t left) {
  asio::post(measured_pool(), [&counter, left] {
    if (left > 1) link(counter, left - 1);
    counter.finish(1);
  });
}
void post_all(countdown& counter, std::uint64_t tasks) {
  for (std::uint64_t i = 0; i != tasks; ++i) asio::post(measured_pool(), [&counter] { counter.finish(1); });
}

const added k_spawn_many{shape("spawn_many", [](std::uint64_t tasks) {
  countdown counter{tasks};
  post_all(counter, tasks);
  return counter.wait();
})};
const added k_spawn_inside{shape("spawn_inside", [](std::uint64_t tasks) {
  countdown counter{tasks};
  asio::post(measured_pool(), [&counter, tasks] { post_all(counter, tasks); });
  return counter.wait();
})};
const added k_chained_spawn{shape("chained_spawn", [](std::uint64_t tasks) {
  countdown counter{tasks};
  link(counter, tasks);
  return counter.wait();
})};

}  // namespace
}  // namespace filch::bench
