#include <filch/time/timer.hpp>

#include "runtime/port.hpp"
#include "time/timers.hpp"

#include <filch/base/assert.hpp>

#include <thread>
#include <utility>

namespace filch::inline v0::time {

timer::node::node(function called, void* with) noexcept
    : timer_node{[](timer_node& self, timer_state how) noexcept {
        auto& mine = static_cast<node&>(self);
        if (how == timer_state::fired) {
          mine.was_called = true;
          mine.what(mine.argument);
        }
        // [Z13] release store: publishes the effects of the call → [Z14] in cancel().
        mine.is_over.store(true, std::memory_order_release);
      }},
      what{called},
      argument{with} {}

void timer::start(time_ns at_ns) {
  FILCH_ASSERT(shard_ == nullptr && port::current_home() != nullptr);
  timers& all = timers::of(port::here());
  timers::shard& at = all.own_shard();
  node_.at_ns = at_ns;
  shard_ = &at;
  if (!all.start(node_, at)) shard_ = nullptr;  // the runtime ends
}

// If the function is being called, waits until the call has returned.
bool timer::cancel() noexcept {
  auto* const at = static_cast<timers::shard*>(std::exchange(shard_, nullptr));
  if (at == nullptr || at->cancel(node_)) return !node_.was_called;
  // [Z14] acquire load: observes the effects of the call ← [Z13].
  while (!node_.is_over.load(std::memory_order_acquire)) std::this_thread::yield();
  return !node_.was_called;
}

}  // namespace filch::inline v0::time
