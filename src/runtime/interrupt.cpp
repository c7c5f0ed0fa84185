#include "interrupt.hpp"

#include "core.hpp"
#include "fork_record.hpp"
#include "guest_hall.hpp"
#include "worker.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/syscall.h>
#include <unistd.h>

namespace filch::inline v0 {
namespace {

constexpr int k_signal = SIGURG;

constinit thread_local volatile std::sig_atomic_t are_deferred = 0;

struct sigaction action_before{};

// Its address is the mark of our signals.
char mark;

// Who has sent the signal may have given up meanwhile.
void tell(const latent_desk& desk, runtime::core& home) noexcept {
  if (desk.slot.has_offer() && !desk.interrupts.is_awaited()) home.look_out_in_handler();
}

// Runs on the thread itself, between two of its instructions.
void offer_something() noexcept {
  if (are_deferred != 0) return;
  // [L10] signal fence: what fork_latent() or answer_alarm() wrote before its own is complete ← [L8] ← [L18], what
  // join_latent() unlinked before its own is not found ↔ [L9], nothing is seen of what is done while this is put off ↔
  // [L11] ↔ [L12], and what is watched is looked at again behind it ↔ [L19] ↔ [L28].
  std::atomic_signal_fence(std::memory_order_acq_rel);
  latent_stack* const stack = running_latent_stack();
  if (stack == nullptr) return;
  if (worker* const me = worker::current()) {
    const task_record* const running = me->current_task;
    const task_id parent = running != nullptr ? running->id : task_id::none();
    note_frames_in_handler(*stack, *me);
    if (!me->desk.offer_in_handler(*stack, me->home, parent)) me->desk.offer_coroutine_in_handler();
    tell(me->desk, me->home);
  } else if (guest_seat* const seat = guest_hall::seat_of_thread(); seat != nullptr && seat->stack == stack) {
    if (seat->desk.offer_in_handler(*stack, seat->home, task_id::none())) tell(seat->desk, seat->home);
  }
}

void handle(int number, siginfo_t* info, void* context) {
  const int errno_before = errno;
  if (info->si_code == SI_QUEUE && info->si_value.sival_ptr == &mark) {
    offer_something();
  } else if ((action_before.sa_flags & SA_SIGINFO) != 0) {
    action_before.sa_sigaction(number, info, context);
  } else if (action_before.sa_handler != SIG_DFL && action_before.sa_handler != SIG_IGN) {
    action_before.sa_handler(number);
  }
  errno = errno_before;
}

}  // namespace

bool install_interrupt_handler() {
  static const bool is_installed = [] {
    struct sigaction action{};
    action.sa_sigaction = &handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    return ::sigaction(k_signal, nullptr, &action_before) == 0 && ::sigaction(k_signal, &action, nullptr) == 0;
  }();
  return is_installed;
}

void send_interrupt(std::int32_t thread_number) noexcept {
  siginfo_t info;
  std::memset(&info, 0, sizeof info);
  info.si_signo = k_signal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_ptr = &mark;
  (void)::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), thread_number, k_signal, &info);
}

// Not inlined: between the two the caller may have come to another thread.
[[gnu::noinline]] void defer_interrupts() noexcept {
  are_deferred = 1;
  // [L11] signal fence: what follows is done with the handler put off ↔ [L10].
  std::atomic_signal_fence(std::memory_order_acq_rel);
}
[[gnu::noinline]] void allow_interrupts() noexcept {
  // [L12] signal fence: what was done is complete before the handler may look ↔ [L10].
  std::atomic_signal_fence(std::memory_order_acq_rel);
  are_deferred = 0;
}

}  // namespace filch::inline v0
