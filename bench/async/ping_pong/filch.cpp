// Pairs of tasks, one pair per ping, all at once: the first sends a value and waits for the second's answer.
#include <filch/sync/oneshot.hpp>

#include "../harness/filch.hpp"

namespace filch::bench {
namespace {

struct table {
  oneshot<std::uint64_t> ping{};
  oneshot<std::uint64_t> pong{};
};

task<> answer(std::shared_ptr<table> at) {
  const auto got = co_await at->ping.async_receive();
  at->pong.send(*got);
}
task<> ask(countdown& counter) {
  const auto at = std::make_shared<table>();
  start_here(answer(at));
  at->ping.send(1);
  const auto got = co_await at->pong.async_receive();
  counter.finish(*got);
}
task<> ask_all(countdown& counter, std::uint64_t pings) {
  for (std::uint64_t i = 0; i != pings; ++i) start_here(ask(counter));
  co_return;
}

const added k_ping_pong{shape("ping_pong", [](std::uint64_t pings) {
  countdown counter{pings};
  start(ask_all(counter, pings));
  return counter.wait();
})};

}  // namespace
}  // namespace filch::bench
