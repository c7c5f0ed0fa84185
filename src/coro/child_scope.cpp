#include <filch/coro/child_scope.hpp>

#include "runtime/port.hpp"

#include <filch/coro/detail/frame_memory.hpp>

#include <cstddef>
#include <new>

namespace filch::inline v0::coro {
namespace {

// The queue entry of a child that has not started.
class child_ticket final : public task_base {
 public:
  child_ticket(child_scope& of, promise_base& child) : task_base{1}, scope_{of}, child_{child} {
    ignores_shutdown = true;  // its parent waits for it
  }

  static void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate_frame_or_null(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { free_frame(memory, bytes); }

 private:
  void run() noexcept override { resume_here(scope_.begin(child_)); }
  void abandon() noexcept override {}

  child_scope& scope_;
  promise_base& child_;
};

// False: there is no memory for the queue entry.
bool offer(child_scope& scope, promise_base& child) noexcept {
  auto* const made = new (std::nothrow) child_ticket{scope, child};
  if (made == nullptr) return false;
  try {
    port::enqueue(port::here(), *made);
  } catch (const std::bad_alloc&) {
    return false;  // the deque could not grow; enqueue() has destroyed the ticket
  }
  return true;
}

}  // namespace

// Puts all children but the last into the queue and starts the last. Children for which there is no memory stay linked
// as siblings and run one after the other.
std::coroutine_handle<> child_scope::start_all(promise_base& first) noexcept {
  promise_base* here = &first;
  while (promise_base* const next = here->sibling) {
    here->sibling = nullptr;
    if (!offer(*this, *here)) {
      here->sibling = next;
      break;
    }
    here = next;
  }
  return begin(*here);
}

std::coroutine_handle<> child_scope::begin(promise_base& first) noexcept {
  promise_base* here = &first;
  while (context_->is_stop_requested()) {
    promise_base* const next = here->sibling;
    if (next == nullptr) return end_sibling_run(here->ran);
    next->ran = here->ran + 1;
    here = next;
  }
  return here->self;
}

std::coroutine_handle<> child_scope::ended(promise_base& who) noexcept {
  if (decides(who)) {
    promise_base* expected = nullptr;
    // ordered by [C1]: the parent reads the pointer, and the child's result behind it
    if (decisive_.compare_exchange(expected, &who, std::memory_order_relaxed, std::memory_order_relaxed))
      request_stop();
  }
  promise_base* const next = who.sibling;
  if (next == nullptr) return end_sibling_run(who.ran);
  next->ran = who.ran + 1;
  return begin(*next);
}

std::coroutine_handle<> child_scope::end_sibling_run(std::uint32_t ran) noexcept {
  const std::coroutine_handle<> parent = parent_;
  return unfinished_.end(ran) ? parent : std::noop_coroutine();
}

bool child_scope::decides(const promise_base& ended) const {
  switch (when_) {
    case until::first_success:
      return !ended.has_failed;
    case until::first_failure:
      return ended.has_failed;
    case until::first_end:
      return true;
    case until::all_end:
      break;
  }
  return false;
}

}  // namespace filch::inline v0::coro
