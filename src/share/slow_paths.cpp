// The slow paths of forks, loops and joins: a request stands, a frame was seen, or the end of the stack is near.
//
//   fork_slow_path   records and promotes older frames at a fork
//   loop_slow_path   the same between two blocks of a loop
//   join_slow_path   takes the frame back, or waits for its thief; then answers a request that stands
#include "frame_list.hpp"
#include "frame_recording.hpp"
#include "owner.hpp"

#include <filch/share/latent.hpp>
#include <filch/share/stack_exhausted.hpp>

#include <exception>

namespace filch::inline v0 {

namespace detail {
constinit latent_stack no_latent_stack{latent_stack::k_fork_requested, latent_stack::k_none};
constinit thread_local latent_stack* running_latent_stack = &no_latent_stack;
}  // namespace detail

// ---- the end of the stack -------------------------------------------------------------------------------------------

void throw_stack_exhausted() {
  share_point* const here = share_point_here();
  if (here != nullptr) here->host.note_exhausted();
  throw stack_exhausted(here != nullptr && here->coroutines != nullptr
                            ? here->host.exhausted_advice()
                            : "it is that of a thread which is no worker. Call it inside runtime::run(), "
                              "where options::stack_bytes holds, or nest less deep");
}

[[gnu::noinline]] void require_stack_left() {
  const latent_stack& stack = detail::latent_stack_here();
  if (is_none(stack) || !is_used_up(stack, reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)))) return;
  throw_stack_exhausted();
}

namespace detail {

bool is_stack_exhausted() noexcept {
  // not of C++, as that which ends a thread: it may not be caught here
  if (std::current_exception() == nullptr) return false;
  try {
    throw;
  } catch (const stack_exhausted&) {
    if (share_point* const here = share_point_here()) here->host.note_exhausted();
    return true;
  } catch (...) {
    return false;
  }
}

namespace {

// ---- answers --------------------------------------------------------------------------------------------------------

[[nodiscard]] fork_recorder* recorder_of(const share_point* here) { return here != nullptr ? here->recorder : nullptr; }

void record_open_frames(latent_stack& stack, share_point* here, const latent_frame* made = nullptr) noexcept {
  if (fork_recorder* const to = recorder_of(here)) record_frames(stack, *here, to->running_task(), made);
}

// Records all frames if forks are recorded, and promotes the oldest one if work is requested and nothing is offered.
void answer_at_fork(latent_stack& stack, const latent_frame* made = nullptr) noexcept {
  share_point* const here = share_point_here();
  close_point();
  const bool is_for_thief = clear_requests(stack, recorder_of(here));  // first: a later request wants something else
  if (here != nullptr) here->host.note_that_it_forks();
  record_open_frames(stack, here, made);
  const bool has_promoted = is_for_thief && here != nullptr && share_owner{*here}.promote_oldest(stack);
  open_point();
  if (has_promoted) share_owner{*here}.announce();
  else if (is_for_thief && here != nullptr) share_owner{*here}.defer();
}

// A request at a join is for a frame older than its own, which is no longer there.
void answer_at_join(latent_stack& stack) noexcept {
  share_point* const here = share_point_here();
  close_point();
  (void)clear_requests(stack, recorder_of(here));  // first: a later request wants something else
  record_open_frames(stack, here);
  const bool has_promoted = here != nullptr && share_owner{*here}.promote_oldest(stack);
  open_point();
  if (here == nullptr) return;
  if (!has_promoted && here->offers.is_filled()) return share_owner{*here}.defer();
  here->requests.note_answer(has_promoted);
  if (has_promoted) return share_owner{*here}.announce();
  if (!here->requests.do_joins_answer()) return here->requests.request(stack, here->rules);  // the next fork
  share_owner{*here}.defer();
}

// The worker that was woken for this offer may come too late, and no other thread knows that there is more.
void note_taken_back(latent_stack& stack, time_ns offered_ns) noexcept {
  share_point* const here = share_point_here();
  if (here == nullptr || here->coroutines == nullptr) return;
  const time_ns now_ns = monotonic_now_ns();
  here->throttle.note(now_ns - offered_ns, now_ns, here->rules);
  if (!here->host.has_sleepers()) return;
  if (!here->throttle.value().may_wake(now_ns)) return share_owner{*here}.defer();
  here->requests.request(stack, here->rules);
  // Forks answer nothing now, and should no join come, only the monitor thread notices.
  if (here->requests.awaits_join()) here->host.announce_deferred();
}

// A thief has taken it: waits until it has ended.
void wait_for_thief(offered_task& taken) noexcept {
  if (!taken.children.is_done()) taken.point->host.wait_for(taken.children);
}

// The frame's reference goes; a recording shows that the task resumes after the child.
void drop_taken(offered_task& taken) noexcept {
  const task_id child = taken.id;
  taken.release();
  share_point* const here = share_point_here();  // another one, perhaps, than before the wait
  if (fork_recorder* const to = recorder_of(here)) to->record_join(child);
}

// Neither a thief nor the cell holds it any more.
void drop_untaken(offered_task& back) noexcept {
  back.release();
  back.release();
}

}  // namespace

// ---- the slow paths -------------------------------------------------------------------------------------------------

bool fork_slow_path(latent_stack& stack, latent_frame& made) {
  // Not `made`: a join that was inlined into a coroutine may have its frame in that of the coroutine, on the heap.
  if (is_used_up(stack, reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)))) {
    if (is_none(stack)) return false;
    throw_stack_exhausted();
  }
  link_newest(stack.newest, &made);
  if (is_share_requested(stack)) answer_at_fork(stack, &made);
  return true;
}

bool loop_slow_path(latent_stack& stack, bool is_worth_waking) noexcept {
  // statistic
  const bool is_for_thief =
      stack.fork_limit.load(std::memory_order_relaxed) == latent_stack::k_fork_requested || is_join_requested(stack);
  // owner-only
  const bool is_all_recorded =
      stack.newest.load(std::memory_order_relaxed) == stack.last_recorded.load(std::memory_order_relaxed) &&
      divisible_recorded_range(stack) == nullptr;
  if (is_for_thief ? !has_latent_work(stack) : is_all_recorded) {
    // The fork that would be welcome answers itself.
    if (is_join_requested(stack)) {
      const closed_point closed;
      if (take_request(stack)) post_request(stack.fork_limit, latent_stack::k_fork_requested);
    }
    return is_worth_waking || is_thief_awake();
  }
  answer_at_fork(stack);
  return false;
}

bool join_slow_path(latent_stack& stack, latent_frame& frame, leaving how) noexcept {
  const bool may_answer = how == leaving::normally;
  close_point();  // a visitor may be about to offer this frame
  const bool was_seen = &frame == stack.last_seen.load(std::memory_order_relaxed);  // ordered by [V1]
  const bool was_shared = was_seen && forget(stack, frame);
  open_point();
  if (!was_seen) frame.offer = nullptr;
  bool is_left = true;  // to the caller
  // Else it was only seen or recorded; or it is a range, whose parts are offers of their own.
  if (was_shared && frame.kind->run_part == nullptr) {
    offered_task& offer = *frame.offer;
    const time_ns offered_ns = offer.point->offers.offered_ns();
    if (offer.point->offers.take_back(offer)) {
      frame.offer = offer.id.is_some() ? mark_of(offer.id) : nullptr;
      drop_untaken(offer);
      note_taken_back(stack, offered_ns);
      return true;
    }
    wait_for_thief(offer);
    drop_taken(offer);
    is_left = false;
  }
  if (may_answer && is_join_requested(stack)) answer_at_join(stack);
  return is_left;
}

bool is_thief_awake() noexcept {
  const share_point* const here = share_point_here();
  return here != nullptr && here->coroutines != nullptr && here->host.is_thief_awake();
}

double home_part() noexcept {
  const local_work* const mine = current_local_work();
  return mine != nullptr ? mine->home_part : 0;
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
    const time_ns offered_ns = part.point->offers.offered_ns();
    found.is_left = part.point->offers.take_back(part);
    if (found.is_left) note_taken_back(latent_stack_here(), offered_ns);
  }
  if (found.is_left) {
    found.number = part.id;
    drop_untaken(part);
    return found;
  }
  wait_for_thief(part);
  found.error = std::move(part.error);
  drop_taken(part);
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
