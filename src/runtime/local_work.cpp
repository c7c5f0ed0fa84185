#include <filch/share/local_work.hpp>

#include "core.hpp"
#include "worker.hpp"

#include <new>
#include <utility>

namespace filch::inline v0 {

namespace detail {

constinit thread_local local_work* running_local_work = nullptr;

// While the worker is recorded all children become tasks, so that the record has them. Otherwise some of the oldest
// group: as many as a few thieves take before the next fork (guess).
void share_pending() noexcept {
  worker& me = *worker::current();
  const bool is_recorded = me.trace->is_enabled();
  me.wanted.store(is_recorded ? request_kind::recording : request_kind::none, std::memory_order_relaxed);  // hint
  me.changes.begin();
  bool is_shared = false;
  for (std::uint32_t left = is_recorded ? UINT32_MAX : 16; left != 0; --left) {
    coroutine_entry* const child = take_oldest_pending(me);
    if (child == nullptr) break;
    is_shared = true;
    me.home.number(*child, me);
    me.home.push_own_quietly(*child, me);
  }
  me.changes.end();
  if (is_shared) me.home.notify(me.self);
}

}  // namespace detail

free_blocks::~free_blocks() {
  for (free_block* each : {first, reserve}) {
    while (each != nullptr) ::operator delete(std::exchange(each, each->next));
  }
}

}  // namespace filch::inline v0
