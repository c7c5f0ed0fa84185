#include <filch/trace/recording.hpp>

#include <algorithm>
#include <cstddef>

namespace filch::inline v0::trace {
namespace {

std::string check_list(const std::vector<event>& events, std::uint16_t worker, const std::string& whose,
                       time_ns latest_ns) {
  for (std::size_t i = 0; i != events.size(); ++i) {
    const event& e = events[i];
    const std::string where = "event " + std::to_string(i) + " of " + whose;
    if (e.worker != worker) return where + " carries worker number " + std::to_string(e.worker);
    if (static_cast<std::uint8_t>(e.kind) >= k_kind_count) {
      return where + " has kind " + std::to_string(static_cast<unsigned>(e.kind)) + ", allowed: below " +
             std::to_string(k_kind_count);
    }
    if (e.time_ns < 0 || e.time_ns > latest_ns) {
      return where + " is at " + std::to_string(e.time_ns) + " ns, allowed: 0 to " + std::to_string(latest_ns);
    }
    if (i != 0 && e.time_ns < events[i - 1].time_ns) {
      return where + " is at " + std::to_string(e.time_ns) + " ns, before its predecessor at " +
             std::to_string(events[i - 1].time_ns) + " ns";
    }
  }
  return {};
}

}  // namespace

std::uint64_t recording::event_count() const noexcept {
  std::uint64_t sum = outside.size();
  for (const auto& list : workers) sum += list.size();
  return sum;
}

std::uint64_t recording::dropped_count() const noexcept {
  std::uint64_t sum = 0;
  const auto add = [&](const std::vector<event>& list) {
    for (const event& e : list) {
      if (e.kind == event_kind::dropped) sum += e.argument;
    }
  };
  for (const auto& list : workers) add(list);
  add(outside);
  return sum;
}

std::string recording::check() const {
  if (workers.size() != about.workers) {
    return "about.workers is " + std::to_string(about.workers) + ", but there are events of " +
           std::to_string(workers.size()) + " workers";
  }
  if (about.workers > k_max_workers) {
    return "about.workers is " + std::to_string(about.workers) + ", allowed: at most " + std::to_string(k_max_workers);
  }
  const time_ns latest_ns = latest_time_ns(about.workers);
  for (std::size_t w = 0; w != workers.size(); ++w) {
    auto wrong = check_list(workers[w], static_cast<std::uint16_t>(w), "worker " + std::to_string(w), latest_ns);
    if (!wrong.empty()) return wrong;
  }
  if (!usage.empty() && usage.size() != workers.size()) {
    return "there are samples of the threads of " + std::to_string(usage.size()) + " workers, but there are " +
           std::to_string(workers.size());
  }
  for (std::size_t w = 0; w != usage.size(); ++w) {
    if (!std::ranges::is_sorted(usage[w], {}, &thread_sample::at_ns)) {
      return "the samples of the thread of worker " + std::to_string(w) + " are not in the order of time";
    }
    if (!usage[w].empty() && (usage[w].front().at_ns < 0 || usage[w].back().at_ns > latest_ns)) {
      return "the samples of the thread of worker " + std::to_string(w) + " are at " +
             std::to_string(usage[w].front().at_ns) + " to " + std::to_string(usage[w].back().at_ns) +
             " ns, allowed: 0 to " + std::to_string(latest_ns);
    }
  }
  return check_list(outside, k_outside, "the outside threads", latest_ns);
}

}  // namespace filch::inline v0::trace
