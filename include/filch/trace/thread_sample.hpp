// What a worker's thread has used of the processor, from one look to the next: beside the events of the worker, because
// it is about threads, which events know nothing of.
#pragma once

#include <filch/base/units.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace filch::inline v0::trace {

// The numbers are part of the file format: never renumber, add at the end.
enum class thread_resource : std::uint8_t {
  cpu_ns,        // time on a processor
  run_queue_ns,  // time in which it could have run and had no processor
  voluntary,     // context switches because it waited inside the kernel
  involuntary,   // context switches because another thread got its processor
  cycles,        // of the processor, in the program itself
  instructions,  // … that ended in them
  cache_misses,  // of the last level of the caches
};
inline constexpr std::size_t k_thread_resources = 7;

// "run_queue_ns"; "unknown" for a number that is none.
[[nodiscard]] std::string_view name_of(thread_resource which) noexcept;

struct thread_amounts {
  std::array<std::uint64_t, k_thread_resources> at{};

  constexpr std::uint64_t& operator[](thread_resource which) { return at[static_cast<std::size_t>(which)]; }
  constexpr std::uint64_t operator[](thread_resource which) const { return at[static_cast<std::size_t>(which)]; }
  friend constexpr bool operator==(const thread_amounts&, const thread_amounts&) = default;
};

// One look at the thread that is a worker. It lies at the time of an event of that worker, and belongs behind it.
struct thread_sample {
  time_ns at_ns = 0;
  // Not 0: the system's number of the thread that is the worker from here on. Then `used` holds 1 for each resource
  // that is looked at, and 0 for what the system does not tell. 0: the amounts since the sample before.
  std::uint64_t begins = 0;
  thread_amounts used;

  friend constexpr bool operator==(const thread_sample&, const thread_sample&) = default;
};

}  // namespace filch::inline v0::trace
