#include "holding.hpp"

#include "core.hpp"
#include "heartbeat.hpp"

#include "share/frame_recording.hpp"
#include "share/owner.hpp"

namespace filch::inline v0 {

void hold_worker(worker* held) noexcept {
  worker* const left = worker::current();
  if (left != nullptr && left != held) share_owner{left->point}.leave();
  detail::running_local_work = held;
  set_share_point_here(held != nullptr ? &held->point : nullptr);
  if (held != nullptr) return run_stack(*held, current_latent_stack());
  if (latent_stack* const stack = current_latent_stack()) stack->shows_loops = false;
}

void run_stack(worker& me, latent_stack* running) noexcept {
  const bool is_private = me.is_only && me.trace.session() == nullptr;  // no requests come
  if (running != nullptr) running->is_private = is_private;
  if (is_private && running != nullptr) (void)clear_requests(*running, &me.trace);
  if (running != nullptr && me.trace.session() != nullptr) {
    running->fork_limit.store(latent_stack::k_fork_requested, std::memory_order_relaxed);  // statistic
    prepare_recording(*running, me);
  }
  share_owner{me.point}.enter(running, !is_private);
  if (running != nullptr && !is_private && me.is_in(worker_state::running)) note_running(me);
}

void note_running(worker& me) noexcept {
  // [L21] seq_cst fence: "run, then look whether a request stands" against "request, then look which workers run" ↔
  // [L22].
  std_atomics::fence(std::memory_order_seq_cst);
  if (me.point.requests.awaits_join() && me.home.wakes->sleeping_hint() != 0) me.home.shares->call_monitor();
}

void promote_before_leaving(worker& me) noexcept {
  latent_stack* const stack = current_latent_stack();
  if (stack == nullptr || !has_latent_work(*stack)) return;
  const closed_point closed;
  (void)share_owner{me.point}.promote_oldest(*stack, share_owner::share::all);
}

}  // namespace filch::inline v0
