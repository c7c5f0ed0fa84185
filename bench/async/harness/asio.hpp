// The thread pool that is measured. Tasks that do not wait are handlers: its fastest form. Coroutines of Asio cost an
// allocation per frame on top.
#pragma once

#include <asio/post.hpp>
#include <asio/thread_pool.hpp>

#include "shape.hpp"

namespace filch::bench {

[[nodiscard]] asio::thread_pool& measured_pool();

}  // namespace filch::bench
