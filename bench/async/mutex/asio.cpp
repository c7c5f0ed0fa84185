// Eight chains of handlers that hand one strand to each other, which is Asio's lock; each goes on in a second handler
// there, as the others yield while they hold the lock.
#include <asio/strand.hpp>

#include "../harness/asio.hpp"

namespace filch::bench {
namespace {

using guarded_by = asio::strand<asio::thread_pool::executor_type>;

struct shared {
  guarded_by strand{measured_pool().get_executor()};
  countdown counter{k_tasks};
  std::uint64_t guarded = 0;
};

void go_on(shared& all, std::uint64_t left) {
  if (left == 0) {
    all.counter.finish_one();
    return;
  }
  asio::post(all.strand, [&all, left] {
    asio::post(all.strand, [&all, left] {
      ++all.guarded;
      go_on(all, left - 1);
    });
  });
}

const added k_mutex{shape("mutex", [](std::uint64_t times) {
  shared all;
  for (std::uint64_t i = 0; i != k_tasks; ++i) go_on(all, times / k_tasks);
  (void)all.counter.wait();
  return all.guarded;
})};

}  // namespace
}  // namespace filch::bench
