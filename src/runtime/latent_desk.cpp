#include "latent_desk.hpp"

#include "core.hpp"
#include "fork_record.hpp"
#include "frame_list.hpp"
#include "interrupt.hpp"

#include <atomic>
#include <memory>
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

// Memory that nobody has used.
void give_back(std::byte* memory) {
  if (memory != nullptr) std::allocator<offered_task>{}.deallocate(reinterpret_cast<offered_task*>(memory), 1);
}

}  // namespace

latent_desk::~latent_desk() { give_back(memory_.take()); }

void latent_desk::give_memory() {
  if (memory_.has_offer()) return;
  auto* const given = reinterpret_cast<std::byte*>(std::allocator<offered_task>{}.allocate(1));
  if (!memory_.offer_if_empty(*given)) give_back(given);
}

void latent_desk::listen(latent_stack* running, bool may_have_missed) {
  thread_number_.store(number_of_thread(), std::memory_order_relaxed);  // statistic
  if (running != nullptr && may_have_missed) ask(*running);
  // [L6] release store: publishes the stack → [L7].
  listener_.store(running, std::memory_order_release);
}

bool latent_desk::offer_oldest(latent_stack& stack, runtime::core& home, task_id parent, share how) noexcept {
  if (slot.has_offer() || home.is_exhausted()) return false;
  latent_frame* const oldest = oldest_to_give(stack);
  if (oldest == nullptr) return false;
  auto* const made = new (std::nothrow) offered_task{*oldest, *this, parent};
  if (made == nullptr) return false;
  publish(stack, *oldest, *made, home, how);
  return true;
}

bool latent_desk::offer_in_handler(latent_stack& stack, runtime::core& home, task_id parent) noexcept {
  if (slot.has_offer() || home.is_exhausted()) return false;
  latent_frame* const oldest = oldest_to_give(stack);
  if (oldest == nullptr) return false;
  std::byte* const memory = memory_.take();
  if (memory == nullptr) return false;
  (void)calm(stack, worker::current());  // a handler may be all that answers the alarm
  publish(stack, *oldest, *::new (memory) offered_task{*oldest, *this, parent}, home, share::half);
  return true;
}

void latent_desk::offer_coroutine_in_handler() noexcept {
  if (slot.has_offer() || lane_->is_busy.load(std::memory_order_relaxed)) return;  // owner-only
  // [L17] signal fence: no change of the list is under way ↔ [L15] ↔ [L16].
  std::atomic_signal_fence(std::memory_order_acq_rel);
  coroutine_entry* taken = take_oldest_pending(*lane_);
  if (taken == nullptr) taken = lane_->ready.take_oldest();
  if (taken == nullptr) return;
  note_offer();
  interrupts.forget();
  slot.offer(*taken);
}

void latent_desk::publish(latent_stack& stack, latent_frame& oldest, offered_task& made, runtime::core& home,
                          share how) noexcept {
  made.home = &home;
  if (oldest.kind->run_part != nullptr) {
    auto& range = static_cast<detail::range_frame&>(oldest);
    made.part = range.divide(how);
    range.add_part(made);
  } else {
    if (const task_id number = number_in(oldest.offer); number.is_some()) made.id = number;
    oldest.offer = &made;
    share_oldest(stack, oldest);
  }
  note_offer();
  interrupts.forget();
  slot.offer(made);
}

}  // namespace filch::inline v0
