// Writes strands and edges: the half of reading a recording that knows what a task does. The other half, which orders
// the events, is dag_builder.cpp; only that file includes this one.
//
// A seat is where tasks run: a worker, or the threads outside, which have the last one and no strands.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dag.hpp"
#include "task_index.hpp"

namespace filch::analysis {

class strand_writer {
 protected:
  using event = trace::event;

  explicit strand_writer(std::size_t seats) : seats_(seats) {}
  ~strand_writer() = default;

  enum class absence : std::uint8_t { none, suspended, blocked };

  struct task_state {
    std::uint32_t seat = k_none;          // where it runs, or lies below what runs
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

  struct place_to_run {
    std::vector<std::uint32_t> stack;  // tasks, the innermost last
    std::uint32_t open = k_none;       // the strand of the innermost
  };

  std::uint32_t place_of(std::uint64_t id) {
    const std::uint32_t place = index_.place_of(id);
    if (place == out_.tasks.size()) out_.tasks.push_back({.id = id});
    return place;
  }

  void note_begin(time_ns at_ns) {
    first_ns_ = is_any_ ? std::min(first_ns_, at_ns) : at_ns;
    is_any_ = true;
  }

  // ---- strands ----

  std::uint32_t open(std::uint32_t which, entry why, time_ns ready_ns) {
    place_to_run& here = seats_[which];
    if (here.stack.empty() || which + 1 == seats_.size()) return k_none;
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
    place_to_run& here = seats_[which];
    if (here.open == k_none) return;
    strand& ended = out_.strands[std::exchange(here.open, k_none)];
    ended.end_ns = now_ns_;
    out_.tasks[ended.task].work_ns += ended.length_ns();
    out_.end_ns = std::max(out_.end_ns, now_ns_);
  }

  [[nodiscard]] bool is_running(std::uint32_t which) const {
    const std::uint32_t where = states_[which].seat;
    return where != k_none && seats_[where].open != k_none && seats_[where].stack.back() == which;
  }

  // What the task has done up to now is a strand of its own. Returns the new one.
  std::uint32_t cut(std::uint32_t which) {
    const std::uint32_t where = states_[which].seat;
    close(where);
    return open(where, entry::cut, now_ns_);
  }

  // A task that has ended does nothing more.
  std::uint32_t enter(std::uint32_t where, std::uint32_t which, entry why, time_ns ready_ns) {
    if (out_.tasks[which].has_ended()) return k_none;
    leave(which);
    close(where);
    seats_[where].stack.push_back(which);
    states_[which].seat = where;
    states_[which].away = absence::none;
    return open(where, why, ready_ns);
  }

  void leave(std::uint32_t which) {
    const std::uint32_t where = std::exchange(states_[which].seat, k_none);
    if (where == k_none) return;
    place_to_run& there = seats_[where];
    const bool is_innermost = there.stack.back() == which;
    if (is_innermost) close(where);
    std::erase(there.stack, which);
    if (is_innermost) open(where, entry::cut, now_ns_);
  }

  void leave_all(std::uint32_t where) {
    close(where);
    for (const std::uint32_t each : std::exchange(seats_[where].stack, {})) states_[each].seat = k_none;
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

  // It was made ready.
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

  // Why a woken task resumes.
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
    strand& now = out_.strands[seats_[subject.seat].open];
    if (now.why == entry::outside && subject.had_children && joinable >= subject.left_ns) {
      now.why = entry::joined;
      now.ready_ns = std::clamp(joinable, subject.left_ns, now.begin_ns);
    }
    join_into(which, cut(which), child);
  }

  void block(std::uint32_t where, std::uint32_t which, std::uint32_t reason) {
    close(where);
    blocked_[which] = seats_[where].stack;
    leave_all(where);
    go_away(which, absence::blocked, reason);
  }

  // Lies on the seat below what comes next, and does nothing yet: without a strand, or a block inside many tasks would
  // cost one for each of them.
  void lie_below(std::uint32_t where, std::uint32_t which) {
    if (out_.tasks[which].has_ended()) return;
    leave(which);
    close(where);
    seats_[where].stack.push_back(which);
    states_[which].seat = where;
    states_[which].away = absence::none;
  }

  // A task that blocked while it had unfinished children, and gave no reason, waited for a child.
  void unblock(std::uint32_t where, std::uint32_t which) {
    const auto at = blocked_.find(which);
    if (at == blocked_.end()) return;
    const std::vector<std::uint32_t> all = std::move(at->second);
    blocked_.erase(at);
    for (const std::uint32_t each : all) {
      if (each != which) {
        lie_below(where, each);
        continue;
      }
      task_state& subject = states_[each];
      const bool joins =
          subject.had_children && subject.last_child_ns >= subject.left_ns && subject.left_reason == trace::k_no_detail;
      arrival how{entry::blocked, now_ns_, subject.left_reason};
      if (subject.woken_ns >= 0) how = take_wake(subject);
      else if (joins) how = {entry::joined, subject.last_child_ns};
      if (go_on(where, each, how) && joins) join_all_into(each, out_.tasks[each].last);
    }
    if (seats_[where].open == k_none) (void)open(where, entry::cut, now_ns_);
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

  dag out_;
  task_index index_;
  std::vector<task_state> states_;
  std::vector<place_to_run> seats_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> blocked_;  // what lay on the worker's stack
  std::uint32_t fork_reason_ = k_none;
  bool has_joins_ = false;
  bool is_any_ = false;
  time_ns now_ns_ = 0;
  time_ns first_ns_ = 0;
};

}  // namespace filch::analysis
