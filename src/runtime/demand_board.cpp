#include "demand_board.hpp"

#include "share/thief.hpp"

#include <algorithm>

namespace filch::inline v0 {

// An offer that lies there may be a visitor's, of which only the monitor thread knows.
bool concerns_sleepers(const worker& one) {
  return withholds(one.point) || one.point.offers.is_filled() || one.point.requests.has_deferred() || one.awaits_join();
}

bool demand_board::is_work_withheld_from(const worker& who) const {
  for (const worker& each : workers_) {
    if (&each != &who && concerns_sleepers(each)) return true;
  }
  bool has_external = false;
  external_.for_each([&](const external_slot& slot) { has_external |= slot.is_inside(); });
  return has_external;
}

bool demand_board::has_work() const {
  bool is_offered = false;
  for (const worker& each : workers_) {
    const bool has_offer = each.point.offers.is_filled();
    if (each.queues.stealable_hint() != 0 || (has_offer && has_coroutines(each.point))) return true;
    is_offered |= has_offer;
  }
  external_.for_each([&](const external_slot& slot) { is_offered |= slot.point.offers.is_filled(); });
  return is_offered && has_place_for_sleeper();
}

bool demand_board::flush_deferred(const worker& who) noexcept {
  bool has_requested = false;
  const bool has_place = has_place_for_sleeper();
  const auto flush = [&](share_point& at) {
    if (at.requests.has_deferred() && (has_place || has_coroutines(at)))
      has_requested |= share_thief{at}.flush(monotonic_now_ns());
  };
  for (worker& each : workers_) {
    if (&each != &who) flush(each.point);
  }
  external_.for_each([&](external_slot& slot) {
    if (slot.is_inside()) flush(slot.point);
  });
  return has_requested;
}

void demand_board::flush_deferred_now() noexcept {
  for (worker& each : workers_) (void)share_thief{each.point}.flush_now();
  external_.for_each([](external_slot& slot) {
    if (slot.is_inside()) (void)share_thief{slot.point}.request();
  });
}

// What an external thread that has left deferred concerns no worker.
bool demand_board::has_deferred() const {
  bool is_any = std::ranges::any_of(workers_, [](const worker& each) { return each.point.requests.has_deferred(); });
  external_.for_each(
      [&](const external_slot& slot) { is_any |= slot.is_inside() && slot.point.requests.has_deferred(); });
  return is_any;
}

}  // namespace filch::inline v0
