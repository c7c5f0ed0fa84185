// Numbers through one channel: one sender and one receiver, four senders and one receiver, four and four. What is
// bounded holds 64.
#include <filch/sync/channel.hpp>

#include "../harness/filch.hpp"

namespace filch::bench {
namespace {

using numbers = channel<std::uint64_t>;

struct sending {
  numbers through;
  std::atomic<std::uint64_t> senders_left;
};

task<> send(sending& all, std::uint64_t first, std::uint64_t messages, std::uint64_t step) {
  for (std::uint64_t i = first; i < messages; i += step) co_await all.through.async_send(i);
  if (all.senders_left.fetch_sub(1, std::memory_order_acq_rel) == 1) all.through.close();
}
task<> receive(sending& all, countdown& counter) {
  std::uint64_t sum = 0;
  while (const auto each = co_await all.through.async_receive()) sum += *each;
  counter.finish(sum);
}

workload through_channel(std::string_view name, std::uint64_t senders, std::uint64_t receivers, std::size_t capacity) {
  return shape(name, [=](std::uint64_t messages) {
    sending all{numbers{capacity}, {senders}};
    countdown counter{receivers};
    for (std::uint64_t i = 0; i != senders; ++i) start(send(all, i, messages, senders));
    for (std::uint64_t i = 0; i != receivers; ++i) start(receive(all, counter));
    const std::uint64_t sum = counter.wait();
    measured_runtime().wait_idle();  // the last sender may still be on its way out
    return sum;
  });
}

const added k_spsc{through_channel("spsc", 1, 1, k_capacity)};
const added k_spsc_unbounded{through_channel("spsc_unbounded", 1, 1, numbers::k_unbounded)};
const added k_mpsc{through_channel("mpsc", k_senders, 1, k_capacity)};
const added k_mpsc_unbounded{through_channel("mpsc_unbounded", k_senders, 1, numbers::k_unbounded)};
const added k_mpmc{through_channel("mpmc", k_senders, k_senders, k_capacity)};
const added k_mpmc_unbounded{through_channel("mpmc_unbounded", k_senders, k_senders, numbers::k_unbounded)};

}  // namespace
}  // namespace filch::bench
