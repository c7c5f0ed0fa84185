#include "frame_recording.hpp"

#include "frame_list.hpp"
#include "offered_task.hpp"
#include "share_point.hpp"

#include <new>

namespace filch::inline v0 {

// Calls `tell(number, frame)` for every frame that it records; false: it must be left out, and all after it.
template <class Tell>
static void record_each(latent_stack& stack, fork_recorder& to, task_id parent, const Tell& tell) noexcept {
  latent_frame* const newest = stack.newest.load(std::memory_order_relaxed);  // owner-only
  see_frames(stack, newest);
  latent_frame* next = frame_behind(newest, stack.last_recorded.load(std::memory_order_relaxed));  // ordered by [V1]
  if (next == nullptr) return;
  while (true) {
    const task_id number = to.next_fork_number();
    const bool is_range = next->kind->run_part != nullptr;
    if (!tell(number, *next)) return;
    if (!is_range) next->offer = mark_of(number);
    else if (parent.is_some()) next->offer = mark_of(parent);
    stack.last_recorded.store(next, std::memory_order_relaxed);  // ordered by [V2]
    if (next == newest) return;
    next = next->newer;
  }
}

// One half of what is left becomes a task, which the owner runs at the end if it is not offered. The owner resumes
// behind a new frame, which is recorded in its turn. False: there is too little left, or no memory.
static bool record_part(detail::range_frame& range, share_point& at, task_id number, task_id parent) noexcept {
  if (range.is_passed() || !range.can_divide()) return false;
  auto* const made = new (std::nothrow) offered_task{range, at, parent};
  if (made == nullptr) return false;
  made->id = number;
  made->is_recorded = true;
  made->part = range.divide(detail::range_frame::share::half);
  range.add_part(*made);
  range.pass();
  return true;
}

void record_frames(latent_stack& stack, share_point& at, task_id parent, const latent_frame* made) noexcept {
  if (at.recorder == nullptr || !at.recorder->records_forks()) return;
  fork_recorder& to = *at.recorder;
  record_each(stack, to, parent, [&](task_id number, latent_frame& frame) {
    if (frame.kind->run_part != nullptr) {
      auto& range = static_cast<detail::range_frame&>(frame);
      if (&frame == made && !range.can_halve()) return true;
      if (!record_part(range, at, number, parent)) return true;
    }
    to.record_fork(number, parent, frame.kind->label(frame));
    return true;
  });
  detail::range_frame* const range = divisible_recorded_range(stack);
  if (range == nullptr || range == made) return;
  const task_id number = to.next_fork_number();
  const task_id owner = number_in(range->offer).is_some() ? number_in(range->offer) : parent;
  if (record_part(*range, at, number, owner)) to.record_fork(number, owner, range->kind->label(*range));
}

void record_frames_in_handler(latent_stack& stack, fork_recorder& to) noexcept {
  if (!to.records_forks()) return;
  const task_id parent = to.running_task();
  record_each(stack, to, parent, [&](task_id number, const latent_frame& frame) {
    // A part takes memory: a loop records it itself, between two blocks.
    return frame.kind->run_part == nullptr && to.record_fork_in_handler(number, parent, frame.kind->label(frame));
  });
}

detail::range_frame* divisible_recorded_range(const latent_stack& stack) noexcept {
  latent_frame* const newest = stack.newest.load(std::memory_order_relaxed);          // owner-only
  if (newest != stack.last_recorded.load(std::memory_order_relaxed)) return nullptr;  // owner-only
  if (newest == &stack.bottom || newest->kind->run_part == nullptr) return nullptr;
  auto& range = static_cast<detail::range_frame&>(*newest);
  return !range.is_passed() && range.can_divide() ? &range : nullptr;
}

bool clear_requests(latent_stack& stack, const fork_recorder* recorder) noexcept {
  const bool hears_every_fork = recorder != nullptr && recorder->records_every_fork();
  const std::uintptr_t quiet = hears_every_fork ? latent_stack::k_heartbeat : stack.low_mark;
  // ordered by [L20]
  const bool was_fork_requested =
      stack.fork_limit.exchange(quiet, std::memory_order_relaxed) == latent_stack::k_fork_requested;
  return take_request(stack) || was_fork_requested;
}

namespace detail {

recorded_child::recorded_child(const latent_frame& frame) noexcept : recorded_child{number_in(frame.offer)} {}

recorded_child::recorded_child(task_id number) noexcept {
  if (!number.is_some()) return;
  share_point* const here = share_point_here();
  if (here == nullptr || here->recorder == nullptr) return;
  task_.id = number;
  here->recorder->begin_child(task_);
}

recorded_child::~recorded_child() {
  if (!task_.id.is_some()) return;
  share_point* const here = share_point_here();
  if (here != nullptr && here->recorder != nullptr) here->recorder->end_child(task_);
}

}  // namespace detail
}  // namespace filch::inline v0
