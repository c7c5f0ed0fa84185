#include "trace/timeline.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace filch::inline v0::trace {
namespace {

enum class slice_kind : std::uint8_t { task, parked, blocked };

struct open_slice {
  slice_kind kind;
  slice_label label;
};

struct track_state {
  std::span<const event> events;
  std::size_t next = 0;
  std::vector<open_slice> open;       // innermost last
  std::vector<flow_number> arriving;  // steals whose task has not begun yet
};

// The most slices cut in two per event, on average, in a recording whose slices end in another order than that of their
// stack (a guess; threads and simulations make none or few). Without a bound 50 kB become 1.6 GB.
constexpr std::size_t k_cuts_per_event = 8;

// At the same time a task leaves one worker before it arrives at another.
int order_among_equals(event_kind kind) { return kind == event_kind::suspend ? 0 : kind == event_kind::resume ? 2 : 1; }

class walker {
 public:
  walker(const recording& from, const export_options& options, timeline_sink& sink)
      : from_{from}, options_{options}, sink_{sink}, tracks_(from.workers.size() + 1) {
    for (std::size_t w = 0; w != from.workers.size(); ++w) tracks_[w].events = from.workers[w];
    tracks_.back().events = from.outside;
    for (const track_state& track : tracks_) {
      cuts_left_ += k_cuts_per_event * track.events.size();
      for (const event& e : track.events) {
        base_ns_ = std::min(base_ns_, e.time_ns);
        if (e.kind != event_kind::spawn && e.kind != event_kind::name) continue;
        if (const name_entry* entry = from.find_name(e.detail)) name_of_task_[e.task] = entry;
      }
    }
  }

  void run() {
    using entry = std::tuple<std::int64_t, int, std::size_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> heads;
    const auto enqueue = [&](std::size_t t) {
      const track_state& track = tracks_[t];
      if (track.next == track.events.size()) return;
      const event& e = track.events[track.next];
      heads.emplace(e.time_ns, order_among_equals(e.kind), t);
    };
    for (std::size_t t = 0; t != tracks_.size(); ++t) enqueue(t);
    std::uint64_t last_ns = 0;
    while (!heads.empty()) {
      const std::size_t t = std::get<2>(heads.top());
      heads.pop();
      const event& e = tracks_[t].events[tracks_[t].next++];
      last_ns = since_base_ns(e);
      show(t, e);
      enqueue(t);
    }
    for (std::size_t t = 0; t != tracks_.size(); ++t) close_all(t, last_ns);
  }

 private:
  std::uint64_t since_base_ns(const event& e) const {
    return static_cast<std::uint64_t>(e.time_ns) - static_cast<std::uint64_t>(base_ns_);
  }

  void show(std::size_t t, const event& e) {
    const std::uint64_t at_ns = since_base_ns(e);
    switch (e.kind) {
      case event_kind::start:
        open_task(t, at_ns, e.task);
        break;
      case event_kind::resume:
        arrive(t, e.task), open_task(t, at_ns, e.task);
        break;
      case event_kind::end:
        close(t, at_ns, slice_kind::task, e.task);
        break;
      case event_kind::suspend:
        suspend(t, at_ns, e);
        break;
      case event_kind::cancel:
        if (!close(t, at_ns, slice_kind::task, e.task)) mark(t, at_ns, "cancel task " + std::to_string(e.task));
        break;
      case event_kind::park:
        open(t, at_ns, {slice_kind::parked, {"parked", "idle", k_no_task, {}}});
        break;
      case event_kind::wake:
        close(t, at_ns, slice_kind::parked, k_no_task);
        break;
      case event_kind::notify:
        mark(t, at_ns, "wake " + worker_text(e.detail));
        break;
      case event_kind::block:
        open(t, at_ns, {slice_kind::blocked, {text_or(e.detail, "blocked"), "blocked", e.task, {}}});
        break;
      case event_kind::unblock:
        close(t, at_ns, slice_kind::blocked, e.task);
        break;
      case event_kind::steal_success:
        steal(t, at_ns, e);
        break;
      case event_kind::steal_attempt:
      case event_kind::join:
        break;
      case event_kind::woken:
        mark(t, at_ns, "wake task " + std::to_string(e.task));
        break;
      case event_kind::steal_lost:
      case event_kind::steal_empty:
        if (options_.failed_steals) {
          mark(t, at_ns, std::string{name_of(e.kind)} + " at " + worker_text(e.detail));
        }
        break;
      case event_kind::inject:
        mark(t, at_ns, "inject task " + std::to_string(e.task));
        break;
      case event_kind::queue_length:
        sink_.value(t, at_ns, "queue length", static_cast<std::int64_t>(e.argument));
        break;
      case event_kind::counter:
        sink_.value(t, at_ns, text_or(e.detail, "counter"), static_cast<std::int64_t>(e.argument));
        break;
      case event_kind::dropped:
        close_all(t, at_ns);
        mark(t, at_ns, std::to_string(e.argument) + " events dropped");
        break;
      case event_kind::spawn:
      case event_kind::name:
        break;  // their names are in name_of_task_
    }
  }

  std::string_view text_or(std::uint32_t name, std::string_view otherwise) const {
    const name_entry* entry = from_.find_name(name);
    return entry != nullptr ? std::string_view{entry->text} : otherwise;
  }
  static std::string worker_text(std::uint32_t worker) {
    return worker < k_outside ? "worker " + std::to_string(worker) : "outside";
  }
  void mark(std::size_t t, std::uint64_t at_ns, const std::string& text) { sink_.mark(t, at_ns, text, 0); }

  // ---- slices ----
  void open(std::size_t t, std::uint64_t at_ns, const open_slice& slice) {
    auto& track = tracks_[t];
    // A worker with an event is awake, even if the wake was not recorded.
    while (!track.open.empty() && track.open.back().kind == slice_kind::parked) {
      track.open.pop_back();
      sink_.end(t, at_ns);
    }
    const bool is_task = slice.kind == slice_kind::task;
    sink_.begin(t, at_ns, slice.label,
                is_task ? std::span<const flow_number>{track.arriving} : std::span<const flow_number>{});
    if (is_task) track.arriving.clear();
    track.open.push_back(slice);
  }

  void open_task(std::size_t t, std::uint64_t at_ns, std::uint64_t task) {
    open_slice slice{slice_kind::task, {"task", "task", task, {}}};
    if (const auto found = name_of_task_.find(task); found != name_of_task_.end()) {
      slice.label.name = found->second->text;
      slice.label.colour = found->second->colour;
    }
    open(t, at_ns, slice);
  }

  // Ends the innermost such slice. Slices inside it that go on, because their order on the stack was not that of their
  // ends, are cut in two; when there were too many of these, they end here. False: there is none, its beginning was not
  // recorded.
  bool close(std::size_t t, std::uint64_t at_ns, slice_kind kind, std::uint64_t task, flow_number leaving = 0,
             std::string_view reason = {}) {
    auto& open = tracks_[t].open;
    const auto found = std::find_if(open.rbegin(), open.rend(),
                                    [&](const open_slice& s) { return s.kind == kind && s.label.task == task; });
    if (found == open.rend()) return false;
    const auto index = static_cast<std::size_t>(open.rend() - found) - 1;
    std::vector<open_slice> inside(open.begin() + static_cast<std::ptrdiff_t>(index) + 1, open.end());
    for (std::size_t i = 0; i != inside.size(); ++i) sink_.end(t, at_ns);
    if (leaving != 0) sink_.mark(t, at_ns, reason, leaving);
    sink_.end(t, at_ns);
    open.resize(index, open_slice{kind, {}});
    if (inside.size() > cuts_left_) return true;
    cuts_left_ -= inside.size();
    for (const open_slice& slice : inside) {
      if (slice.kind != slice_kind::task && slice.label.task == task) continue;  // went with its task
      sink_.begin(t, at_ns, slice.label, {});
      open.push_back(slice);
    }
    return true;
  }

  void close_all(std::size_t t, std::uint64_t at_ns) {
    for (std::size_t i = 0; i != tracks_[t].open.size(); ++i) sink_.end(t, at_ns);
    tracks_[t].open.clear();
  }

  // ---- flows ----
  void suspend(std::size_t t, std::uint64_t at_ns, const event& e) {
    const flow_number flow = next_flow_;
    if (close(t, at_ns, slice_kind::task, e.task, flow, text_or(e.detail, "suspend"))) {
      ++next_flow_;
      flow_of_task_[e.task] = flow;
    }
  }

  void arrive(std::size_t t, std::uint64_t task) {
    const auto found = flow_of_task_.find(task);
    if (found == flow_of_task_.end()) return;
    tracks_[t].arriving.push_back(found->second);
    flow_of_task_.erase(found);
  }

  void steal(std::size_t t, std::uint64_t at_ns, const event& e) {
    const std::string amount = e.argument == 1 ? "1 task" : std::to_string(e.argument) + " tasks";
    if (e.detail < from_.workers.size()) {
      const flow_number flow = next_flow_++;
      sink_.mark(e.detail, at_ns, amount + " stolen by " + track_name(from_, t), flow);
      tracks_[t].arriving.push_back(flow);
    }
    mark(t, at_ns, "steal " + amount + " from " + worker_text(e.detail));
  }

  const recording& from_;
  const export_options& options_;
  timeline_sink& sink_;
  std::vector<track_state> tracks_;
  std::int64_t base_ns_ = 0;
  std::unordered_map<std::uint64_t, const name_entry*> name_of_task_;
  std::unordered_map<std::uint64_t, flow_number> flow_of_task_;  // suspended tasks
  flow_number next_flow_ = 1;
  std::size_t cuts_left_ = 0;
};

}  // namespace

void walk_timeline(const recording& from, const export_options& options, timeline_sink& sink) {
  walker{from, options, sink}.run();
}

std::string track_name(const recording& from, std::size_t track) {
  return track < from.workers.size() ? "worker " + std::to_string(track) : "outside";
}

}  // namespace filch::inline v0::trace
