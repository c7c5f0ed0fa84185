// Numbers through one channel of coroutines: one sender and one receiver, four senders and one receiver, four and four.
// What is bounded holds 64.
#include <limits>

#include "../harness/asio_coroutines.hpp"

namespace filch::bench {
namespace {

// What is closed forgets what it holds, so the last sender sends an end to each receiver.
constexpr std::uint64_t k_end = std::numeric_limits<std::uint64_t>::max();

struct sending {
  number_channel through;
  std::atomic<std::uint64_t> senders_left;
  std::uint64_t receivers;
  countdown counter;
};

coroutine<void> send(sending& all, std::uint64_t first, std::uint64_t messages, std::uint64_t step) {
  for (std::uint64_t i = first; i < messages; i += step) {
    co_await all.through.async_send(asio::error_code{}, i, k_await);
  }
  if (all.senders_left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    for (std::uint64_t i = 0; i != all.receivers; ++i) {
      co_await all.through.async_send(asio::error_code{}, k_end, k_await);
    }
  }
  all.counter.finish_one();
}
coroutine<void> receive(sending& all) {
  std::uint64_t sum = 0;
  for (;;) {
    const std::uint64_t each = co_await all.through.async_receive(k_await);
    if (each == k_end) break;
    sum += each;
  }
  all.counter.finish(sum);
}

workload through_channel(std::string_view name, std::uint64_t senders, std::uint64_t receivers, std::size_t capacity) {
  return shape(name, [=](std::uint64_t messages) {
    sending all{
        number_channel{measured_pool().get_executor(), capacity}, {senders}, receivers, countdown{senders + receivers}};
    for (std::uint64_t i = 0; i != senders; ++i) start(send(all, i, messages, senders));
    for (std::uint64_t i = 0; i != receivers; ++i) start(receive(all));
    return all.counter.wait();
  });
}

constexpr std::size_t k_unbounded = std::numeric_limits<std::size_t>::max();

const added k_spsc{through_channel("spsc", 1, 1, k_capacity)};
const added k_spsc_unbounded{through_channel("spsc_unbounded", 1, 1, k_unbounded)};
const added k_mpsc{through_channel("mpsc", k_senders, 1, k_capacity)};
const added k_mpsc_unbounded{through_channel("mpsc_unbounded", k_senders, 1, k_unbounded)};
const added k_mpmc{through_channel("mpmc", k_senders, k_senders, k_capacity)};
const added k_mpmc_unbounded{through_channel("mpmc_unbounded", k_senders, k_senders, k_unbounded)};

}  // namespace
}  // namespace filch::bench
