// Offers of latent frames, and joins whose frame was offered.
#include <filch/runtime/latent.hpp>

#include "core.hpp"
#include "fork_record.hpp"
#include "frame_list.hpp"
#include "guest_hall.hpp"
#include "interrupt.hpp"
#include "latent_desk.hpp"
#include "worker.hpp"

#include <filch/runtime/errors.hpp>

#include <exception>
#include <string>

namespace filch::inline v0 {

void offered_task::run() noexcept {
  const time_ns began_ns = monotonic_now_ns();
  latent_desk* const from = desk;
  frame_->kind->run_child(*frame_);
  const time_ns now_ns = monotonic_now_ns();
  from->pace.note(now_ns - began_ns, now_ns);
  if (suspended_stack* const parents = children.finish()) continue_soon(*parents);
}

void trace_join() noexcept {
  worker* const me = worker::current();
  if (me != nullptr && me->current_task != nullptr) me->trace->join(me->current_task->id);
}

void trace_join(task_id child) noexcept {
  worker* const me = worker::current();
  if (me != nullptr && me->current_task != nullptr) me->trace->join(me->current_task->id, child);
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

// Is there a worker without work that does not sleep?
bool is_anybody_awake() noexcept {
  worker* const me = worker::current();
  if (me == nullptr) return false;
  // statistic
  return me->home.lingering.load(std::memory_order_relaxed) != 0 || me->home.idle().searching_hint() != 0;
}

}  // namespace

// Notes all frames if forks are recorded, and offers the oldest one if somebody wants work and the slot is free.
static void offer_latent(latent_stack& stack) noexcept {
  defer_interrupts();
  const bool is_for_others = stack.alarm.load(std::memory_order_relaxed) == latent_stack::k_wanted;  // statistic
  worker* const me = worker::current();
  if (me != nullptr) note_frames(stack, *me, me->current_task);
  runtime::core* const home = is_for_others ? offer_oldest(stack) : nullptr;
  calm(stack, me);
  allow_interrupts();
  if (home != nullptr) home->notify(this_worker());
}

bool answer_alarm_in_loop(latent_stack& stack, bool is_worth_waking) noexcept {
  const bool is_for_others = stack.alarm.load(std::memory_order_relaxed) == latent_stack::k_wanted;  // statistic
  // owner-only
  const bool is_all_noted = stack.newest.load(std::memory_order_relaxed) == stack.last_noted.load(std::memory_order_relaxed);
  if (is_for_others ? !has_latent_work(stack) : is_all_noted) return is_worth_waking || is_anybody_awake();
  offer_latent(stack);
  return false;
}

bool answer_alarm(latent_stack& stack, latent_frame& made) {
  // Not `made`: a join that was inlined into a coroutine may have its frame in that of the coroutine, on the heap.
  if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < stack.low_mark) {
    if (is_none(stack)) return false;
    const worker* const me = worker::current();
    throw stack_exhausted(me != nullptr ? "options::stack_bytes = " + std::to_string(me->home.chosen.stack_bytes) +
                                              ". Raise it, or nest less deep"
                                        : "it is that of a thread which is no worker. Call it inside runtime::run(), "
                                          "where options::stack_bytes holds, or nest less deep");
  }
  // [L18] signal fence: as [L8] in fork_latent() → [L10].
  std::atomic_signal_fence(std::memory_order_release);
  stack.newest.store(&made, std::memory_order_relaxed);  // owner-only
  if (is_wanted(stack)) offer_latent(stack);
  return true;
}

bool is_stack_exhausted() noexcept {
  if (std::current_exception() == nullptr) return false;  // not of C++, as that which ends a thread: it may not be caught here
  try {
    throw;
  } catch (const stack_exhausted&) {
    return true;
  } catch (...) {
    return false;
  }
}

bool join_seen(latent_stack& stack, latent_frame& frame) noexcept {
  defer_interrupts();
  const bool was_shared = forget(stack, frame);
  allow_interrupts();
  if (!was_shared) return true;  // it was only seen or noted
  offered_task& offer = *frame.offer;
  const time_ns offered_at_ns = offer.made_at_ns;
  if (offer.desk->slot.take_back(offer)) {
    frame.offer = offer.id.is_some() ? note_of(offer.id) : nullptr;
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
  const task_id child = offer.id;
  offer.release();
  trace_join(child);
  return false;
}

}  // namespace detail
}  // namespace filch::inline v0
