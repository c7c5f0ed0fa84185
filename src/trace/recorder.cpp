#include <filch/trace/recorder.hpp>

#include "trace/usage_log.hpp"

namespace filch::inline v0::trace {

recorder::recorder(worker_id worker, std::size_t ring_events, when_full full, clock_source clock)
    : worker_{static_cast<std::uint16_t>(worker.value)}, clock_{clock}, ring_{ring_events, full} {}

recorder::~recorder() = default;

void recorder::record_usage(bool is_emptied_often) {
  using enum usage_log::ring_is;
  usage_ = std::make_unique<usage_log>(is_emptied_often ? emptied_often : emptied_at_the_end);
  look_again_ticks_ = std::numeric_limits<std::int64_t>::min();
}

bool recorder::take_usage(thread_sample& out) noexcept { return usage_ != nullptr && usage_->take(out); }

recorder& recorder::off() {
  static recorder never{worker_id::none(), 1, when_full::refuse_new, clock_source::monotonic};
  return never;
}

void recorder::store(std::uint64_t task, std::uint64_t argument, std::uint32_t detail, event_kind kind) noexcept {
  const std::int64_t ticks = now_ticks(clock_);
  const packed_event packed = pack(ticks, task, argument, detail, kind);
  if (has_gap_ || !ring_.append(packed)) [[unlikely]]
    store_in_full_ring(packed);
  if (ticks >= look_again_ticks_) [[unlikely]]
    look_again_ticks_ = usage_->look(ticks);
}

void recorder::store_in_full_ring(const packed_event& what) noexcept {
  if (!has_gap_ && make_room_ != nullptr) {
    make_room_(session_);
    if (usage_ != nullptr) usage_->forget();
    if (ring_.append(what)) return;
  }
  const std::uint64_t refused = refused_.load(std::memory_order_relaxed);  // owner-only
  if (has_gap_) {
    has_gap_ = !ring_.append(
        pack(static_cast<std::int64_t>(what.at[0]), k_no_task, refused, k_no_detail, event_kind::dropped));
    if (!has_gap_ && ring_.append(what)) return;
  }
  has_gap_ = true;
  refused_.store(refused + 1, std::memory_order_relaxed);  // statistic
}

}  // namespace filch::inline v0::trace
