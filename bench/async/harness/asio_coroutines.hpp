// Coroutines on the thread pool, for shapes whose tasks wait.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/experimental/channel_traits.hpp>
#include <asio/experimental/concurrent_channel.hpp>
#include <asio/use_awaitable.hpp>

#include "asio.hpp"

namespace filch::bench {

using pool_executor = asio::thread_pool::executor_type;
template <class T>
using coroutine = asio::awaitable<T, pool_executor>;
inline constexpr asio::use_awaitable_t<pool_executor> k_await{};

// Numbers from any thread to any other.
using number_channel = asio::experimental::basic_concurrent_channel<pool_executor, asio::experimental::channel_traits<>,
                                                                    void(asio::error_code, std::uint64_t)>;

// Nobody waits for it.
inline void start(coroutine<void> what) {
  asio::co_spawn(measured_pool().get_executor(), std::move(what), asio::detached);
}

}  // namespace filch::bench
