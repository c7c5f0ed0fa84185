// Pairs of coroutines, one pair per ping, all at once: the first sends a value and waits for the second's answer.
#include "../harness/asio_coroutines.hpp"

namespace filch::bench {
namespace {

struct table {
  number_channel ping{measured_pool().get_executor(), 1};
  number_channel pong{measured_pool().get_executor(), 1};
};

coroutine<void> answer(std::shared_ptr<table> at) {
  const std::uint64_t got = co_await at->ping.async_receive(k_await);
  at->pong.try_send(asio::error_code{}, got);
}
coroutine<void> ask(countdown& counter) {
  const auto at = std::make_shared<table>();
  start(answer(at));
  at->ping.try_send(asio::error_code{}, 1u);
  counter.finish(co_await at->pong.async_receive(k_await));
}

const added k_ping_pong{shape("ping_pong", [](std::uint64_t pings) {
  countdown counter{pings};
  asio::post(measured_pool(), [&counter, pings] {
    for (std::uint64_t i = 0; i != pings; ++i) start(ask(counter));
  });
  return counter.wait();
})};

}  // namespace
}  // namespace filch::bench
