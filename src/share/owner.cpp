#include "owner.hpp"

#include "frame_list.hpp"
#include "frame_recording.hpp"

#include <cstdint>
#include <new>

#include <sys/syscall.h>
#include <unistd.h>

namespace filch::inline v0 {
namespace {

[[gnu::noinline]] std::int32_t number_of_thread() {
  static constinit thread_local std::int32_t number = 0;
  if (number == 0) number = static_cast<std::int32_t>(::syscall(SYS_gettid));
  return number;
}

}  // namespace

offered_task* promote_frame(share_point& at, latent_stack& stack, latent_frame* newest, offer_memory& memory) noexcept {
  latent_frame* const oldest = oldest_to_give(stack, newest);
  if (oldest == nullptr) return nullptr;
  const bool is_range = oldest->kind->run_part != nullptr;
  const task_id recorded = number_in(oldest->offer);
  void* const bytes = memory.take();
  if (bytes == nullptr) return nullptr;
  const task_id running{at.task_number.load(std::memory_order_relaxed)};  // hint: what a recording shows as the parent
  auto* const made = ::new (bytes) offered_task{*oldest, at, is_range && recorded.is_some() ? recorded : running};
  if (!is_range) {
    if (recorded.is_some()) made->id = recorded;
    oldest->offer = made;
    share_oldest(stack, *oldest);
  }
  return made;
}

void put_offer(share_point& at, queue_entry& made) noexcept {
  at.visits.reset();
  at.offers.put(made);
}

void share_owner::enter(latent_stack* stack, bool may_have_missed) noexcept {
  if (stack != nullptr && may_have_missed) of_.requests.request(*stack, of_.rules);
  of_.requests.set_running(stack, number_of_thread());
}

void share_owner::leave() noexcept {
  of_.lock.lock();
  of_.requests.leave();
  of_.lock.unlock();
}

bool share_owner::promote_oldest(latent_stack& stack, share how) noexcept {
  if (of_.offers.is_filled() || of_.host.is_exhausted()) return false;
  offer_memory memory;
  latent_frame* const newest = stack.newest.load(std::memory_order_relaxed);  // owner-only
  offered_task* const made = promote_frame(of_, stack, newest, memory);
  if (made == nullptr) return false;
  if (detail::range_frame* const range = made->range()) {
    made->part = range->divide(how);
    range->add_part(*made);
  }
  put_offer(of_, *made);
  return true;
}

void share_owner::announce() noexcept {
  of_.host.wake_for_offer(of_);
  of_.offers.stamp();
}

void share_owner::defer() noexcept {
  if (!of_.host.has_sleepers()) return;
  of_.requests.defer();
  of_.host.announce_deferred();
}

}  // namespace filch::inline v0
