// Tasks that do nothing but count: spawned by the main thread, by one task, and each by the one before.
#include "../harness/filch.hpp"

namespace filch::bench {
namespace {

task<> count(countdown& counter) {
  counter.finish(1);
  co_return;
}
task<> spawn_all(countdown& counter, std::uint64_t tasks) {
  for (std::uint64_t i = 0; i != tasks; ++i) start_here(count(counter));
  co_return;
}
task<> link(countdown& counter, std::uint64_t left) {
  if (left > 1) start_here(link(counter, left - 1));
  counter.finish(1);
  co_return;
}

const added k_spawn_many{shape("spawn_many", [](std::uint64_t tasks) {
  countdown counter{tasks};
  for (std::uint64_t i = 0; i != tasks; ++i) start(count(counter));
  return counter.wait();
})};
const added k_spawn_inside{shape("spawn_inside", [](std::uint64_t tasks) {
  countdown counter{tasks};
  start(spawn_all(counter, tasks));
  return counter.wait();
})};
const added k_chained_spawn{shape("chained_spawn", [](std::uint64_t tasks) {
  countdown counter{tasks};
  start(link(counter, tasks));
  return counter.wait();
})};

}  // namespace
}  // namespace filch::bench
