#include "visits.hpp"

#include "share/visiting.hpp"
#include "share/visitor.hpp"

namespace filch::inline v0 {

void visits::prepare() noexcept {
  // [L37] release store: the process is registered → [L34].
  if (prepare_visits()) can_visit_.store(true, std::memory_order_release);
}

bool visits::visit(share_point& at) noexcept {
  const bool is_offered = share_visitor{at}.visit();
  // A filter of system calls that the program has set meanwhile.
  if (!is_offered && !std_atomics::is_heavy_fence_prepared()) {
    can_visit_.store(false, std::memory_order_relaxed);  // hint: visits come back with nothing
  }
  at.visits.end(is_offered, monotonic_now_ns(), at.rules);
  return is_offered;
}

bool visits::visit_others(const worker& who, bool is_alone) noexcept {
  if (!can_visit()) return false;
  const bool has_place = board_.has_place_for_sleeper();
  auto& workers = board_.workers();
  const std::size_t count = workers.size();
  for (std::size_t i = 1; i != count; ++i) {
    share_point& at = workers[(who.self.value + i) % count].point;
    const time_ns now_ns = monotonic_now_ns();
    if (board_.wakes().idle().is_chosen(who.self)) return false;
    if ((!has_place || board_.is_exhausted()) && !has_coroutines(at)) continue;
    if (!withholds(at) || !(is_alone || withholds_forks(at))) continue;
    if (!at.throttle.value().may_wake(now_ns) || !at.visits.may_begin(now_ns)) continue;
    if (visit(at)) return true;
  }
  return false;
}

}  // namespace filch::inline v0
