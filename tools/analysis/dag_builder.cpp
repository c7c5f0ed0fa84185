// Reads the events of all workers in the order of time and makes strands and edges of them.
//
// At one moment the order between workers is unknown, so an event waits for what it depends on: a start for the spawn, a
// resume for the suspend, a join for the ends of the children. When all wait for one another the recording is not whole,
// and the first goes on.
#include <algorithm>
#include <cstddef>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "dag.hpp"
#include "task_index.hpp"

namespace filch::analysis {
namespace {

using trace::event;
using trace::event_kind;

class builder {
 public:
  explicit builder(const trace::recording& from) : lanes_(from.workers.size() + 1) {
    for (std::size_t w = 0; w != from.workers.size(); ++w) lanes_[w].events = &from.workers[w];
    lanes_.back().events = &from.outside;
    out_.workers = static_cast<std::uint32_t>(from.workers.size());
    out_.names = from.names;
    out_.lost_events = from.dropped_count();
    for (std::size_t i = 0; i != from.names.size(); ++i) {
      if (from.names[i].text == trace::k_fork_reason) fork_reason_ = static_cast<std::uint32_t>(i);
    }
    for (lane& each : lanes_) {
      for (const event& e : *each.events) note(each, e);
    }
    states_.resize(out_.tasks.size());
    for (const task& each : out_.tasks) {
      if (each.spawned_ns >= 0) states_[static_cast<std::size_t>(&each - out_.tasks.data())].awaits_spawn = true;
    }
  }

  dag build() {
    for (std::uint32_t i = 0; i != lanes_.size(); ++i) enqueue(i);
    while (!heads_.empty()) {
      const time_ns at_ns = std::get<0>(heads_.top());
      group_.clear();
      while (!heads_.empty() && std::get<0>(heads_.top()) == at_ns) {
        group_.push_back(std::get<2>(heads_.top()));
        heads_.pop();
      }
      if (group_.size() == 1)
        go_alone(group_.front());
      else
        go_together(at_ns);
      for (const std::uint32_t each : group_) enqueue(each);
    }
    for (std::uint32_t i = 0; i != lanes_.size(); ++i) leave_all(i);
    out_.begin_ns = is_any_ ? first_ns_ : 0;
    out_.end_ns = std::max(out_.begin_ns, out_.end_ns);
    return std::move(out_);
  }

 private:
  enum class absence : std::uint8_t { none, suspended, blocked };

  struct task_state {
    std::uint32_t lane = k_none;          // where it runs, or lies below what runs
    std::uint32_t spawned_from = k_none;  // strand
    std::uint32_t left_reason = trace::k_no_detail;
    std::uint32_t ended_children = 0;
    std::uint32_t newest_ended = k_none;  // children that ended and were not joined yet: a list …
    std::uint32_t older_ended = k_none;   // … through the children
    std::uint32_t ends_left = 0;          // ends of children at this moment that were not seen yet
    std::uint32_t wakes_left = 0;         // … and of what wakes it
    std::uint32_t woken_by = k_none;      // strand
    std::uint32_t woken_reason = trace::k_no_detail;
    std::uint32_t suspends_left = 0;  // the same of its own suspends
    time_ns left_ns = 0;
    time_ns woken_ns = -1;       // not yet: -1
    time_ns last_child_ns = -1;  // when the last child ended
    absence away = absence::none;
    bool awaits_spawn = false;  // there is a spawn that was not seen yet
    bool was_joined = false;    // by a join for it alone
    bool was_carried = false;   // it left because a task inside it did
    bool had_children = false;  // unfinished ones, when it left
  };

  struct lane {
    const std::vector<event>* events = nullptr;
    std::size_t next = 0;
    std::vector<std::uint32_t> stack;  // tasks, the innermost last
    std::uint32_t open = k_none;       // the strand of the innermost
    std::uint64_t known_id = trace::k_no_task;
    std::uint32_t known_place = 0;
  };

  // ---- tasks ----

  static bool concerns_tasks(event_kind kind) {
    switch (kind) {
      case event_kind::spawn:
      case event_kind::start:
      case event_kind::end:
      case event_kind::suspend:
      case event_kind::resume:
      case event_kind::block:
      case event_kind::unblock:
      case event_kind::name:
      case event_kind::cancel:
      case event_kind::join:
      case event_kind::woken:
        return true;
      default:
        return false;
    }
  }

  std::uint32_t place_of(std::uint64_t id) {
    const std::uint32_t place = index_.place_of(id);
    if (place == out_.tasks.size()) out_.tasks.push_back({.id = id});
    return place;
  }

  std::uint32_t place_of(lane& here, std::uint64_t id) {
    if (here.known_id != id) {
      here.known_id = id;
      here.known_place = place_of(id);
    }
    return here.known_place;
  }

  // The first look at an event: what must be known before the events are gone through in order.
  void note(lane& here, const event& e) {
    if (e.task == trace::k_no_task || !concerns_tasks(e.kind)) return;
    const std::uint32_t which = place_of(here, e.task);
    switch (e.kind) {
      case event_kind::join:
        has_joins_ = true;
        if (e.argument != 0) (void)place_of(e.argument);
        break;
      case event_kind::woken:
        if (e.argument != trace::k_no_task) (void)place_of(e.argument);
        break;
      case event_kind::name:
        out_.tasks[which].name = e.detail;
        break;
      case event_kind::end:
        out_.end_ns = std::max(out_.end_ns, e.time_ns);
        break;
      case event_kind::spawn: {
        const std::uint32_t parent =
            e.argument != trace::k_no_task && e.argument != e.task ? place_of(e.argument) : k_none;
        task& made = out_.tasks[which];
        made.parent = parent;
        made.spawned_ns = std::max<time_ns>(e.time_ns, 0);
        if (made.name == trace::k_no_detail) made.name = e.detail;
        note_begin(e.time_ns);
        break;
      }
      case event_kind::start:
        note_begin(e.time_ns);
        break;
      default:
        break;
    }
  }

  void note_begin(time_ns at_ns) {
    first_ns_ = is_any_ ? std::min(first_ns_, at_ns) : at_ns;
    is_any_ = true;
  }

  // ---- the order of events ----

  using head = std::tuple<time_ns, std::uint32_t, std::uint32_t>;  // time, rank, lane

  void enqueue(std::uint32_t which) {
    const lane& here = lanes_[which];
    if (here.next == here.events->size()) return;
    heads_.emplace((*here.events)[here.next].time_ns, which + 1 == lanes_.size() ? 0u : which + 1, which);
  }

  // Until another lane has an event.
  void go_alone(std::uint32_t which) {
    lane& here = lanes_[which];
    const bool is_last = heads_.empty();
    const time_ns until_ns = is_last ? 0 : std::get<0>(heads_.top());
    const std::vector<event>& events = *here.events;
    do {
      step(which);
    } while (here.next != events.size() && (is_last || events[here.next].time_ns < until_ns));
  }

  // Several lanes have events at this moment.
  void go_together(time_ns at_ns) {
    look_ahead(at_ns, 1);
    bool is_any_left = true;
    while (is_any_left) {
      is_any_left = false;
      bool has_moved = false;
      for (const std::uint32_t which : group_) {
        for (; is_at(which, at_ns); has_moved = true) {
          if (!is_ready(which)) {
            is_any_left = true;
            break;
          }
          count_down(which);
          step(which);
        }
      }
      if (is_any_left && !has_moved) {
        const std::uint32_t first = *std::ranges::find_if(group_, [&](std::uint32_t i) { return is_at(i, at_ns); });
        count_down(first);
        step(first);
      }
    }
  }

  [[nodiscard]] bool is_at(std::uint32_t which, time_ns at_ns) const {
    const lane& here = lanes_[which];
    return here.next != here.events->size() && (*here.events)[here.next].time_ns == at_ns;
  }

  void look_ahead(time_ns at_ns, std::uint32_t by) {
    for (const std::uint32_t which : group_) {
      lane& here = lanes_[which];
      for (std::size_t i = here.next; i != here.events->size() && (*here.events)[i].time_ns == at_ns; ++i) {
        count(here, (*here.events)[i], by);
      }
    }
  }

  void count_down(std::uint32_t which) {
    lane& here = lanes_[which];
    count(here, (*here.events)[here.next], UINT32_MAX);
  }

  void count(lane& here, const event& e, std::uint32_t by) {
    if (e.task == trace::k_no_task) return;
    if (e.kind == event_kind::end) {
      const std::uint32_t parent = out_.tasks[place_of(here, e.task)].parent;
      if (parent != k_none) states_[parent].ends_left += by;
    } else if (e.kind == event_kind::suspend) {
      states_[place_of(here, e.task)].suspends_left += by;
    } else if (e.kind == event_kind::woken) {
      states_[place_of(here, e.task)].wakes_left += by;
    }
  }

  [[nodiscard]] bool is_ready(std::uint32_t which) {
    lane& here = lanes_[which];
    const event& e = (*here.events)[here.next];
    if (e.task == trace::k_no_task || !concerns_tasks(e.kind)) return true;
    const task_state& subject = states_[place_of(here, e.task)];
    switch (e.kind) {
      case event_kind::start:
        return !subject.awaits_spawn;
      case event_kind::unblock:
        return subject.away == absence::blocked;
      case event_kind::resume: {
        const bool joins = !has_joins_ || is_join_next(here, e.task);
        return subject.away == absence::suspended && subject.wakes_left == 0 && (!joins || subject.ends_left == 0) &&
               keeps_it(here, subject);
      }
      case event_kind::join:
        return subject.ends_left == 0 || (e.argument != 0 && out_.tasks[place_of(e.argument)].has_ended());
      default:
        return true;
    }
  }

  // In simulated time a task may move several times at one moment. The worker that keeps it is the last one to go on with
  // it, so it comes when all suspends of that moment have been seen.
  [[nodiscard]] static bool keeps_it(const lane& here, const task_state& subject) {
    if (subject.suspends_left == 0) return true;
    const event& e = (*here.events)[here.next];
    for (std::size_t i = here.next + 1; i != here.events->size() && (*here.events)[i].time_ns == e.time_ns; ++i) {
      if ((*here.events)[i].kind == event_kind::suspend && (*here.events)[i].task == e.task) return true;
    }
    return false;
  }

  // The head of the lane is a resume; whether the task goes on with a join.
  [[nodiscard]] static bool is_join_next(const lane& here, std::uint64_t id) {
    const std::size_t next = here.next + 1;
    return next < here.events->size() && (*here.events)[next].kind == event_kind::join &&
           (*here.events)[next].task == id;
  }

  // The head of the lane is a suspend; whether another one came directly before it.
  [[nodiscard]] static bool is_suspend_before(const lane& here) {
    return here.next != 0 && (*here.events)[here.next - 1].kind == event_kind::suspend;
  }

  // ---- strands ----

  std::uint32_t open(std::uint32_t which, entry why, time_ns ready_ns) {
    lane& here = lanes_[which];
    if (here.stack.empty() || which + 1 == lanes_.size()) return k_none;
    const std::uint32_t running = here.stack.back();
    here.open = static_cast<std::uint32_t>(out_.strands.size());
    out_.strands.push_back({.begin_ns = now_ns_,
                            .end_ns = now_ns_,
                            .ready_ns = std::min(ready_ns, now_ns_),
                            .task = running,
                            .before = std::exchange(out_.tasks[running].last, here.open),
                            .worker = static_cast<std::uint16_t>(which),
                            .why = why});
    note_begin(now_ns_);
    if (out_.tasks[running].started_ns < 0) out_.tasks[running].started_ns = now_ns_;
    return here.open;
  }

  void close(std::uint32_t which) {
    lane& here = lanes_[which];
    if (here.open == k_none) return;
    strand& ended = out_.strands[std::exchange(here.open, k_none)];
    ended.end_ns = now_ns_;
    out_.tasks[ended.task].work_ns += ended.length_ns();
    out_.end_ns = std::max(out_.end_ns, now_ns_);
  }

  [[nodiscard]] bool is_running(std::uint32_t which) const {
    const std::uint32_t where = states_[which].lane;
    return where != k_none && lanes_[where].open != k_none && lanes_[where].stack.back() == which;
  }

  // What the task has done up to now is a strand of its own. Returns the new one.
  std::uint32_t cut(std::uint32_t which) {
    const std::uint32_t where = states_[which].lane;
    close(where);
    return open(where, entry::cut, now_ns_);
  }

  // A task that has ended does nothing more.
  std::uint32_t enter(std::uint32_t where, std::uint32_t which, entry why, time_ns ready_ns) {
    if (out_.tasks[which].has_ended()) return k_none;
    leave(which);
    close(where);
    lanes_[where].stack.push_back(which);
    states_[which].lane = where;
    states_[which].away = absence::none;
    return open(where, why, ready_ns);
  }

  void leave(std::uint32_t which) {
    const std::uint32_t where = std::exchange(states_[which].lane, k_none);
    if (where == k_none) return;
    lane& there = lanes_[where];
    const bool is_innermost = there.stack.back() == which;
    if (is_innermost) close(where);
    std::erase(there.stack, which);
    if (is_innermost) open(where, entry::cut, now_ns_);
  }

  void leave_all(std::uint32_t where) {
    close(where);
    for (const std::uint32_t each : std::exchange(lanes_[where].stack, {})) states_[each].lane = k_none;
  }

  void go_away(std::uint32_t which, absence how, std::uint32_t reason) {
    task_state& subject = states_[which];
    subject.away = how;
    subject.left_ns = now_ns_;
    subject.left_reason = reason;
    subject.had_children = subject.ended_children != out_.tasks[which].children;
  }

  // ---- edges ----

  void connect(std::uint32_t from, std::uint32_t to, edge_kind kind) {
    if (from != k_none && to != k_none) out_.edges.push_back({from, to, kind});
  }

  // The ended children come before that strand, the first to end first.
  void join_all_into(std::uint32_t which, std::uint32_t into) {
    const auto first = static_cast<std::ptrdiff_t>(out_.edges.size());
    std::uint32_t child = std::exchange(states_[which].newest_ended, k_none);
    while (child != k_none) {
      if (!states_[child].was_joined) connect(out_.tasks[child].last, into, edge_kind::join);
      child = std::exchange(states_[child].older_ended, k_none);
    }
    std::reverse(out_.edges.begin() + first, out_.edges.end());
  }

  // What a `join` awaits: one child, or 0 for all.
  void join_into(std::uint32_t which, std::uint32_t into, std::uint64_t child) {
    if (child == 0) {
      join_all_into(which, into);
      return;
    }
    const std::uint32_t ended = place_of(child);
    if (!out_.tasks[ended].has_ended() || std::exchange(states_[ended].was_joined, true)) return;
    connect(out_.tasks[ended].last, into, edge_kind::join);
  }

  // When that could go on at the earliest; -1: there is nothing to join.
  [[nodiscard]] time_ns joinable_ns(std::uint32_t which, std::uint64_t child) {
    if (child == 0) return states_[which].newest_ended == k_none ? -1 : states_[which].last_child_ns;
    const std::uint32_t ended = place_of(child);
    return states_[ended].was_joined ? -1 : out_.tasks[ended].ended_ns;
  }

  // The strand of a task up to now; what it does from here on comes after it.
  std::uint32_t done_by(std::uint32_t which) {
    const std::uint32_t done = out_.tasks[which].last;
    if (is_running(which)) (void)cut(which);
    return done;
  }

  void spawn(std::uint32_t which) {
    task_state& child = states_[which];
    child.awaits_spawn = false;
    const std::uint32_t parent = out_.tasks[which].parent;
    if (parent == k_none) return;
    ++out_.tasks[parent].children;
    child.spawned_from = done_by(parent);
  }

  void start(std::uint32_t where, std::uint32_t which) {
    const time_ns spawned_ns = out_.tasks[which].spawned_ns;
    const std::uint32_t first = enter(where, which, entry::first, spawned_ns < 0 ? now_ns_ : spawned_ns);
    connect(std::exchange(states_[which].spawned_from, k_none), first, edge_kind::spawn);
  }

  // It was made ready to go on.
  void wake(std::uint32_t which, const event& e) {
    task_state& subject = states_[which];
    subject.woken_ns = now_ns_;
    subject.woken_reason = e.detail;
    subject.woken_by = e.argument != trace::k_no_task && e.argument != e.task ? done_by(place_of(e.argument)) : k_none;
  }

  struct arrival {
    entry why = entry::outside;
    time_ns ready_ns = 0;
    std::uint32_t reason = trace::k_no_detail;
    std::uint32_t woken_by = k_none;
  };

  // Why a task that was woken goes on.
  arrival take_wake(task_state& subject) const {
    const arrival out{entry::woken, std::clamp(subject.woken_ns, std::min(subject.left_ns, now_ns_), now_ns_),
                      subject.woken_reason != trace::k_no_detail ? subject.woken_reason : subject.left_reason,
                      subject.woken_by};
    subject.woken_ns = -1;
    subject.woken_by = k_none;
    return out;
  }

  // Joins when `joins`: what, says `child`.
  void resume(std::uint32_t where, std::uint32_t which, bool joins, std::uint64_t child) {
    task_state& subject = states_[which];
    const time_ns joinable = joins ? joinable_ns(which, child) : -1;
    arrival how{entry::outside, now_ns_, subject.left_reason};
    if (std::exchange(subject.was_carried, false)) {
      how.why = entry::cut;
    } else if (subject.woken_ns >= 0) {
      how = take_wake(subject);
    } else if (subject.left_reason == fork_reason_ && fork_reason_ != k_none) {
      how.why = entry::queued;
      how.ready_ns = subject.left_ns;
    } else if (joinable >= 0) {
      how.why = entry::joined;
      how.ready_ns = std::max(subject.left_ns, joinable);
    }
    if (go_on(where, which, how) && joins) join_into(which, out_.tasks[which].last, child);
  }

  bool go_on(std::uint32_t where, std::uint32_t which, const arrival& how) {
    const std::uint32_t next = enter(where, which, how.why, how.ready_ns);
    if (next == k_none) return false;
    out_.strands[next].reason = how.reason;
    connect(how.woken_by, next, edge_kind::wake);
    return true;
  }

  void join(std::uint32_t which, std::uint64_t child) {
    const task_state& subject = states_[which];
    const time_ns joinable = joinable_ns(which, child);
    if (joinable < 0 || !is_running(which)) return;
    strand& now = out_.strands[lanes_[subject.lane].open];
    if (now.why == entry::outside && subject.had_children && joinable >= subject.left_ns) {
      now.why = entry::joined;
      now.ready_ns = std::clamp(joinable, subject.left_ns, now.begin_ns);
    }
    join_into(which, cut(which), child);
  }

  void block(std::uint32_t where, std::uint32_t which, std::uint32_t reason) {
    close(where);
    blocked_[which] = lanes_[where].stack;
    leave_all(where);
    go_away(which, absence::blocked, reason);
  }

  // A task that blocked while it had unfinished children, and gave no reason, waited for a child.
  void unblock(std::uint32_t where, std::uint32_t which) {
    const auto at = blocked_.find(which);
    if (at == blocked_.end()) return;
    const std::vector<std::uint32_t> all = std::move(at->second);
    blocked_.erase(at);
    for (const std::uint32_t each : all) {
      if (each != which) {
        (void)go_on(where, each, {entry::cut, now_ns_});
        continue;
      }
      task_state& subject = states_[each];
      const bool joins =
          subject.had_children && subject.last_child_ns >= subject.left_ns && subject.left_reason == trace::k_no_detail;
      arrival how{entry::blocked, now_ns_, subject.left_reason};
      if (subject.woken_ns >= 0)
        how = take_wake(subject);
      else if (joins)
        how = {entry::joined, subject.last_child_ns};
      if (go_on(where, each, how) && joins) join_all_into(each, out_.tasks[each].last);
    }
  }

  void end(std::uint32_t which) {
    task& subject = out_.tasks[which];
    if (subject.has_ended()) return;
    task_state& state = states_[which];
    if (!has_joins_ && state.newest_ended != k_none && state.ended_children == subject.children && is_running(which)) {
      join_all_into(which, cut(which));
    }
    leave(which);
    subject.ended_ns = now_ns_;
    if (subject.parent == k_none) return;
    task_state& parent = states_[subject.parent];
    ++parent.ended_children;
    parent.last_child_ns = now_ns_;
    state.older_ended = std::exchange(parent.newest_ended, which);
  }

  // ---- events ----

  void step(std::uint32_t where) {
    lane& here = lanes_[where];
    const event& e = (*here.events)[here.next];
    now_ns_ = std::max(now_ns_, e.time_ns);
    if (e.kind == event_kind::dropped) leave_all(where);
    if (e.task != trace::k_no_task && concerns_tasks(e.kind)) see(where, place_of(here, e.task), e);
    ++here.next;
  }

  void see(std::uint32_t where, std::uint32_t which, const event& e) {
    switch (e.kind) {
      case event_kind::spawn:
        spawn(which);
        break;
      case event_kind::start:
        start(where, which);
        break;
      case event_kind::suspend:
        if (states_[which].lane == where) leave(which);
        go_away(which, absence::suspended, e.detail);
        states_[which].was_carried = is_suspend_before(lanes_[where]);
        break;
      case event_kind::resume: {
        const bool joins = is_join_next(lanes_[where], e.task);
        const std::uint64_t child = joins ? (*lanes_[where].events)[lanes_[where].next + 1].argument : 0;
        resume(where, which, !has_joins_ || joins, child);
        break;
      }
      case event_kind::join:
        join(which, e.argument);
        break;
      case event_kind::woken:
        wake(which, e);
        break;
      case event_kind::block:
        block(where, which, e.detail);
        break;
      case event_kind::unblock:
        unblock(where, which);
        break;
      case event_kind::cancel:
        leave(which);
        break;
      case event_kind::end:
        end(which);
        break;
      default:
        break;
    }
  }

  dag out_;
  task_index index_;
  std::vector<task_state> states_;
  std::vector<lane> lanes_;  // the last one is that of outside threads
  std::priority_queue<head, std::vector<head>, std::greater<>> heads_;
  std::vector<std::uint32_t> group_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> blocked_;  // what lay on the worker's stack
  std::uint32_t fork_reason_ = k_none;
  bool has_joins_ = false;
  bool is_any_ = false;
  time_ns now_ns_ = 0;
  time_ns first_ns_ = 0;
};

}  // namespace

dag dag::from(const trace::recording& recording) {
  return builder{recording}.build();
}

}  // namespace filch::analysis
