#include <filch/coro/detail/children.hpp>

#include "coro/ticket.hpp"
#include "runtime/core.hpp"
#include "runtime/worker.hpp"

#include <new>

namespace filch::inline v0::coro {
namespace {

// False: there is no memory for it.
bool offer(promise_base& child, const void* group) noexcept {
  static const submit_options plain;
  auto* const made = new (std::nothrow) ticket{child.self, &child};
  if (made == nullptr) return false;
  made->group = group;
  try {
    worker::current()->home.enqueue(*made, worker_id::none(), plain);
  } catch (const std::bad_alloc&) {
    return false;  // the deque could not grow; the ticket is gone
  }
  return true;
}

// A child that was offered and that nobody took, for the record: its time is its strand's.
void take_back(ticket& own) {
  worker& me = *worker::current();
  me.trace->start(own.id);
  me.trace->end(own.id);
  me.counters.add(trace::count::executed);
  me.books.finished();
  own.release();
}

}  // namespace

std::coroutine_handle<> children::start(std::coroutine_handle<> parent, promise_base& first) noexcept {
  parent_ = parent;
  for (promise_base* each = &first; each != nullptr; each = each->sibling) each->listener = this;
  promise_base* here = &first;
  while (promise_base* const next = here->sibling) {
    here->sibling = nullptr;
    if (!offer(*here, this)) {
      here->sibling = next;  // from here on one after the other
      break;
    }
    here = next;
  }
  return here->self;
}

// Who ends a child first looks for a sibling in its own deque, so that a tree of joins is walked like a tree of calls.
std::coroutine_handle<> children::ended(promise_base& who) noexcept {
  const std::uint32_t ran = who.ran;
  promise_base* next = who.sibling;
  if (next == nullptr && ran != unfinished_.children()) {
    worker& me = *worker::current();
    const auto newest = me.queues.take_newest_of(this);
    if (newest.was_disturbed) me.home.notify(me.self);
    if (newest.item != nullptr) {
      auto& own = static_cast<ticket&>(static_cast<task_base&>(*newest.item));
      next = own.child;
      take_back(own);
    }
  }
  if (next != nullptr) {
    next->ran = ran + 1;
    return next->self;
  }
  const std::coroutine_handle<> parent = parent_;
  return unfinished_.end(ran) ? parent : std::noop_coroutine();
}

}  // namespace filch::inline v0::coro
