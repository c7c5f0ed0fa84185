#include <filch/trace/session.hpp>

#include "trace/spill.hpp"

#include <filch/base/assert.hpp>

#include <signal.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace filch::inline v0::trace {
namespace {

constexpr std::size_t k_max_ring_events = std::size_t{1} << 28;

// How often the rings are emptied: a ring of 32 768 events holds what a worker that does nothing but spawn records in
// that time. And how long events may wait in memory until there are enough for a block: this much a crash may cost
// (guesses).
constexpr std::chrono::milliseconds k_drain_every{5};
constexpr time_ns k_write_every_ns = 50 * k_ns_per_ms;
constexpr std::uint64_t k_write_events = 4096;

std::string text_of(fork_detail detail) {
  switch (detail) {
    case fork_detail::stolen:
      return "stolen";
    case fork_detail::beat:
      return "beat";
    case fork_detail::every:
      break;
  }
  return "every";
}

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
  if (options.beat_ns < k_ns_per_us || options.beat_ns > k_ns_per_s) {
    refuse("beat_ns", static_cast<std::size_t>(options.beat_ns), "1000 (a microsecond) to 1000000000 (a second)");
  }
  if (!options.spill.empty() && options.full != when_full::refuse_new) {
    throw std::invalid_argument(
        "filch trace session: full = overwrite_old, allowed: refuse_new when the recording goes to a file (spill)");
  }
  if (options.about.source.empty()) options.about.source = "threads";
  options.about.workers = options.workers;
  if (options.about.source != "threads") return options;
  std::erase_if(options.about.extra,
                [](const auto& pair) { return std::ranges::find(k_session_keys, pair.first) != k_session_keys.end(); });
  options.about.extra.emplace_back(k_forks_key, text_of(options.forks));
  if (options.forks == fork_detail::beat) {
    options.about.extra.emplace_back(k_beat_key, std::to_string(options.beat_ns));
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
    if (options_.thread_usage) recorders_.back().record_usage(!options_.spill.empty());
  }
  if (options_.spill.empty()) return;
  recording_metadata about = options_.about;
  about.clock = clock_ == clock_source::tsc ? "tsc" : "monotonic";
  spill_ = std::make_unique<trace::spill>(options_.spill, about);
  const auto relieve = [](void* self) noexcept { static_cast<session*>(self)->make_room(); };
  for (recorder& r : recorders_) r.relieve_with(relieve, this);
  outside_.inner().relieve_with(relieve, this);
}

session::~session() {
  try {
    (void)finish();
  } catch (...) {
    // No memory for what is left: the file ends before it.
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
  if (is_finished_) return;
  if (!first_anchor_) first_anchor_ = take_anchor(clock_);
  stopped_ticks_.reset();
  if (spill_ != nullptr && !writer_.joinable()) {
    // Signals are for the program's own threads.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    writer_ = std::thread{[this] { spill_until_stopped(); }};
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  enable_all(true);
}

void session::stop() {
  const std::lock_guard lock{mutex_};
  enable_all(false);
  if (!stopped_ticks_) stopped_ticks_ = take_anchor(clock_).ticks;
}

void session::drain() {
  const std::lock_guard lock{mutex_};
  drain_all();
  if (spill_ != nullptr) write_out();
}

void session::drain_all() {
  for (std::size_t w = 0; w != recorders_.size(); ++w) drain_lane(recorders_[w], lanes_[w]);
  drain_lane(outside_.inner(), lanes_.back());
}

// A gap stands where the missing events would. The recorder marks refused events itself; overwritten ones show when the
// reader comes to the first event after them. A ring's length at most, so that a busy worker cannot hold the drain up.
void session::drain_lane(recorder& from, lane& into) {
  const std::size_t first = into.events.size();
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
  drain_notes(from, into, first);
  for (thread_sample sample; from.take_usage(sample);) into.usage.push_back(sample);
}

// The records of signal handlers go to their places among the events from `first` on. They are read after the events:
// so a note that came before one of these is there.
void session::drain_notes(recorder& from, lane& into, std::size_t first) {
  std::vector<event> merged;
  std::size_t next = first;
  event note;
  for (const char* label = nullptr; from.take_note(note, label);) {
    const auto [known, is_new] = labels_.try_emplace(label, name_id::none());
    if (is_new && label != nullptr) known->second = names_.intern_label(label);
    note.detail = known->second.value;
    for (; next != into.events.size() && into.events[next].time_ns < note.time_ns; ++next) {
      merged.push_back(into.events[next]);
    }
    merged.push_back(note);
  }
  if (merged.empty()) return;
  merged.insert(merged.end(), into.events.begin() + static_cast<std::ptrdiff_t>(next), into.events.end());
  into.events.resize(first);
  into.events.insert(into.events.end(), merged.begin(), merged.end());
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

void session::close_all_lanes(std::int64_t now_ticks) {
  for (std::size_t w = 0; w != recorders_.size(); ++w) close_lane(recorders_[w], lanes_[w], now_ticks);
  close_lane(outside_.inner(), lanes_.back(), now_ticks);
}

// Ticks of one worker may run backwards by a little when its thread moves between processors; the order in the ring is
// the order in which things happened, so times are raised, never sorted.
void session::to_ns(lane& in, const tick_line& line) {
  for (event& e : in.events) {
    in.latest_ns = std::max(in.latest_ns, line.since_first_ns(e.time_ns));
    e.time_ns = in.latest_ns;
  }
  for (thread_sample& sample : in.usage) {
    in.latest_usage_ns = std::max(in.latest_usage_ns, line.since_first_ns(sample.at_ns));
    sample.at_ns = in.latest_usage_ns;
  }
}

recording session::collect() {
  const std::lock_guard lock{mutex_};
  if (spill_ != nullptr) {
    throw std::logic_error("filch trace session: the recording goes to the file " + spill_->file() + ": read it there");
  }
  recording out;
  out.about = options_.about;

  drain_all();
  const clock_anchor last = take_anchor(clock_);
  const tick_line line{first_anchor_.value_or(last), last};
  out.about.clock = line.describe(clock_);
  close_all_lanes(last.ticks);
  for (lane& each : lanes_) {
    each.latest_ns = each.latest_usage_ns = 0;
    to_ns(each, line);
  }
  for (std::size_t w = 0; w != recorders_.size(); ++w) {
    out.workers.push_back(std::exchange(lanes_[w].events, {}));
    out.usage.push_back(std::exchange(lanes_[w].usage, {}));
  }
  for (auto& fact : late_facts(line, last)) out.about.extra.push_back(std::move(fact));
  if (std::ranges::all_of(out.usage, &std::vector<thread_sample>::empty)) out.usage.clear();
  out.outside = std::exchange(lanes_.back().events, {});
  out.names = names_.snapshot();
  return out;
}

// ---- into a file ----------------------------------------------------------------------------------------------------

std::uint64_t session::pending_items() const {
  std::uint64_t sum = 0;
  for (const lane& each : lanes_) sum += each.events.size() + each.usage.size();
  return sum;
}

// Names are read after the events were taken: so there is one for every number in them.
void session::write_out() {
  if (!spill_->is_ours()) return;
  written_at_ns_ = monotonic_now_ns();
  if (pending_items() == 0) return;
  const clock_anchor now = take_anchor(clock_);
  const tick_line line{first_anchor_.value_or(now), now};
  spill_->put_names(names_.snapshot());
  for (std::size_t i = 0; i != lanes_.size(); ++i) {
    to_ns(lanes_[i], line);
    spill_->put_events(i + 1 == lanes_.size() ? 0 : i + 1, lanes_[i].events);
    lanes_[i].events.clear();
    spill_->put_usage(i, lanes_[i].usage);
    lanes_[i].usage.clear();
  }
  spill_->flush();
  if (spill_->has_failed()) enable_all(false);
}

void session::spill_until_stopped() {
  std::unique_lock lock{mutex_};
  while (!is_finished_) {
    (void)must_end_.wait_for(lock, k_drain_every);
    if (is_finished_) return;
    try {
      drain_all();
      const bool is_due = monotonic_now_ns() - written_at_ns_ >= k_write_every_ns;
      if (is_due || pending_items() >= k_write_events) write_out();
    } catch (const std::bad_alloc&) {
      // The rings fill up, and say so.
    }
  }
}

// A worker whose ring is full.
void session::make_room() noexcept {
  try {
    const std::lock_guard lock{mutex_};
    if (is_finished_) return;
    drain_all();
    write_out();
  } catch (const std::bad_alloc&) {
    // It drops the event.
  }
}

void session::end_file() {
  drain_all();
  const clock_anchor last = take_anchor(clock_);
  close_all_lanes(last.ticks);
  write_out();
  const tick_line line{first_anchor_.value_or(last), last};
  auto facts = late_facts(line, last);
  facts.emplace_back("clock", line.describe(clock_));
  spill_->close(facts);
}

// What is known at the end only: of forks, and how long it recorded.
std::vector<std::pair<std::string, std::string>> session::late_facts(const tick_line& line,
                                                                     const clock_anchor& now) const {
  if (options_.about.source != "threads") return {};
  const time_ns length_ns = line.since_first_ns(stopped_ticks_.value_or(now.ticks));
  return {{std::string{k_has_forks_key}, has_forks() ? "yes" : "no"},
          {std::string{k_hidden_key}, std::to_string(hidden_ns_.load(std::memory_order_relaxed))},  // statistic
          {std::string{k_length_key}, std::to_string(std::max<time_ns>(0, length_ns))}};
}

spill_summary session::finish() {
  std::thread writer;
  spill_summary said;
  {
    const std::lock_guard lock{mutex_};
    enable_all(false);
    if (spill_ == nullptr) return {};
    const bool is_ours = spill_->is_ours();
    if (!std::exchange(is_finished_, true) && is_ours) end_file();
    said = spill_->said();
    writer = std::move(writer_);
    // In a child of fork() there is no such thread, and nothing to wait for.
    if (!is_ours) static_cast<void>(new std::thread{std::move(writer)});
  }
  must_end_.notify_all();
  if (writer.joinable()) writer.join();
  return said;
}

void session::finish_in_emergency() noexcept {
  try {
    if (spill_ == nullptr) return;
    constexpr int k_tries = 200;
    std::unique_lock lock{mutex_, std::defer_lock};
    for (int i = 0; i != k_tries && !lock.try_lock(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    if (!lock.owns_lock() || !spill_->is_ours() || std::exchange(is_finished_, true)) return;
    enable_all(false);
    end_file();
  } catch (...) {
    // What was written before is there.
  }
}

}  // namespace filch::inline v0::trace
