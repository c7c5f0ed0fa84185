#include "blocking.hpp"

#include "core.hpp"
#include "holding.hpp"
#include "suspension.hpp"

#include "share/owner.hpp"

namespace filch::inline v0 {
namespace {

// A task has given its worker away, and blocks, or runs code that may block: workers may take what lies on its stack.
// Does nothing while forks are recorded, as their tasks need a worker.
void enter_blocked(runtime::core& home, latent_stack& stack, task_id task) noexcept {
  if (home.records_forks()) return;
  external_slot* const slot = home.shares->external.slot_for_thread();
  if (slot == nullptr) return;
  slot->waits.store(1, std::memory_order_relaxed);  // owner-only
  slot->point.lock.lock();                          // another thread may visit what the last user of the slot has left
  slot->stack = &stack;
  slot->task_number.store(task.value, std::memory_order_relaxed);  // hint
  share_owner{slot->point}.enter(&stack, has_latent_work(stack));
  slot->point.lock.unlock();
  set_share_point_here(&slot->point);
  slot->begin_section();
  home.shares->call_monitor();
}

// A thread of the crew lives as long as the runtime: external threads would find no slot left, so it gives its own
// back.
void leave_blocked() noexcept {
  external_slot* const slot = external_threads::slot_of_thread();
  if (slot == nullptr || !slot->is_inside()) return;
  slot->end_section();
  set_share_point_here(nullptr);
  share_owner{slot->point}.leave();
  slot->stack = nullptr;
  slot->task_number.store(task_id::none().value, std::memory_order_relaxed);  // hint
  slot->waits.store(0, std::memory_order_relaxed);                            // owner-only
  external_threads::give_slot_back();
}

}  // namespace

bool leave_worker(stand_in how) {
  worker& mine = *worker::current();
  runtime::core& home = mine.home;
  task_record* const running = mine.runs.get();
  if (running == nullptr) return false;  // not inside a task: a thread that is just starting
  promote_before_leaving(mine);          // the thread that stands in takes it
  mine.trace.events().block(running->id);
  mine.runs.set(nullptr);
  hold_worker(nullptr);
  give_back_kept_stacks();
  if (home.threads->lend(mine, how)) {
    if (latent_stack* const stack = current_latent_stack()) enter_blocked(home, *stack, running->id);
    return true;
  }
  hold_worker(&mine);
  mine.trace.events().unblock(running->id);
  mine.runs.set(running);
  return false;
}

void return_to_worker(runtime::core& home, task_record& running) {
  leave_blocked();
  worker& given = home.threads->take_back([&home] { home.wakes->notify(worker_id::none(), nullptr); });
  hold_worker(&given);
  given.trace.events().unblock(running.id);
  given.runs.set(&running);
}

external_slot* leave_place() noexcept {
  external_slot* const slot = external_threads::slot_of_thread();
  if (slot == nullptr || !slot->is_inside()) return nullptr;
  const std::uint32_t before = slot->waits.load(std::memory_order_relaxed);  // owner-only
  slot->waits.store(before + 1, std::memory_order_relaxed);                  // owner-only
  share_host& host = slot->point.host;
  if (before == 0 && host.has_sleepers()) host.call_monitor();
  return slot;
}

void come_back(external_slot* slot) noexcept {
  if (slot == nullptr) return;
  slot->waits.store(slot->waits.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);  // owner-only
}

}  // namespace filch::inline v0
