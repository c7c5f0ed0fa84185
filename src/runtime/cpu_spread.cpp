#include "cpu_spread.hpp"

#include <filch/topology/pin_thread.hpp>

#include <exception>
#include <utility>
#include <vector>

namespace filch::inline v0 {

topology::cpu_set cpu_spread::cpus_of_others(const worker* who) const {
  std::vector<topology::cpu_number> found;
  for (const worker& each : workers_) {
    const std::uint32_t at = each.cpu.load(std::memory_order_relaxed);  // hint
    if (&each != who && each.works_at(at)) found.push_back(at);
  }
  return topology::cpu_set{std::move(found)};
}

void cpu_spread::leave_crowded_cpus(const worker* who, time_ns& moved_ns) const noexcept {
  const time_ns now_ns = monotonic_now_ns();
  if (now_ns - moved_ns < k_between_moves_ns) return;
  moved_ns = now_ns;
  try {
    const topology::cpu_set crowded = cpus_of_others(who);
    if (!crowded.empty()) (void)topology::move_away_from(crowded);
  } catch (const std::exception&) {
    // It stays.
  }
}

void cpu_spread::sleep_apart(const worker& who, park::idle<>& idle, time_ns until_ns) const noexcept {
  constexpr time_ns k_long_ns = k_ns_per_ms;  // guess: the mask costs two microseconds
  topology::cpu_set others;
  try {
    const bool is_long = keeps_apart_ && !idle.is_chosen(who.self) && until_ns - monotonic_now_ns() >= k_long_ns;
    if (is_long) others = cpus_of_others(&who);
  } catch (const std::exception&) {
    // The system chooses.
  }
  std::optional<topology::away_from> where;
  if (!others.empty()) where.emplace(others);
  (void)idle.sleep(who.self, until_ns);
}

std::string cpu_spread::unbind_thread() const noexcept {
  if (!unbound_) return {};
  const auto failed = topology::pin_thread(*unbound_);
  // Else it was never bound: the system refuses both.
  if (!failed || topology::thread_affinity() == unbound_) return {};
  return "filch: a thread stays bound to the CPU where it began: " + failed.message() + "\n";
}

}  // namespace filch::inline v0
