// Eight tasks that hand one lock to each other: each yields while it holds it, so that all others stand in line.
#include <filch/coro/switching.hpp>
#include <filch/sync/mutex.hpp>

#include "../harness/filch.hpp"

namespace filch::bench {
namespace {

struct shared {
  mutex lock{};
  std::uint64_t guarded = 0;
  countdown counter{k_tasks};
};

task<> take_turns(shared& all, std::uint64_t times) {
  for (; times != 0; --times) {
    const auto held = co_await all.lock.async_lock();
    co_await yield();
    ++all.guarded;
  }
  all.counter.finish_one();
}

const added k_mutex{shape("mutex", [](std::uint64_t times) {
  shared all;
  for (std::uint64_t i = 0; i != k_tasks; ++i) start(take_turns(all, times / k_tasks));
  (void)all.counter.wait();
  return all.guarded;
})};

}  // namespace
}  // namespace filch::bench
