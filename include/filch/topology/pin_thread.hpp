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

// While it lives the calling thread runs on those CPUs of its mask that are not among these; where there are none, or
// the system refuses, on all of them as before. What somebody else makes of the mask meanwhile stays.
class away_from {
 public:
  explicit away_from(const cpu_set& crowded) noexcept;
  away_from(const away_from&) = delete;
  away_from& operator=(const away_from&) = delete;
  ~away_from();

  // False: nothing has changed.
  [[nodiscard]] bool is_away() const noexcept { return narrow_.has_value(); }

 private:
  std::optional<cpu_set> narrow_;
  cpu_set before_;
};

// Moves the calling thread to a CPU of its mask that is not one of these, and lets it run on all of them again. False:
// it runs on none of these anyway, there is no other, or the system refuses; then nothing has changed.
inline bool move_away_from(const cpu_set& crowded) noexcept { return away_from{crowded}.is_away(); }

}  // namespace filch::inline v0::topology
