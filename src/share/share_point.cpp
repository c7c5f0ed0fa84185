#include "share_point.hpp"

#include "runtime/core.hpp"
#include "runtime/fork_recording.hpp"
#include "frame_list.hpp"
#include "runtime/external_threads.hpp"
#include "visiting.hpp"
#include "runtime/worker.hpp"

#include <atomic>
#include <new>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

namespace filch::inline v0 {
namespace {

[[gnu::noinline]] std::int32_t number_of_thread() {
  static constinit thread_local std::int32_t number = 0;
  if (number == 0) number = static_cast<std::int32_t>(::syscall(SYS_gettid));
  return number;
}

constinit thread_local share_point* point_closed = nullptr;

share_point* point_of_thread() noexcept {
  if (worker* const me = worker::current()) return &me->point;
  external_slot* const slot = external_threads::slot_of_thread();
  return slot != nullptr && slot->stack == running_latent_stack() ? &slot->point : nullptr;
}

}  // namespace

// Not inlined: between the two the caller may have come to another thread.
[[gnu::noinline]] void close_point() noexcept {
  point_closed = point_of_thread();
  if (point_closed != nullptr) point_closed->lock.lock();
}
[[gnu::noinline]] void open_point() noexcept {
  if (share_point* const closed = std::exchange(point_closed, nullptr)) closed->lock.unlock();
}

void share_point::listen(latent_stack* running, bool may_have_missed) {
  thread_number_.store(number_of_thread(), std::memory_order_relaxed);  // statistic
  if (running != nullptr && may_have_missed) ask(*running);
  // [L6] release store: publishes the stack → [L7].
  running_.store(running, std::memory_order_release);
}

void share_point::leave() {
  lock.lock();
  running_.store(nullptr, std::memory_order_relaxed);  // ordered by [V2]
  lock.unlock();
}

// An offer of the oldest frame, or null. What a range gives is chosen by the caller.
offered_task* share_point::make_offer(latent_stack& stack, latent_frame* newest, runtime::core& home, task_id parent,
                                      offer_memory& memory) noexcept {
  latent_frame* const oldest = oldest_to_give(stack, newest);
  if (oldest == nullptr) return nullptr;
  const bool is_range = oldest->kind->run_part != nullptr;
  const task_id noted = number_in(oldest->offer);
  void* const bytes = memory.take();
  if (bytes == nullptr) return nullptr;
  auto* const made = ::new (bytes) offered_task{*oldest, *this, is_range && noted.is_some() ? noted : parent};
  made->home = &home;
  if (!is_range) {
    if (noted.is_some()) made->id = noted;
    oldest->offer = made;
    share_oldest(stack, *oldest);
  }
  return made;
}

void share_point::put_out(queue_entry& made) noexcept {
  note_offer();
  offers_coroutine_.store(made.kind != entry_kind::task, std::memory_order_relaxed);  // hint
  visits.forget();
  cell.offer(made);
}

bool share_point::promote_oldest(latent_stack& stack, runtime::core& home, task_id parent, share how) noexcept {
  if (cell.has_offer() || home.is_exhausted()) return false;
  latent_frame* const newest = stack.newest.load(std::memory_order_relaxed);  // owner-only
  offer_memory memory;
  offered_task* const made = make_offer(stack, newest, home, parent, memory);
  if (made == nullptr) return false;
  if (detail::range_frame* const range = made->range()) {
    made->part = range->divide(how);
    range->add_part(*made);
  }
  put_out(*made);
  return true;
}

bool share_point::visit(runtime::core& home) noexcept {
  if (cell.has_offer()) return true;
  // Before the visit: fork() waits for it, and another library's handler may have locked the heap before.
  offer_memory memory;
  if (!memory.prepare()) return false;
  const visiting under_way;
  if (!under_way.has_begun() || !lock.try_lock()) return cell.has_offer();
  // Who holds the share point may have offered something just before.
  queue_entry* made = nullptr;
  if (!cell.has_offer()) {
    if (!home.is_exhausted()) made = take_frame(home, memory);
    if (made == nullptr && work_ != nullptr) made = take_coroutine();
    if (made != nullptr) put_out(*made);
  }
  lock.unlock();
  return cell.has_offer();
}

queue_entry* share_point::take_frame(runtime::core& home, offer_memory& memory) noexcept {
  latent_stack* const stack = running();
  if (stack == nullptr) return nullptr;
  latent_frame* const newest =
      detail::newest_for_visitor(stack->newest, stack->join_limit, latent_stack::k_join_requested);
  if (newest == nullptr) return nullptr;
  const worker* const owner = static_cast<const worker*>(work_);
  // hint: what a recording shows as the parent
  const task_id parent{owner != nullptr ? owner->task_number.load(std::memory_order_relaxed)
                                        : task_number.load(std::memory_order_relaxed)};
  offered_task* const made = make_offer(*stack, newest, home, parent, memory);
  if (made == nullptr) return nullptr;
  if (detail::range_frame* const range = made->range()) {
    made->part = range->divide_for_visitor();
    range->add_part(*made);
  }
  // Behind the division: the owner looks at the limit again where nobody asks any more.
  (void)clear_requests(*stack, owner);
  return made;
}

queue_entry* share_point::take_coroutine() noexcept {
  if (!work_->changes.enter()) return nullptr;
  coroutine_entry* taken = take_oldest_pending(*work_);
  if (taken == nullptr) taken = work_->ready.take_oldest();
  work_->changes.leave();
  return taken;
}

}  // namespace filch::inline v0
