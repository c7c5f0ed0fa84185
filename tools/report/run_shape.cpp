#include "run_shape.hpp"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace filch::report {
namespace {

using trace::event;
using trace::event_kind;

constexpr std::uint32_t k_none = UINT32_MAX;

// A place on a chain: the part of a stretch that lies before `cut_ns`.
struct place {
  std::uint32_t node = k_none;
  time_ns cut_ns = 0;
};

// A stretch and the chain that leads to its beginning.
struct node {
  stretch what;
  time_ns depth_ns = 0;
  place before;
};

struct task_state {
  std::uint32_t parent = k_none;
  std::uint32_t lane = k_none;  // where it runs, or lies below what runs
  bool awaits_spawn = false;    // there is a spawn that was not seen yet
  bool is_suspended = false;
  std::uint32_t suspends_seen = 0;
  bool has_ended = false;
  std::uint32_t children = 0;
  std::uint32_t children_ended = 0;
  // The longest chain to where the task stands; not up to date while it runs.
  time_ns depth_ns = 0;
  place last;
  // The longest chain to the end of a child.
  time_ns child_depth_ns = -1;
  place child_last;
};

// Goes through the events of all workers in the order of time. At one moment an event waits for what it depends on: a
// start for the spawn, a resume for the suspend, a join for the ends of the children.
class walk {
 public:
  walk(const trace::recording& from, time_ns burden_ns) : from_{from}, burden_ns_{burden_ns} {
    lanes_.resize(from.workers.size() + 1);
    for (std::size_t w = 0; w != from.workers.size(); ++w) lanes_[w].events = &from.workers[w];
    lanes_.back().events = &from.outside;
    each_event([this](const event& e) { note(e); });
    file_times();
  }

  void run() {
    for (std::uint32_t lane = 0; lane != lanes_.size(); ++lane) enqueue(lane);
    std::vector<std::uint32_t> deferred;
    while (!heads_.empty() || !deferred.empty()) {
      // When all wait for one another the recording is not whole; the first goes on.
      const bool is_stuck = heads_.empty() || (!deferred.empty() && std::get<0>(heads_.top()) > now_ns_);
      std::uint32_t lane = 0;
      if (is_stuck) {
        lane = deferred.front();
        deferred.erase(deferred.begin());
      } else {
        lane = std::get<2>(heads_.top());
        heads_.pop();
      }
      const event& e = (*lanes_[lane].events)[lanes_[lane].next];
      now_ns_ = e.time_ns;
      if (!is_stuck && !is_ready(lane, e)) {
        deferred.push_back(lane);
        continue;
      }
      ++lanes_[lane].next;
      see(lane, e);
      enqueue(lane);
      for (const std::uint32_t each : std::exchange(deferred, {})) enqueue(each);
    }
    for (std::uint32_t lane = 0; lane != lanes_.size(); ++lane) leave_all(lane);
  }

  [[nodiscard]] time_ns span_ns() const { return longest_ns_; }

  run_shape shape() && {
    run_shape out;
    out.span_ns = longest_ns_;
    out.begin_ns = is_any_ ? first_ns_ : 0;
    out.end_ns = is_any_ ? std::max(first_ns_, last_end_ns_) : 0;
    for (const task_state& each : tasks_) out.tasks += each.has_ended ? 1u : 0u;
    for (const node& each : nodes_) {
      out.work_ns += each.what.end_ns - each.what.begin_ns;
      if (each.what.end_ns > each.what.begin_ns) out.stretches.push_back(each.what);
    }
    std::ranges::sort(out.stretches, {}, [](const stretch& s) { return std::pair{s.worker, s.begin_ns}; });
    for (place at = longest_; at.node != k_none; at = nodes_[at.node].before) {
      stretch piece = nodes_[at.node].what;
      piece.end_ns = at.cut_ns;
      if (piece.end_ns > piece.begin_ns) out.critical_path.push_back(piece);
    }
    std::ranges::reverse(out.critical_path);
    return out;
  }

 private:
  struct lane_state {
    const std::vector<event>* events = nullptr;
    std::size_t next = 0;
    std::vector<std::uint32_t> stack;  // tasks, the innermost last
    std::uint32_t open = k_none;       // the node of the innermost
  };

  template <class Function>
  void each_event(const Function& function) const {
    std::ranges::for_each(from_.outside, function);
    for (const auto& list : from_.workers) std::ranges::for_each(list, function);
  }

  std::uint32_t index_of(std::uint64_t id) {
    const auto [at, is_new] = index_.try_emplace(id, static_cast<std::uint32_t>(tasks_.size()));
    if (is_new) {
      tasks_.emplace_back();
      ids_.push_back(id);
    }
    return at->second;
  }

  void note(const event& e) {
    if (e.task == trace::k_no_task) return;
    const std::uint32_t task = index_of(e.task);
    if (e.kind == event_kind::join) has_joins_ = true;
    if (e.kind == event_kind::spawn || e.kind == event_kind::start) {
      first_ns_ = is_any_ ? std::min(first_ns_, e.time_ns) : e.time_ns;
      is_any_ = true;
    }
    if (e.kind == event_kind::spawn) {
      const std::uint32_t parent = e.argument != trace::k_no_task ? index_of(e.argument) : k_none;
      tasks_[task].parent = parent;
      tasks_[task].awaits_spawn = true;
    }
    if (e.kind == event_kind::suspend) suspends_[task].push_back(e.time_ns);
    if (e.kind == event_kind::end) {
      last_end_ns_ = std::max(last_end_ns_, e.time_ns);
      ends_.emplace_back(task, e.time_ns);
    }
  }

  void enqueue(std::uint32_t lane) {
    if (lanes_[lane].next != lanes_[lane].events->size()) {
      heads_.emplace((*lanes_[lane].events)[lanes_[lane].next].time_ns, lane + 1 == lanes_.size() ? 0u : lane + 1,
                     lane);
    }
  }

  // Parents are known only when all spawns have been seen.
  void file_times() {
    for (const auto& [task, at_ns] : std::exchange(ends_, {})) {
      if (tasks_[task].parent != k_none) child_ends_[tasks_[task].parent].push_back(at_ns);
    }
    for (auto& [parent, times_ns] : child_ends_) std::ranges::sort(times_ns);
    for (auto& [task, times_ns] : suspends_) std::ranges::sort(times_ns);
  }

  [[nodiscard]] bool is_ready(std::uint32_t lane, const event& e) {
    if (e.task == trace::k_no_task) return true;
    const std::uint32_t task = index_of(e.task);
    const task_state& subject = tasks_[task];
    switch (e.kind) {
      case event_kind::start:
        return !subject.awaits_spawn;
      case event_kind::resume:
        return subject.is_suspended && (has_joins_ || has_seen_children(task, e.time_ns)) && is_next_resume(lane, task);
      case event_kind::join:
        return has_seen_children(task, e.time_ns);
      default:
        return true;
    }
  }

  // In simulated time a task may move several times at one moment. The worker that keeps it is the last one to go on with
  // it, so it comes when all suspends of that moment have been seen.
  [[nodiscard]] bool is_next_resume(std::uint32_t lane, std::uint32_t task) const {
    const lane_state& here = lanes_[lane];
    const time_ns now_ns = (*here.events)[here.next].time_ns;
    for (std::size_t i = here.next + 1; i != here.events->size() && (*here.events)[i].time_ns == now_ns; ++i) {
      if ((*here.events)[i].kind == event_kind::suspend && (*here.events)[i].task == ids_[task]) return true;
    }
    return tasks_[task].suspends_seen >= seen_until(suspends_, task, now_ns);
  }

  using moments = std::unordered_map<std::uint32_t, std::vector<time_ns>>;  // by task, sorted

  static std::size_t seen_until(const moments& all, std::uint32_t task, time_ns until_ns) {
    const auto at = all.find(task);
    if (at == all.end()) return 0;
    return static_cast<std::size_t>(std::ranges::upper_bound(at->second, until_ns) - at->second.begin());
  }

  // Whether the ends of all children up to that moment have been seen.
  [[nodiscard]] bool has_seen_children(std::uint32_t task, time_ns until_ns) const {
    return tasks_[task].children_ended >= seen_until(child_ends_, task, until_ns);
  }

  // ---- stretches ----

  // The innermost task of the lane goes on.
  void open(std::uint32_t lane) {
    lane_state& here = lanes_[lane];
    if (here.stack.empty() || lane + 1 == lanes_.size()) return;
    const std::uint32_t task = here.stack.back();
    here.open = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({{ids_[task], lane, now_ns_, now_ns_}, tasks_[task].depth_ns, tasks_[task].last});
  }

  void close(std::uint32_t lane) {
    lane_state& here = lanes_[lane];
    if (here.open == k_none) return;
    bring_up_to_date(here.stack.back());
    here.open = k_none;
  }

  void bring_up_to_date(std::uint32_t task) {
    task_state& subject = tasks_[task];
    if (subject.lane == k_none) return;
    const lane_state& there = lanes_[subject.lane];
    if (there.open == k_none || there.stack.back() != task) return;
    node& running = nodes_[there.open];
    running.what.end_ns = now_ns_;
    subject.depth_ns = running.depth_ns + now_ns_ - running.what.begin_ns;
    subject.last = {there.open, now_ns_};
  }

  void enter(std::uint32_t lane, std::uint32_t task) {
    leave(task);
    close(lane);
    lanes_[lane].stack.push_back(task);
    tasks_[task].lane = lane;
    open(lane);
  }

  void leave(std::uint32_t task) {
    const std::uint32_t lane = tasks_[task].lane;
    if (lane == k_none) return;
    close(lane);
    std::erase(lanes_[lane].stack, task);
    tasks_[task].lane = k_none;
    open(lane);
  }

  void leave_all(std::uint32_t lane) {
    close(lane);
    for (const std::uint32_t task : std::exchange(lanes_[lane].stack, {})) tasks_[task].lane = k_none;
  }

  // ---- the graph ----

  void spawn(std::uint32_t task) {
    task_state& child = tasks_[task];
    child.awaits_spawn = false;
    if (child.parent == k_none) return;
    bring_up_to_date(child.parent);
    task_state& parent = tasks_[child.parent];
    ++parent.children;
    child.depth_ns = parent.depth_ns + burden_ns_;
    child.last = parent.last;
  }

  void end(std::uint32_t task) {
    leave(task);
    task_state& subject = tasks_[task];
    subject.has_ended = true;
    if (!has_joins_ && subject.children != 0 && subject.children_ended == subject.children) join(task);
    if (subject.depth_ns >= longest_ns_) {
      longest_ns_ = subject.depth_ns;
      longest_ = subject.last;
    }
    if (subject.parent == k_none) return;
    task_state& parent = tasks_[subject.parent];
    ++parent.children_ended;
    if (subject.depth_ns > parent.child_depth_ns) {
      parent.child_depth_ns = subject.depth_ns;
      parent.child_last = subject.last;
    }
  }

  // The task goes on behind those of its children that have ended.
  void join(std::uint32_t task) {
    bring_up_to_date(task);
    task_state& subject = tasks_[task];
    if (subject.child_depth_ns < 0 || subject.child_depth_ns + burden_ns_ <= subject.depth_ns) return;
    const std::uint32_t lane = subject.lane;
    if (lane != k_none) close(lane);
    subject.depth_ns = subject.child_depth_ns + burden_ns_;
    subject.last = subject.child_last;
    if (lane != k_none) open(lane);
  }

  void see(std::uint32_t lane, const event& e) {
    if (e.kind == event_kind::dropped) leave_all(lane);
    if (e.task == trace::k_no_task) return;
    const std::uint32_t task = index_of(e.task);
    switch (e.kind) {
      case event_kind::spawn:
        spawn(task);
        break;
      case event_kind::start:
        enter(lane, task);
        break;
      case event_kind::suspend:
        tasks_[task].is_suspended = true;
        ++tasks_[task].suspends_seen;
        if (tasks_[task].lane == lane) leave(task);
        break;
      case event_kind::resume:
        tasks_[task].is_suspended = false;
        if (!has_joins_) join(task);
        enter(lane, task);
        break;
      case event_kind::join:
        join(task);
        break;
      case event_kind::block:
        blocked_[task] = lanes_[lane].stack;
        leave_all(lane);
        break;
      case event_kind::unblock:
        for (const std::uint32_t each : std::exchange(blocked_[task], {})) enter(lane, each);
        break;
      case event_kind::cancel:
        leave(task);
        break;
      case event_kind::end:
        end(task);
        break;
      default:
        break;
    }
  }

  using head = std::tuple<time_ns, std::uint32_t, std::uint32_t>;  // time, rank, lane

  const trace::recording& from_;
  const time_ns burden_ns_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::vector<task_state> tasks_;
  std::vector<std::uint64_t> ids_;
  std::vector<node> nodes_;
  std::vector<lane_state> lanes_;  // the last one is that of outside threads
  std::priority_queue<head, std::vector<head>, std::greater<>> heads_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> blocked_;
  std::vector<std::pair<std::uint32_t, time_ns>> ends_;
  moments child_ends_;  // by parent
  moments suspends_;
  bool has_joins_ = false;
  bool is_any_ = false;
  time_ns now_ns_ = 0;
  time_ns first_ns_ = 0;
  time_ns last_end_ns_ = 0;
  time_ns longest_ns_ = 0;
  place longest_;
};

}  // namespace

run_shape shape_of(const trace::recording& from, time_ns burden_ns) {
  walk plain{from, 0};
  plain.run();
  walk burdened{from, burden_ns};
  burdened.run();
  run_shape out = std::move(plain).shape();
  out.burdened_span_ns = burdened.span_ns();
  return out;
}

}  // namespace filch::report
