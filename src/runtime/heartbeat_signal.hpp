// The signal by which the open forks of a thread that does not fork or join for long are recorded.
//
// It is sent while forks are recorded, and only to a thread that computes: one that waits in the kernel would see its
// call interrupted. The signal is SIGURG, which the system ignores by default and programs rarely use. It is sent with
// a mark; without the mark it is passed on to the handler that was there before. The handler takes no lock that it
// would have to wait for, and allocates nothing.
#pragma once

#include <cstdint>

namespace filch::inline v0 {

// Installs the handler, once per process. False: the system refused.
[[nodiscard]] bool install_heartbeat_handler();

// Any thread. Does nothing to a thread that does not run.
void send_heartbeat(std::int32_t thread_number) noexcept;

}  // namespace filch::inline v0
