// Which worker the calling thread holds, and which stack runs there.
//
// Who may call what: the thread about itself.
#pragma once

#include "worker.hpp"

namespace filch::inline v0 {

// The calling thread holds this worker from now on, or none.
// Not inlined: its caller may have come to another thread, whose thread-locals lie elsewhere.
[[gnu::noinline]] void hold_worker(worker* held) noexcept;
// This stack runs on the worker that the calling thread holds, or none. Where no thief requests work and nothing is
// recorded, the first fork need not look whether work was requested.
void run_stack(worker& me, latent_stack* running) noexcept;
// The worker begins with something new: should it fork and not join while others sleep and its joins shall answer, the
// monitor must notice.
void note_running(worker& me) noexcept;
// The running stack is about to be left, and not for a join: its oldest fork that no thief can take yet is offered.
void promote_before_leaving(worker& me) noexcept;

}  // namespace filch::inline v0
