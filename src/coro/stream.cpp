#include <filch/coro/stream.hpp>

namespace filch::inline v0::coro {

void throw_empty_stream() { throw usage_error("filch: next() of a stream without a coroutine: it was moved from"); }

void throw_stream_is_awaited() {
  throw usage_error("filch: next() of a stream whose next value is being awaited already. Await one after the other");
}

}  // namespace filch::inline v0::coro
