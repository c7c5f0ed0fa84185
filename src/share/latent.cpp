// Offers of latent frames, and joins whose frame was offered.
#include <filch/share/latent.hpp>

#include "runtime/core.hpp"
#include "runtime/fork_recording.hpp"
#include "frame_list.hpp"
#include "runtime/external_threads.hpp"
#include "share_point.hpp"
#include "runtime/worker.hpp"

#include <filch/runtime/errors.hpp>

#include <exception>

namespace filch::inline v0 {

void offered_task::run() noexcept {
  const time_ns began_ns = monotonic_now_ns();
  share_point* const from = point;
  if (frame_->kind->run_part != nullptr) error = frame_->kind->run_part(*frame_, part);
  else frame_->kind->run_child(*frame_);
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

// Where what is forked on a stack is offered. None: the thread has no worker and no slot, and runs all that it forks.
struct counter {
  share_point* point = nullptr;
  runtime::core* home = nullptr;
};

counter counter_of(const latent_stack& stack) noexcept {
  if (worker* const me = worker::current()) return {&me->point, &me->home};
  external_slot* const slot = external_threads::slot_of_thread();
  return slot != nullptr && slot->stack == &stack ? counter{&slot->point, &slot->home} : counter{};
}

// With the share point closed.
bool promote_oldest(latent_stack& stack, const counter& at) noexcept {
  if (at.point == nullptr) return false;
  const worker* const me = worker::current();
  const task_record* const running = me != nullptr ? me->current_task : nullptr;
  const task_id parent =
      running != nullptr ? running->id : task_id{at.point->task_number.load(std::memory_order_relaxed)};  // hint
  return at.point->promote_oldest(stack, *at.home, parent);
}

// A wake-up takes who offers some microseconds. Where children are tiny it is the monitor thread's affair, while that is
// awake. One who lingers, if it is chosen, hears it without a system call.
void announce(const counter& at) noexcept {
  if (!at.home->lingering.is_anybody() && at.point->pace.is_throttled() && at.home->is_watched()) return;
  if (at.home->has_place_for_sleeper()) at.home->notify(this_worker());
  at.point->note_offer();
}

// A request was taken, and nothing was offered for it: what lies in the slot may be somebody else's, or a visitor has
// offered the only frame before. Who has asked may sleep.
void defer(const counter& at) noexcept {
  if (at.home->idle().sleeping_hint() == 0) return;
  at.point->owe();
  at.home->announce_deferred();
}

}  // namespace

bool is_thief_awake() noexcept {
  worker* const me = worker::current();
  if (me == nullptr) return false;
  return me->home.lingering.is_anybody() || me->home.idle().searching_hint() != 0;
}

// Notes all frames if forks are recorded, and offers the oldest one if somebody wants work and the slot is free.
static void offer_latent(latent_stack& stack, const latent_frame* made = nullptr) noexcept {
  worker* const me = worker::current();
  const counter here = counter_of(stack);
  close_point();
  const bool is_for_others = clear_requests(stack, me);  // first: who asks from here on wants something else
  if (here.home != nullptr) record_that_it_forks(*here.home);
  if (me != nullptr) record_frames(stack, *me, me->current_task, made);
  const bool has_offered = is_for_others && promote_oldest(stack, here);
  open_point();
  if (has_offered) announce(here);
  else if (is_for_others && here.point != nullptr) defer(here);
}

bool loop_slow_path(latent_stack& stack, bool is_worth_waking) noexcept {
  // statistic
  const bool is_for_others =
      stack.fork_limit.load(std::memory_order_relaxed) == latent_stack::k_fork_requested || is_asked(stack);
  // owner-only
  const bool is_all_recorded =
      stack.newest.load(std::memory_order_relaxed) == stack.last_recorded.load(std::memory_order_relaxed) &&
      divisible_recorded_range(stack) == nullptr;
  if (is_for_others ? !has_latent_work(stack) : is_all_recorded) {
    // The fork that would be welcome answers itself.
    if (is_asked(stack)) {
      const closed_point closed;
      if (take_request(stack)) post_request(stack.fork_limit, latent_stack::k_fork_requested);
    }
    return is_worth_waking || is_thief_awake();
  }
  offer_latent(stack);
  return false;
}

double home_part() noexcept {
  const worker* const me = worker::current();
  if (me == nullptr || me->self.value == 0) return 0;
  return static_cast<double>(me->self.value) / static_cast<double>(me->home.workers.size() - 1);
}

bool fork_slow_path(latent_stack& stack, latent_frame& made) {
  // Not `made`: a join that was inlined into a coroutine may have its frame in that of the coroutine, on the heap.
  if (is_used_up(stack, reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)))) {
    if (is_none(stack)) return false;
    throw_stack_exhausted();
  }
  link_newest(stack.newest, &made);
  if (is_share_requested(stack)) offer_latent(stack, &made);
  return true;
}

bool is_stack_exhausted() noexcept {
  // not of C++, as that which ends a thread: it may not be caught here
  if (std::current_exception() == nullptr) return false;
  try {
    throw;
  } catch (const stack_exhausted&) {
    note_stack_exhausted();
    return true;
  } catch (...) {
    return false;
  }
}

// Somebody asks this join, whose frame is no longer there, for an older one.
static void answer_at_join(latent_stack& stack) noexcept {
  const counter here = counter_of(stack);
  worker* const me = worker::current();
  close_point();
  (void)clear_requests(stack, me);  // first: who asks from here on wants something else
  if (me != nullptr) record_frames(stack, *me, me->current_task);
  const bool has_offered = promote_oldest(stack, here);
  open_point();
  if (here.point == nullptr) return;
  if (!has_offered && here.point->cell.has_offer()) return defer(here);
  here.point->note_answer(has_offered);
  if (has_offered) return announce(here);
  if (!here.point->answers_at_joins()) return here.point->ask(stack);  // the next fork
  defer(here);
}

// Whoever was woken for this offer may come too late, and nobody else knows that there is more.
static void note_taken_back(latent_stack& stack, time_ns offered_ns) noexcept {
  worker* const me = worker::current();
  if (me == nullptr) return;
  const time_ns now_ns = monotonic_now_ns();
  me->point.pace.note(now_ns - offered_ns, now_ns);
  if (me->home.idle().sleeping_hint() == 0) return;
  if (me->point.pace.may_wake(now_ns)) me->point.ask(stack);
  else defer({&me->point, &me->home});
}

bool join_slow_path(latent_stack& stack, latent_frame& frame, leaving how) noexcept {
  const bool may_answer = how == leaving::normally;
  close_point();  // one who visits may be about to offer this frame
  const bool was_seen = &frame == stack.last_seen.load(std::memory_order_relaxed);  // ordered by [V1]
  const bool was_shared = was_seen && forget(stack, frame);
  open_point();
  if (!was_seen) frame.offer = nullptr;
  // It was only seen or noted; or it is a range, whose parts are offers of their own.
  if (!was_shared || frame.kind->run_part != nullptr) {
    if (may_answer && is_asked(stack)) answer_at_join(stack);
    return true;
  }
  offered_task& offer = *frame.offer;
  const time_ns offered_ns = offer.point->offered_ns();
  if (offer.point->cell.take_back(offer)) {
    frame.offer = offer.id.is_some() ? mark_of(offer.id) : nullptr;
    offer.release();
    offer.release();
    note_taken_back(stack, offered_ns);
    return true;
  }
  if (!offer.children.is_done()) suspend_until_done(offer.children);
  const task_id child = offer.id;
  offer.release();
  trace_join(child);
  if (may_answer && is_asked(stack)) answer_at_join(stack);
  return false;
}

// ---- ranges ---------------------------------------------------------------------------------------------------------

void range_frame::add_part(offered_task& made) noexcept {
  made.older_part = parts_.load(std::memory_order_relaxed);                                       // ordered by [V1]
  parts_.store(&made, std::memory_order_relaxed);                                                 // ordered by [V2]
  part_count_.store(part_count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // ordered by [V1]
}

index_range range_frame::claim_again(index_range what) noexcept {
  const closed_point closed;
  return elements_.claim_again(what);
}

range_frame::settled_part range_frame::settle() noexcept {
  offered_task& part = *parts_.load(std::memory_order_relaxed);  // ordered by [V1]
  parts_.store(part.older_part, std::memory_order_relaxed);      // owner-only: no visitor adds one any more
  settled_part found{part.part, part.is_recorded, task_id::none(), nullptr};
  if (!part.is_recorded) {
    const time_ns offered_ns = part.point->offered_ns();
    found.is_left = part.point->cell.take_back(part);
    if (found.is_left) note_taken_back(latent_stack_here(), offered_ns);
  }
  if (found.is_left) {
    found.number = part.id;
    part.release();
    part.release();
    return found;
  }
  if (!part.children.is_done()) suspend_until_done(part.children);
  found.error = std::move(part.error);
  const task_id child = part.id;
  part.release();
  trace_join(child);
  return found;
}

void range_frame::drop_ended_parts() noexcept {
  constexpr std::uint32_t k_many = 64;
  if (part_count_.load(std::memory_order_relaxed) < k_many) return;  // hint
  const closed_point closed;
  std::uint32_t count = 0;
  offered_task* kept = nullptr;
  offered_task* each = parts_.load(std::memory_order_relaxed);  // ordered by [V1]
  while (each != nullptr) {
    offered_task* const next = each->older_part;
    if (each->is_recorded || !each->children.is_done() || each->error != nullptr) {
      kept = each;
      ++count;
    } else {
      if (kept != nullptr) kept->older_part = next;
      else parts_.store(next, std::memory_order_relaxed);  // ordered by [V2]
      each->release();
    }
    each = next;
  }
  part_count_.store(count, std::memory_order_relaxed);  // ordered by [V2]
}

}  // namespace detail
}  // namespace filch::inline v0
