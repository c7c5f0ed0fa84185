// Offers of latent frames, and joins whose frame was offered.
#include <filch/runtime/latent.hpp>

#include "core.hpp"
#include "work_stack.hpp"
#include "worker.hpp"

#include <new>

namespace filch::inline v0 {

void offered_task::run() noexcept {
  frame_->run_child(*frame_);
  if (suspended_stack* const parents = children.finish()) continue_soon(*parents);
}

namespace detail {

void offer_latent(latent_stack& stack) noexcept {
  stack.wanted.store(0, std::memory_order_relaxed);  // statistic
  worker* const me = worker::current();
  // A thread whose task blocks holds no worker: what it forks meanwhile, it runs itself.
  if (me == nullptr || stack.newest == stack.last_offered || me->desk.slot.has_offer()) return;
  latent_frame& oldest = *stack.last_offered->newer;
  const task_id parent = me->current_task != nullptr ? me->current_task->id : task_id::none();
  auto* const made = new (std::nothrow) offered_task{oldest, me->desk.slot, parent};
  if (made == nullptr) return;
  made->home = &me->home;
  oldest.offer = made;
  stack.last_offered = &oldest;
  me->desk.slot.offer(*made);
  me->home.notify(me->self);
}

bool join_offered(latent_stack& stack, latent_frame& frame) noexcept {
  offered_task& offer = *frame.offer;
  stack.last_offered = frame.older;
  if (offer.slot->take_back(offer)) {
    offer.release();
    offer.release();
    // Whoever was woken for this offer may come too late, and nobody else knows that there is more.
    const worker* const me = worker::current();
    if (me != nullptr && me->home.idle().sleeping_hint() != 0) stack.wanted.store(1, std::memory_order_relaxed);  // statistic
    return true;
  }
  if (!offer.children.is_done()) suspend_until_done(offer.children);
  offer.release();
  return false;
}

}  // namespace detail
}  // namespace filch::inline v0
