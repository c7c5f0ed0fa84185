// fib and skynet: at every node a parallel group of coroutines, one for each child.
#include <array>
#include <asio/experimental/deferred.hpp>
#include <asio/experimental/parallel_group.hpp>
#include <exception>
#include <tuple>

#include "../harness/asio_coroutines.hpp"

namespace filch::bench {
namespace {

// The sum of what all of them return. None throws.
template <class... Parts>
coroutine<std::uint64_t> sum_of(Parts... parts) {
  const auto results =
      co_await asio::experimental::make_parallel_group(
          asio::co_spawn(measured_pool().get_executor(), std::move(parts), asio::experimental::deferred)...)
          .async_wait(asio::experimental::wait_for_all(), k_await);
  co_return std::apply(
      [](const auto&, const auto&... each) {
        std::uint64_t sum = 0;
        const auto add = [&sum](const auto& value) {
          if constexpr (std::is_same_v<decltype(value), const std::uint64_t&>) sum += value;
        };
        (add(each), ...);
        return sum;
      },
      results);
}

coroutine<std::uint64_t> fib(std::uint64_t n) {
  if (n < 2) co_return n;
  co_return co_await sum_of(fib(n - 1), fib(n - 2));
}

coroutine<std::uint64_t> skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) co_return first;
  const std::uint64_t each = leaves / 10;
  const auto child = [first, each](std::uint64_t i) { return skynet(first + i * each, each); };
  co_return co_await sum_of(child(0), child(1), child(2), child(3), child(4), child(5), child(6), child(7), child(8),
                            child(9));
}

coroutine<void> tell(coroutine<std::uint64_t> what, countdown& counter) { counter.finish(co_await std::move(what)); }

const added k_fib{shape("fib", [](std::uint64_t n) {
  countdown counter{1};
  start(tell(fib(n), counter));
  return counter.wait();
})};
const added k_skynet{shape("skynet", [](std::uint64_t leaves) {
  countdown counter{1};
  start(tell(skynet(0, leaves), counter));
  return counter.wait();
})};

}  // namespace
}  // namespace filch::bench
