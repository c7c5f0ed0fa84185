#include <filch/trace/recorder.hpp>

namespace filch::inline v0::trace {

recorder::recorder(worker_id worker, std::size_t ring_events, when_full full, clock_source clock)
    : worker_{static_cast<std::uint16_t>(worker.value)}, clock_{clock}, ring_{ring_events, full} {}

recorder& recorder::off() {
  static recorder never{worker_id::none(), 1, when_full::refuse_new, clock_source::monotonic};
  return never;
}

void recorder::store(std::uint64_t task, std::uint64_t argument, std::uint32_t detail, event_kind kind) noexcept {
  const std::int64_t ticks = now_ticks(clock_);
  if (has_gap_) [[unlikely]] {
    const std::uint64_t refused = refused_.load(std::memory_order_relaxed);  // owner-only
    has_gap_ = !ring_.append(pack(ticks, k_no_task, refused, k_no_detail, event_kind::dropped));
  }
  if (has_gap_ || !ring_.append(pack(ticks, task, argument, detail, kind))) [[unlikely]] {
    has_gap_ = true;
    const std::uint64_t refused = refused_.load(std::memory_order_relaxed);  // owner-only
    refused_.store(refused + 1, std::memory_order_relaxed);                  // statistic
  }
}

}  // namespace filch::inline v0::trace
