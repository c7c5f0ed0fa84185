#include "visitor.hpp"

#include "frame_list.hpp"
#include "frame_recording.hpp"
#include "owner.hpp"
#include "visiting.hpp"

namespace filch::inline v0 {

bool share_visitor::visit() noexcept {
  if (of_.offers.is_filled()) return true;
  // Before the visit: fork() waits for it, and another library's handler may have locked the heap before.
  offer_memory memory;
  if (!memory.prepare()) return false;
  const visiting under_way;
  if (under_way.has_begun() && of_.lock.try_lock()) {
    if (queue_entry* const made = visit_locked(memory)) put_offer(of_, *made);
    of_.lock.unlock();
  }
  return of_.offers.is_filled();
}

// The owner, or another visitor, may have offered something just before.
queue_entry* share_visitor::visit_locked(offer_memory& memory) noexcept {
  if (of_.offers.is_filled()) return nullptr;
  if (!of_.host.is_exhausted()) {
    if (queue_entry* const made = take_frame(memory)) return made;
  }
  return of_.coroutines != nullptr ? take_coroutine() : nullptr;
}

queue_entry* share_visitor::take_frame(offer_memory& memory) noexcept {
  latent_stack* const stack = of_.requests.running();
  if (stack == nullptr) return nullptr;
  latent_frame* const newest =
      detail::newest_for_visitor(stack->newest, stack->join_limit, latent_stack::k_join_requested);
  if (newest == nullptr) return nullptr;
  offered_task* const made = promote_frame(of_, *stack, newest, memory);
  if (made == nullptr) return nullptr;
  if (detail::range_frame* const range = made->range()) {
    made->part = range->divide_for_visitor();
    range->add_part(*made);
  }
  // Behind the division: the owner looks at the limit again where no request stands.
  (void)clear_requests(*stack, of_.recorder);
  return made;
}

queue_entry* share_visitor::take_coroutine() noexcept {
  local_work& there = *of_.coroutines;
  if (!there.changes.enter()) return nullptr;
  coroutine_entry* taken = take_oldest_pending(there);
  if (taken == nullptr) taken = there.ready.take_oldest();
  there.changes.leave();
  return taken;
}

}  // namespace filch::inline v0
