#include "trace/usage_log.hpp"

#include "trace/thread_meter.hpp"

namespace filch::inline v0::trace {

// A sample that finds no room is not lost: its amounts are part of the next one.
std::int64_t usage_log::look(std::int64_t ticks) noexcept {
  const time_ns now_ns = monotonic_now_ns();
  thread_meter& meter = thread_meter::of_this_thread();
  if (meter.is_read_by(this) && meter_ == &meter) {
    if (append(ticks, 0, meter.read(now_ns))) meter.keep();
  } else {
    const std::uint64_t thread = meter.begin(this, now_ns);
    meter_ = append(ticks, thread, meter.looked_at()) ? &meter : nullptr;
  }
  return next_due(ticks, now_ns);
}

// How long a tick is follows from the first look; until then it is taken for a nanosecond, and is a part of one.
std::int64_t usage_log::next_due(std::int64_t ticks, time_ns now_ns) noexcept {
  if (first_.monotonic_ns == 0) first_ = {ticks, now_ns};
  if (how_ == ring_is::emptied_at_the_end && ++looks_ % k_doubles_after == 0) every_ns_ *= 2;
  const time_ns since_ns = now_ns - first_.monotonic_ns;
  const double ticks_per_ns =
      since_ns > 0 ? static_cast<double>(ticks - first_.ticks) / static_cast<double>(since_ns) : 1.0;
  return ticks + static_cast<std::int64_t>(static_cast<double>(every_ns_) * ticks_per_ns);
}

bool usage_log::append(std::int64_t ticks, std::uint64_t begins, const thread_amounts& used) noexcept {
  ring_item<2 + k_thread_resources> item;
  item.at[0] = static_cast<std::uint64_t>(ticks);
  item.at[1] = begins;
  for (std::size_t i = 0; i != k_thread_resources; ++i) item.at[2 + i] = used.at[i];
  return ring_.append(item);
}

bool usage_log::take(thread_sample& out) noexcept {
  ring_item<2 + k_thread_resources> item;
  if (!ring_.take(item)) return false;
  out.at_ns = static_cast<time_ns>(item.at[0]);
  out.begins = item.at[1];
  for (std::size_t i = 0; i != k_thread_resources; ++i) out.used.at[i] = item.at[2 + i];
  return true;
}

}  // namespace filch::inline v0::trace
