// Offers of latent frames, and joins whose frame was offered.
#include <filch/runtime/latent.hpp>

#include "core.hpp"
#include "guest_hall.hpp"
#include "interrupt.hpp"
#include "latent_desk.hpp"
#include "worker.hpp"

#include <filch/runtime/errors.hpp>

#include <string>

namespace filch::inline v0 {

void offered_task::run() noexcept {
  const time_ns began_ns = monotonic_now_ns();
  latent_desk* const from = desk;
  frame_->run_child(*frame_);
  const time_ns now_ns = monotonic_now_ns();
  from->pace.note(now_ns - began_ns, now_ns);
  if (suspended_stack* const parents = children.finish()) continue_soon(*parents);
}

void trace_join() noexcept {
  worker* const me = worker::current();
  if (me != nullptr && me->current_task != nullptr) me->trace->join(me->current_task->id);
}

namespace detail {
namespace {

// Under deferred interrupts.
runtime::core* offer_oldest(latent_stack& stack) noexcept {
  if (worker* const me = worker::current()) {
    const task_record* const running = me->current_task;
    if (me->desk.offer_oldest(stack, me->home, running != nullptr ? running->id : task_id::none())) return &me->home;
  } else if (guest_seat* const seat = guest_hall::seat_of_thread(); seat != nullptr && seat->stack == &stack) {
    if (seat->desk.offer_oldest(stack, seat->home, task_id::none())) return &seat->home;
  }
  // A thread whose task blocks holds no worker: what it forks meanwhile, it runs itself.
  return nullptr;
}

}  // namespace

void offer_latent(latent_stack& stack) noexcept {
  defer_interrupts();
  stack.alarm.store(stack.low_mark, std::memory_order_relaxed);  // statistic
  runtime::core* const home = offer_oldest(stack);
  allow_interrupts();
  if (home != nullptr) home->notify(this_worker());
}

void answer_alarm(latent_stack& stack, latent_frame& made) {
  // Not `made`: a join that was inlined into a coroutine may have its frame in that of the coroutine, on the heap.
  if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < stack.low_mark) {
    defer_interrupts();
    const bool was_offered = stack.last_offered.load(std::memory_order_relaxed) == &made;  // owner-only
    if (!was_offered) stack.newest.store(made.older, std::memory_order_relaxed);           // owner-only
    allow_interrupts();
    if (!was_offered) {
      const worker* const me = worker::current();
      throw stack_exhausted(me != nullptr ? "options::stack_bytes = " + std::to_string(me->home.chosen.stack_bytes) +
                                                ". Raise it, or nest less deep"
                                          : "it is that of a thread which is no worker. Call it inside runtime::run(), "
                                            "where options::stack_bytes holds, or nest less deep");
    }
  }
  if (is_wanted(stack)) offer_latent(stack);
}

bool join_offered(latent_stack& stack, latent_frame& frame) noexcept {
  offered_task& offer = *frame.offer;
  defer_interrupts();
  stack.last_offered.store(frame.older, std::memory_order_relaxed);  // owner-only
  allow_interrupts();
  const time_ns offered_at_ns = offer.made_at_ns;
  if (offer.desk->slot.take_back(offer)) {
    offer.release();
    offer.release();
    // Whoever was woken for this offer may come too late, and nobody else knows that there is more.
    if (worker* const me = worker::current()) {
      const time_ns now_ns = monotonic_now_ns();
      me->desk.pace.note(now_ns - offered_at_ns, now_ns);
      if (me->home.idle().sleeping_hint() == 0) return true;
      if (me->desk.pace.may_wake(now_ns)) {
        stack.alarm.store(latent_stack::k_wanted, std::memory_order_relaxed);  // statistic
      } else {
        me->desk.owe();
        me->home.look_out();
      }
    }
    return true;
  }
  if (!offer.children.is_done()) suspend_until_done(offer.children);
  offer.release();
  trace_join();
  return false;
}

}  // namespace detail
}  // namespace filch::inline v0
