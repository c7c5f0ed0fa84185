#include <filch/trace/recorder.hpp>

namespace filch::inline v0::trace {

recorder::recorder(worker_id worker, std::size_t ring_events, when_full full, clock_source clock)
    : worker_{static_cast<std::uint16_t>(worker.value)}, clock_{clock}, ring_{ring_events, full} {}

recorder& recorder::off() {
  static recorder never{worker_id::none(), 1, when_full::refuse_new, clock_source::monotonic};
  return never;
}

void recorder::record(event what) noexcept {
  what.time_ns = now_ticks(clock_);
  what.worker = worker_;
  const std::uint64_t refused = refused_.load(std::memory_order_relaxed);  // owner-only
  if (has_gap_) [[unlikely]] {
    const event gap{.time_ns = what.time_ns, .task = k_no_task, .argument = refused, .detail = k_no_detail,
                    .worker = worker_, .kind = event_kind::dropped, .reserved = 0};
    has_gap_ = !ring_.append(gap);
  }
  if (has_gap_ || !ring_.append(what)) [[unlikely]] {
    has_gap_ = true;
    refused_.store(refused + 1, std::memory_order_relaxed);  // statistic
  }
}

}  // namespace filch::inline v0::trace
