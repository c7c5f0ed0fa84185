#include <filch/trace/session.hpp>

#include <filch/base/assert.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

namespace filch::inline v0::trace {
namespace {

constexpr std::size_t k_max_ring_events = std::size_t{1} << 28;

session_options checked(session_options options) {
  const auto refuse = [](const std::string& option, std::size_t value, const std::string& allowed) {
    throw std::invalid_argument("filch trace session: " + option + " = " + std::to_string(value) +
                                ", allowed: " + allowed);
  };
  if (options.workers == 0 || options.workers > k_max_workers) {
    refuse("workers", options.workers, "1 to " + std::to_string(k_max_workers));
  }
  if (!std::has_single_bit(options.ring_events) || options.ring_events < 2 || options.ring_events > k_max_ring_events) {
    refuse("ring_events", options.ring_events, "a power of two from 2 to " + std::to_string(k_max_ring_events));
  }
  if (options.clock && !is_supported(*options.clock)) {
    throw std::invalid_argument(
        "filch trace session: clock = tsc, allowed: monotonic (this processor has no constant-rate counter)");
  }
  return options;
}

event gap(const event& like, std::int64_t at_ticks, std::uint64_t count) {
  event out;
  out.time_ns = at_ticks;
  out.argument = count;
  out.worker = like.worker;
  return out;
}

}  // namespace

session::session(session_options options)
    : options_{checked(std::move(options))},
      clock_{options_.clock.value_or(best_clock_source())},
      outside_{options_.ring_events, options_.full, clock_},
      lanes_(options_.workers + std::size_t{1}) {
  for (std::uint32_t w = 0; w != options_.workers; ++w) {
    recorders_.emplace_back(worker_id{w}, options_.ring_events, options_.full, clock_);
  }
}

recorder& session::of_worker(worker_id worker) {
  FILCH_ASSERT(worker.value < options_.workers, worker, options_.workers);
  return recorders_[worker.value];
}

void session::enable_all(bool on) {
  for (recorder& r : recorders_) r.enable(on);
  outside_.inner().enable(on);
}

void session::start() {
  const std::lock_guard lock{mutex_};
  if (!first_anchor_) first_anchor_ = take_anchor(clock_);
  enable_all(true);
}

void session::stop() {
  const std::lock_guard lock{mutex_};
  enable_all(false);
}

void session::drain() {
  const std::lock_guard lock{mutex_};
  drain_all();
}

void session::drain_all() {
  for (std::size_t w = 0; w != recorders_.size(); ++w) drain_lane(recorders_[w], lanes_[w]);
  drain_lane(outside_.inner(), lanes_.back());
}

// A gap stands where the missing events would. The recorder marks refused events itself; overwritten ones show when the
// reader comes to the first event after them. A ring's length at most, so that a busy worker cannot hold the drain up.
void session::drain_lane(recorder& from, lane& into) {
  event e;
  for (std::size_t taken = 0; taken != from.ring_events() && from.take(e); ++taken) {
    if (const std::uint64_t lost = from.overwritten() - into.reported_overwritten; lost != 0) {
      into.reported_overwritten += lost;
      into.events.push_back(gap(e, e.time_ns, lost));
    }
    if (e.kind == event_kind::dropped) {
      if (e.argument <= into.reported_refused) continue;  // an earlier collect() has reported it at its end
      e.argument -= std::exchange(into.reported_refused, e.argument);
    }
    into.events.push_back(e);
  }
}

// Events refused since the last one that fitted.
void session::close_lane(const recorder& from, lane& into, std::int64_t now_ticks) {
  const std::uint64_t refused = from.refused() - into.reported_refused;
  if (refused == 0) return;
  into.reported_refused += refused;
  event like;
  like.worker = from.worker_number();
  into.events.push_back(gap(like, now_ticks, refused));
}

// Ticks of one worker may run backwards by a little when its thread moves between processors; the order in the ring is
// the order in which things happened, so times are raised, never sorted.
std::vector<event> session::finish_lane(lane& from, const tick_line& line) const {
  std::vector<event> out = std::exchange(from.events, {});
  time_ns latest_ns = 0;
  for (event& e : out) {
    latest_ns = std::max(latest_ns, line.since_first_ns(e.time_ns));
    e.time_ns = latest_ns;
  }
  return out;
}

recording session::collect() {
  const std::lock_guard lock{mutex_};
  recording out;
  out.about = options_.about;
  out.about.workers = options_.workers;
  if (out.about.source.empty()) out.about.source = "threads";

  drain_all();
  const clock_anchor last = take_anchor(clock_);
  const tick_line line{first_anchor_.value_or(last), last};
  out.about.clock = line.describe(clock_);
  for (std::size_t w = 0; w != recorders_.size(); ++w) {
    close_lane(recorders_[w], lanes_[w], last.ticks);
    out.workers.push_back(finish_lane(lanes_[w], line));
  }
  close_lane(outside_.inner(), lanes_.back(), last.ticks);
  out.outside = finish_lane(lanes_.back(), line);
  out.names = names_.snapshot();
  return out;
}

}  // namespace filch::inline v0::trace
