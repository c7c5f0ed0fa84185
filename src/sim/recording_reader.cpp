// From the events of a recording to what its tasks do.
#include <algorithm>
#include <cstdint>
#include <filch/sim/replay.hpp>
#include <queue>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace filch::inline v0::sim {
namespace {

using trace::event;
using trace::event_kind;

constexpr std::uint32_t k_nobody = UINT32_MAX;
// Who waits for a task may go on before the task's end is recorded: at most so long before, and at most this part of
// the task's time (guesses, three times what was seen). Tasks that really overlap for so short a time lose no more.
constexpr time_ns k_most_late_end_ns = 50'000;
constexpr time_ns k_part_late_end = 8;

// Reads the events of all workers in the order of their times. At equal times the order between workers is unknown, so
// whatever two workers say about one task is understood in either order.
class reader {
 public:
  explicit reader(const trace::recording& recording) : recording_{recording}, stacks_(recording.workers.size()) {}

  recorded_tasks read() {
    has_joins_ = any_of_kind(event_kind::join);
    read_in_order();
    if (!has_joins_) guess_last_joins();
    return collect();
  }

 private:
  using act = recorded_tasks::act;

  static constexpr std::uint32_t k_none = UINT32_MAX;
  static constexpr std::string_view k_simulated = "simulation";

  // The acts of all tasks lie in one array while they are read; those of one task form a list.
  struct listed_act {
    act what;
    std::uint32_t next = k_none;
  };
  struct task_state {
    time_ns spawned_ns = -1;
    time_ns since_ns = 0;  // running from then on
    time_ns started_ns = 0;
    time_ns ended_ns = k_never_ns;
    time_ns over_ns = k_never_ns;  // from then on it was about to end, and nothing of it was recorded before its end
    std::uint32_t first = k_none;
    std::uint32_t last = k_none;
    std::uint32_t parent = k_nobody;
    std::uint32_t running = k_nobody;  // on that worker
    std::uint32_t unfinished = 0;      // children that have not ended
    std::uint32_t unjoined = 0;        // children that are in no join yet
    std::uint32_t made_at = k_none;    // the act of the parent that made it
    // The child that ended last of those in no join yet, unless one named it since; in that, the one before.
    std::uint32_t newest_ended = k_nobody;
    std::uint32_t older_ended = k_nobody;
    std::uint32_t name = trace::k_no_detail;
    std::uint32_t signal = k_none;  // that made it ready; it waits for this one when it goes on
    bool has_spawn = false;         // the recording shows how it came into being; its start may come before that
    bool has_started = false;
    bool has_ended = false;
    bool is_joined = false;
    bool has_widows = false;  // it ended before one of its children
    bool waits = false;       // suspended or blocked with unfinished children
    bool has_left = false;    // … without any
  };

  [[nodiscard]] bool any_of_kind(event_kind kind) const {
    return std::ranges::any_of(recording_.workers, [kind](const auto& list) {
      return std::ranges::any_of(list, [kind](const event& one) { return one.kind == kind; });
    });
  }

  // By time, then by list, then in the order of the list; each list is in the order of time already.
  void read_in_order() {
    struct place {
      time_ns at_ns;
      std::size_t list;
    };
    std::vector<const std::vector<event>*> lists{&recording_.outside};
    for (const auto& list : recording_.workers) lists.push_back(&list);
    std::vector<std::size_t> next(lists.size());
    const auto later = [](const place& a, const place& b) {
      return std::pair{a.at_ns, a.list} > std::pair{b.at_ns, b.list};
    };
    std::priority_queue<place, std::vector<place>, decltype(later)> heads{later};
    for (std::size_t i = 0; i != lists.size(); ++i) {
      if (!lists[i]->empty()) heads.push({lists[i]->front().time_ns, i});
    }
    while (!heads.empty()) {
      const std::size_t list = heads.top().list;
      heads.pop();
      const place other = heads.empty() ? place{k_never_ns, lists.size()} : heads.top();
      const std::vector<event>& events = *lists[list];
      std::size_t& at = next[list];
      do take(events[at++]);
      while (at != events.size() && !later({events[at].time_ns, list}, other));
      if (at != events.size()) heads.push({events[at].time_ns, list});
    }
  }

  std::uint32_t number_of(std::uint64_t id) {
    const auto [at, is_new] = numbers_.try_emplace(id, static_cast<std::uint32_t>(tasks_.size()));
    if (is_new) tasks_.emplace_back();
    return at->second;
  }

  void take(const event& one) {
    if (one.kind == event_kind::dropped) gaps_ += one.argument;
    if (one.task == trace::k_no_task) return;
    if (one.worker == trace::k_outside && is_of_worker(one.kind)) {
      throw std::invalid_argument{"the recording cannot be replayed: task " + std::to_string(one.task) +
                                  " has the event " + std::string{trace::name_of(one.kind)} + " outside the workers"};
    }
    switch (one.kind) {
      case event_kind::spawn:
        spawn(one);
        break;
      case event_kind::name:
        tasks_[number_of(one.task)].name = one.detail;
        break;
      case event_kind::start:
      case event_kind::resume:
      case event_kind::unblock:
        go_on(number_of(one.task), one);
        break;
      case event_kind::end:
        end(number_of(one.task), one);
        break;
      case event_kind::suspend:
      case event_kind::block:
        leave(number_of(one.task), one);
        break;
      case event_kind::join:
        if (task_state& who = tasks_[number_of(one.task)]; !who.has_ended) {
          account(who, one.time_ns);
          if (one.argument == 0) {
            join(who);
          } else {
            join_child(who, number_of(one.argument));
          }
        }
        break;
      case event_kind::woken:
        wake(one);
        break;
      default:
        break;
    }
  }

  // Tasks run on workers only.
  static bool is_of_worker(event_kind kind) {
    switch (kind) {
      case event_kind::start:
      case event_kind::end:
      case event_kind::suspend:
      case event_kind::resume:
      case event_kind::block:
      case event_kind::unblock:
        return true;
      default:
        return false;
    }
  }

  std::uint32_t append(task_state& to, act what) {
    const auto at = static_cast<std::uint32_t>(acts_.size());
    acts_.push_back({what});
    (to.last == k_none ? to.first : acts_[to.last].next) = at;
    to.last = at;
    return at;
  }

  // Work up to now becomes an act.
  void account(task_state& who, time_ns now_ns) {
    if (who.running == k_nobody) return;
    const time_ns work_ns = now_ns - std::exchange(who.since_ns, now_ns);
    if (work_ns == 0) return;
    if (who.last != k_none && acts_[who.last].what.what() == act::kind::work) {
      act& before = acts_[who.last].what;
      before = {act::kind::work, before.value() + work_ns};
    } else {
      (void)append(who, {act::kind::work, work_ns});
    }
  }

  void spawn(const event& one) {
    const std::uint32_t child = number_of(one.task);
    if (std::exchange(tasks_[child].has_spawn, true)) return;
    tasks_[child].spawned_ns = one.time_ns;
    if (one.detail != trace::k_no_detail && tasks_[child].name == trace::k_no_detail) tasks_[child].name = one.detail;
    if (one.argument == trace::k_no_task || one.argument == one.task) return;
    const std::uint32_t parent = number_of(one.argument);
    task_state& above = tasks_[parent];
    if (!above.has_started) return;
    task_state& made = tasks_[child];
    made.parent = parent;
    account(above, one.time_ns);
    made.made_at = append(above, {act::kind::release, child});
    ++above.unjoined;
    if (!made.has_ended) ++above.unfinished;
    else made.older_ended = std::exchange(above.newest_ended, child);
    if (!above.has_ended) return;
    above.has_widows = true;
    made.spawned_ns = above.over_ns;  // a task came of it: nothing that began meanwhile came behind all tasks
  }

  void go_on(std::uint32_t which, const event& one) {
    task_state& who = tasks_[which];
    if (who.has_ended) return;
    if (!std::exchange(who.has_started, true)) who.started_ns = one.time_ns;
    if (who.spawned_ns < 0) who.spawned_ns = one.time_ns;
    account(who, one.time_ns);
    const bool has_left = std::exchange(who.has_left, false);
    if (std::exchange(who.waits, false) && !has_joins_ && who.unfinished == 0) join(who);
    if (who.signal != k_none) {
      (void)append(who, {act::kind::wait, std::exchange(who.signal, k_none)});
    } else if (has_left) {
      ++waits_left_out_;
    }
    if (who.running != k_nobody) drop_from(who.running, which);
    auto& stack = stacks_[one.worker];
    if (!stack.empty()) pause(tasks_[stack.back()], one.time_ns);
    stack.push_back(which);
    who.running = one.worker;
    who.since_ns = one.time_ns;
  }

  void pause(task_state& who, time_ns now_ns) {
    account(who, now_ns);
    who.running = k_nobody;
  }

  void drop_from(std::uint32_t worker, std::uint32_t which) {
    auto& stack = stacks_[worker];
    if (!stack.empty() && stack.back() == which) {
      stack.pop_back();
    } else {
      std::erase(stack, which);
    }
  }

  // The task is no longer on this worker; the one below it goes on.
  void leave_worker(std::uint32_t which, const event& one) {
    drop_from(one.worker, which);
    const auto& stack = stacks_[one.worker];
    if (stack.empty()) return;
    task_state& below = tasks_[stack.back()];
    if (below.running != k_nobody) return;
    below.running = one.worker;
    below.since_ns = one.time_ns;
  }

  // A task that forked lies in a queue and waits for nothing.
  [[nodiscard]] bool is_fork(const event& one) const {
    const trace::name_entry* const reason = recording_.find_name(one.detail);
    return reason != nullptr && reason->text == trace::k_fork_reason;
  }

  void leave(std::uint32_t which, const event& one) {
    task_state& who = tasks_[which];
    if (who.running != one.worker) return;  // it runs elsewhere already
    pause(who, one.time_ns);
    who.waits = who.unfinished != 0 && !is_fork(one);
    who.has_left = who.unfinished == 0;
    leave_worker(which, one);
  }

  void end(std::uint32_t which, const event& one) {
    task_state& who = tasks_[which];
    if (who.has_ended) return;
    const time_ns lateness_ns = std::min(k_most_late_end_ns, (one.time_ns - who.started_ns) / k_part_late_end);
    who.ended_ns = one.time_ns;
    who.over_ns = std::max(who.running == k_nobody ? one.time_ns : who.since_ns, one.time_ns - lateness_ns);
    pause(who, one.time_ns);
    who.has_ended = true;
    who.has_widows = who.unfinished != 0;
    leave_worker(which, one);
    if (who.parent == k_nobody) return;
    task_state& above = tasks_[who.parent];
    --above.unfinished;
    if (!who.is_joined) who.older_ended = std::exchange(above.newest_ended, which);
  }

  void make_by(const task_state& child, act::kind how) {
    act& made = acts_[child.made_at].what;
    made = {how, made.value()};
  }

  // The children that have ended, and are in no join yet, are waited for: by one join if they are all there are, else
  // each by itself, the eldest first. No child is looked at twice, or a loop of many would take the square of that.
  void join(task_state& who) {
    joined_.clear();
    for (std::uint32_t child = std::exchange(who.newest_ended, k_nobody); child != k_nobody;) {
      if (!std::exchange(tasks_[child].is_joined, true)) joined_.push_back(child);
      child = std::exchange(tasks_[child].older_ended, k_nobody);
    }
    if (joined_.empty()) return;
    who.unjoined -= static_cast<std::uint32_t>(joined_.size());
    const bool is_all = who.unjoined == 0;
    for (const std::uint32_t child : joined_) make_by(tasks_[child], is_all ? act::kind::spawn : act::kind::fork);
    if (is_all) {
      (void)append(who, {act::kind::join, 0});
      return;
    }
    std::ranges::sort(joined_, {}, [this](std::uint32_t child) { return tasks_[child].made_at; });
    for (const std::uint32_t child : joined_) (void)append(who, {act::kind::await, child});
  }

  // A join that names its child.
  void join_child(task_state& who, std::uint32_t which) {
    task_state& child = tasks_[which];
    if (child.made_at == k_none || std::exchange(child.is_joined, true)) return;
    --tasks_[child.parent].unjoined;
    make_by(child, act::kind::fork);
    (void)append(who, {act::kind::await, which});
  }

  // Who made a task ready gives a signal there, for which the task waits when it goes on. Who made it ready by its end
  // has ended already.
  void wake(const event& one) {
    const std::uint32_t which = number_of(one.task);
    if (one.argument == trace::k_no_task || one.argument == one.task) return;
    const std::uint32_t by = number_of(one.argument);
    task_state& giver = tasks_[by];
    if (tasks_[which].has_ended || !giver.has_started) return;
    account(giver, one.time_ns);
    (void)append(giver, {act::kind::signal, signals_});
    tasks_[which].signal = signals_++;
  }

  void guess_last_joins() {
    for (task_state& who : tasks_) {
      if (who.has_ended && !who.has_widows) join(who);
    }
  }

  // ---- what came of it ----------------------------------------------------------------------------------------------

  [[nodiscard]] const std::string& name_text(std::uint32_t name) const {
    static const std::string none;
    const trace::name_entry* const found = recording_.find_name(name);
    return found == nullptr ? none : found->text;
  }

  // Only what has run, under new numbers, in the order in which the tasks were first heard of.
  recorded_tasks collect() {
    recorded_tasks out;
    out.gaps = gaps_;
    out.waits_left_out = waits_left_out_;
    out.signals = signals_;
    std::vector<std::uint32_t> renamed(tasks_.size(), k_nobody);
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i != tasks_.size(); ++i) {
      if (tasks_[i].has_started) renamed[i] = kept++;
    }
    out.begins.reserve(kept + std::size_t{1});
    out.name_of.reserve(kept);
    out.acts.reserve(acts_.size());
    std::unordered_map<std::uint32_t, std::uint32_t> by_id;
    std::unordered_map<std::string, std::uint32_t> by_text;
    const auto number_of_name = [&](std::uint32_t id) {
      const auto [known, is_new] = by_id.try_emplace(id);
      if (!is_new) return known->second;
      const auto [same, is_new_text] = by_text.try_emplace(name_text(id), static_cast<std::uint32_t>(out.names.size()));
      if (is_new_text) out.names.push_back(same->first);
      return known->second = same->second;
    };
    for (const task_state& who : tasks_) {
      if (!who.has_started) continue;
      if (who.parent == k_nobody) out.roots.push_back({who.spawned_ns, static_cast<std::uint32_t>(out.size())});
      for (std::uint32_t at = who.first; at != k_none; at = acts_[at].next) {
        const act one = acts_[at].what;
        const bool names_task = one.makes_task() || one.what() == act::kind::await;
        if (names_task && renamed[one.task()] == k_nobody) continue;
        out.acts.push_back(names_task ? act{one.what(), renamed[one.task()]} : one);
      }
      out.begins.push_back(out.acts.size());
      out.name_of.push_back(number_of_name(who.name));
    }
    std::ranges::sort(out.roots, {}, [](const recorded_tasks::root& one) { return std::pair{one.at_ns, one.task}; });
    if (recording_.about.source != k_simulated) find_gaps(out.roots);
    return out;
  }

  // Which roots came when all tasks before them had ended, and how long after that.
  void find_gaps(std::vector<recorded_tasks::root>& roots) const {
    std::vector<std::uint32_t> all;  // as the roots: by time, and then as they were first heard of
    for (std::uint32_t i = 0; i != tasks_.size(); ++i) {
      if (tasks_[i].has_started) all.push_back(i);
    }
    std::ranges::sort(all, {}, [this](std::uint32_t i) { return std::pair{tasks_[i].spawned_ns, i}; });
    auto next = roots.begin();
    time_ns over_ns = 0;
    time_ns ended_ns = 0;
    for (const std::uint32_t i : all) {
      const task_state& who = tasks_[i];
      if (who.parent == k_nobody) {
        const bool is_first = next == roots.begin();
        if (!is_first && over_ns <= next->at_ns) next->gap_ns = std::max<time_ns>(0, next->at_ns - ended_ns);
        ++next;
      }
      over_ns = std::max(over_ns, who.over_ns);
      ended_ns = std::max(ended_ns, who.ended_ns);
    }
  }

  const trace::recording& recording_;
  bool has_joins_ = false;
  std::vector<task_state> tasks_;
  std::vector<listed_act> acts_;
  std::vector<std::uint32_t> joined_;  // of one join
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<std::vector<std::uint32_t>> stacks_;  // by worker: what runs there, and what it runs inside of
  std::uint32_t signals_ = 0;
  std::uint64_t gaps_ = 0;
  std::uint64_t waits_left_out_ = 0;
};

}  // namespace

recorded_tasks recorded_tasks::from(const trace::recording& recording) {
  if (const std::string problem = recording.check(); !problem.empty()) {
    throw std::invalid_argument{"the recording cannot be replayed: " + problem};
  }
  recorded_tasks out = reader{recording}.read();
  if (out.roots.empty()) throw std::invalid_argument{"the recording cannot be replayed: it shows no task that ran"};
  return out;
}

}  // namespace filch::inline v0::sim
