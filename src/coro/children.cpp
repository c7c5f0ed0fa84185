#include <filch/coro/detail/children.hpp>

#include "runtime/port.hpp"

namespace filch::inline v0::coro {
std::coroutine_handle<> children::ended_apart(promise_base& who) noexcept {
  if (coroutine_entry* const taken = port::take_back_child(this)) {
    auto& next = static_cast<promise_base&>(*taken);
    next.ran = who.ran + 1;
    return next.self;
  }
  const std::coroutine_handle<> parent = parent_;
  return unfinished_.end(who.ran) ? parent : std::noop_coroutine();
}

}  // namespace filch::inline v0::coro
