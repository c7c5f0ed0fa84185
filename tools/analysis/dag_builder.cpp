// Reads the events of all workers in the order of time; strand_writer makes strands and edges of them.
//
// At one moment the order between workers is unknown, so an event waits for what it depends on: a start for the spawn,
// a resume for the suspend, a join for the ends of the children. When all events wait for one another the recording is
// incomplete, and the first is processed.
#include <algorithm>
#include <cstddef>
#include <queue>
#include <tuple>
#include <utility>

#include "dag.hpp"
#include "strand_writer.hpp"

namespace filch::analysis {
namespace {

using trace::event;
using trace::event_kind;

class builder final : private strand_writer {
 public:
  explicit builder(const trace::recording& from)
      : strand_writer{from.workers.size() + 1}, lanes_(from.workers.size() + 1) {
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
      if (group_.size() == 1) go_alone(group_.front());
      else go_together(at_ns);
      for (const std::uint32_t each : group_) enqueue(each);
    }
    for (std::uint32_t i = 0; i != lanes_.size(); ++i) leave_all(i);
    out_.begin_ns = is_any_ ? first_ns_ : 0;
    out_.end_ns = std::max(out_.begin_ns, out_.end_ns);
    return std::move(out_);
  }

 private:
  struct lane {
    const std::vector<event>* events = nullptr;
    std::size_t next = 0;
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

  using strand_writer::place_of;
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

  // In simulated time a task may move several times at one moment. The worker that keeps it is the last one to go on
  // with it, so it comes when all suspends of that moment have been seen.
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
        if (states_[which].seat == where) leave(which);
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

  std::vector<lane> lanes_;  // the last one is that of outside threads
  std::priority_queue<head, std::vector<head>, std::greater<>> heads_;
  std::vector<std::uint32_t> group_;
};

}  // namespace

dag dag::from(const trace::recording& recording) { return builder{recording}.build(); }

}  // namespace filch::analysis
