// The CPUs on which the calling thread may run.
#pragma once

#include <filch/topology/cpu_set.hpp>

#include <optional>
#include <system_error>

#include <pthread.h>

namespace filch::inline v0::topology {

// Confines the calling thread. No error: it now runs there. Otherwise the system's reason, and nothing has changed:
// invalid_argument for a CPU that does not exist or is not allowed here, operation_not_permitted in a sandbox, ….
[[nodiscard]] std::error_code pin_thread(cpu_number cpu) noexcept;
[[nodiscard]] std::error_code pin_thread(const cpu_set& cpus) noexcept;
// The same for another thread.
[[nodiscard]] std::error_code pin_thread(pthread_t which, cpu_number cpu) noexcept;

// The calling thread's affinity mask, of any size; nothing when the system does not tell.
[[nodiscard]] std::optional<cpu_set> thread_affinity();

// Where the calling thread runs now; nothing when the system does not tell.
[[nodiscard]] std::optional<cpu_number> current_cpu() noexcept;

// Moves the calling thread to a CPU of its mask that is not one of these, and lets it run on all of them again. False: there is
// none, or the system refuses; then nothing has changed.
bool move_away_from(const cpu_set& crowded) noexcept;

}  // namespace filch::inline v0::topology
