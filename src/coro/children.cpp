#include <filch/coro/detail/children.hpp>

#include "runtime/core.hpp"
#include "runtime/worker.hpp"

namespace filch::inline v0::coro {
namespace {

// Records a child that went through the deque and was popped by the same worker: as a task without length, because its
// time belongs to the task that executes the sibling run.
void record_popped(const coroutine_entry& child, worker& me) {
  me.trace->start(child.id);
  me.trace->end(child.id);
  me.counters.add(trace::count::executed);
  me.books.finished();
  // A worker that was woken for this child may find nothing. If others sleep, request work again: there may be more.
  if (me.home.idle().sleeping_hint() != 0) me.wanted.store(request_kind::work, std::memory_order_relaxed);  // hint
}

}  // namespace

std::coroutine_handle<> children::ended_apart(promise_base& who) noexcept {
  worker& me = *worker::current();
  const auto newest = me.queues.take_newest_of(this);
  if (newest.was_disturbed) me.home.notify(me.self);
  if (newest.item != nullptr) {
    auto& next = static_cast<promise_base&>(static_cast<coroutine_entry&>(*newest.item));
    record_popped(next, me);
    next.ran = who.ran + 1;
    return next.self;
  }
  const std::coroutine_handle<> parent = parent_;
  return unfinished_.end(who.ran) ? parent : std::noop_coroutine();
}

}  // namespace filch::inline v0::coro
