#include <filch/trace/schema.hpp>
#include <filch/trace/thread_sample.hpp>

#include <cstddef>

namespace filch::inline v0::trace {

std::string_view name_of(event_kind kind) noexcept {
  constexpr std::string_view names[] = {
      "spawn",  "start",        "end",     "steal_attempt", "steal_success", "steal_lost", "steal_empty", "inject",
      "park",   "wake",         "notify",  "suspend",       "resume",        "block",      "unblock",     "name",
      "cancel", "queue_length", "counter", "dropped",       "join",          "woken"};
  static_assert(sizeof(names) / sizeof(names[0]) == k_kind_count);
  const auto index = static_cast<std::size_t>(kind);
  return index < k_kind_count ? names[index] : "unknown";
}

std::string_view name_of(thread_resource which) noexcept {
  constexpr std::string_view names[] = {"cpu_ns", "run_queue_ns", "voluntary",   "involuntary",
                                        "cycles", "instructions", "cache_misses"};
  static_assert(sizeof(names) / sizeof(names[0]) == k_thread_resources);
  const auto index = static_cast<std::size_t>(which);
  return index < k_thread_resources ? names[index] : "unknown";
}

}  // namespace filch::inline v0::trace
