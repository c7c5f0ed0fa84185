// A signal that makes a thread offer its oldest latent frame, for victims that do not fork for a long time.
//
// The signal is SIGURG, which the system ignores by default and programs rarely use. It is sent with a mark; without
// the mark it is passed on to the handler that was there before. The handler takes no lock and allocates nothing.
#pragma once

#include <cstdint>

namespace filch::inline v0 {

// Installs the handler, once per process. False: the system refused.
[[nodiscard]] bool install_interrupt_handler();

// Any thread.
void send_interrupt(std::int32_t thread_number) noexcept;

// The calling thread's handler does nothing until `allow_interrupts`; used around everything that changes the list of
// latent frames other than by fork_latent() and join_latent(), and around a switch of stacks. Does not nest.
void defer_interrupts() noexcept;
void allow_interrupts() noexcept;

}  // namespace filch::inline v0
