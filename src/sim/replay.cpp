#include <filch/sim/replay.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace filch::inline v0::sim {
namespace {

using trace::event;
using trace::event_kind;

constexpr std::uint32_t k_nobody = UINT32_MAX;

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
  struct task_state {
    std::vector<recorded_tasks::act> acts;
    std::uint32_t parent = k_nobody;
    time_ns spawned_ns = -1;
    time_ns since_ns = 0;              // running from then on
    std::uint32_t running = k_nobody;  // on that worker
    std::uint32_t unfinished = 0;      // children that have not ended
    std::size_t joined = 0;            // acts before this one were seen by a join
    bool has_spawn = false;            // the recording shows how it came into being; its start may come before that
    bool has_started = false;
    bool has_ended = false;
    bool has_widows = false;  // it ended before one of its children
    bool waits = false;       // suspended or blocked with unfinished children
  };

  [[nodiscard]] bool any_of_kind(event_kind kind) const {
    return std::ranges::any_of(recording_.workers, [kind](const auto& list) {
      return std::ranges::any_of(list, [kind](const event& one) { return one.kind == kind; });
    });
  }

  // By time, then by list, then in the order of the list.
  void read_in_order() {
    std::vector<const event*> all;
    all.reserve(recording_.event_count());
    std::vector<std::size_t> order;
    order.reserve(recording_.event_count());
    const auto add = [&](const std::vector<event>& list) {
      for (const event& one : list) {
        order.push_back(all.size());
        all.push_back(&one);
      }
    };
    add(recording_.outside);
    for (const auto& list : recording_.workers) add(list);
    std::ranges::sort(order, {}, [&all](std::size_t i) { return std::pair{all[i]->time_ns, i}; });
    for (const std::size_t i : order) take(*all[i]);
  }

  std::uint32_t number_of(std::uint64_t id) {
    const auto [at, is_new] = numbers_.try_emplace(id, static_cast<std::uint32_t>(tasks_.size()));
    if (is_new) tasks_.emplace_back();
    return at->second;
  }

  void take(const event& one) {
    if (one.kind == event_kind::dropped) gaps_ += one.argument;
    if (one.task == trace::k_no_task) return;
    switch (one.kind) {
      case event_kind::spawn:
        spawn(one);
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
          join(who);
        }
        break;
      default:
        break;
    }
  }

  // Work up to now becomes an act.
  static void account(task_state& who, time_ns now_ns) {
    if (who.running == k_nobody) return;
    const time_ns work_ns = now_ns - std::exchange(who.since_ns, now_ns);
    if (work_ns == 0) return;
    auto& acts = who.acts;
    if (acts.empty() || acts.back().what != recorded_tasks::act::kind::work) acts.push_back({});
    acts.back().value += work_ns;
  }

  void spawn(const event& one) {
    const std::uint32_t child = number_of(one.task);
    if (std::exchange(tasks_[child].has_spawn, true)) return;
    tasks_[child].spawned_ns = one.time_ns;
    if (one.argument == trace::k_no_task || one.argument == one.task) return;
    const std::uint32_t parent = number_of(one.argument);
    task_state& above = tasks_[parent];
    if (!above.has_started) return;
    tasks_[child].parent = parent;
    account(above, one.time_ns);
    above.acts.push_back({recorded_tasks::act::kind::release, child});
    if (!tasks_[child].has_ended) ++above.unfinished;
  }

  void go_on(std::uint32_t which, const event& one) {
    task_state& who = tasks_[which];
    if (who.has_ended) return;
    who.has_started = true;
    if (who.spawned_ns < 0) who.spawned_ns = one.time_ns;
    account(who, one.time_ns);
    if (std::exchange(who.waits, false) && !has_joins_ && who.unfinished == 0) join(who);
    if (who.running != k_nobody) drop_from(who.running, which);
    auto& stack = stacks_[one.worker];
    if (!stack.empty()) pause(tasks_[stack.back()], one.time_ns);
    stack.push_back(which);
    who.running = one.worker;
    who.since_ns = one.time_ns;
  }

  static void pause(task_state& who, time_ns now_ns) {
    account(who, now_ns);
    who.running = k_nobody;
  }

  void drop_from(std::uint32_t worker, std::uint32_t which) { std::erase(stacks_[worker], which); }

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
    if (who.running != one.worker) return;  // it goes on elsewhere already
    pause(who, one.time_ns);
    if (who.unfinished != 0) {
      who.waits = !is_fork(one);
    } else {
      ++waits_left_out_;
    }
    leave_worker(which, one);
  }

  void end(std::uint32_t which, const event& one) {
    task_state& who = tasks_[which];
    if (who.has_ended) return;
    pause(who, one.time_ns);
    who.has_ended = true;
    who.has_widows = who.unfinished != 0;
    leave_worker(which, one);
    if (who.parent == k_nobody) return;
    --tasks_[who.parent].unfinished;
  }

  // The children since the last join are waited for.
  static void join(task_state& who) {
    bool has_any = false;
    for (; who.joined != who.acts.size(); ++who.joined) {
      auto& act = who.acts[who.joined];
      if (act.what != recorded_tasks::act::kind::release) continue;
      act.what = recorded_tasks::act::kind::spawn;
      has_any = true;
    }
    if (!has_any) return;
    who.acts.push_back({recorded_tasks::act::kind::join, 0});
    who.joined = who.acts.size();
  }

  void guess_last_joins() {
    for (task_state& who : tasks_) {
      if (who.has_ended && !who.has_widows) join(who);
    }
  }

  // Only what has run, under new numbers.
  recorded_tasks collect() {
    recorded_tasks out;
    out.gaps = gaps_;
    out.waits_left_out = waits_left_out_;
    std::vector<std::uint32_t> renamed(tasks_.size(), k_nobody);
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i != tasks_.size(); ++i) {
      if (tasks_[i].has_started) renamed[i] = kept++;
    }
    out.acts.reserve(kept);
    for (task_state& who : tasks_) {
      if (!who.has_started) continue;
      if (who.parent == k_nobody) out.roots.push_back({who.spawned_ns, static_cast<std::uint32_t>(out.acts.size())});
      std::erase_if(who.acts, [&](recorded_tasks::act& act) {
        if (act.what == recorded_tasks::act::kind::work || act.what == recorded_tasks::act::kind::join) return false;
        act.value = renamed[static_cast<std::size_t>(act.value)];
        return act.value == k_nobody;
      });
      out.acts.push_back(std::move(who.acts));
    }
    std::ranges::sort(out.roots, {}, [](const recorded_tasks::root& one) { return std::pair{one.at_ns, one.task}; });
    return out;
  }

  const trace::recording& recording_;
  bool has_joins_ = false;
  std::vector<task_state> tasks_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<std::vector<std::uint32_t>> stacks_;  // by worker: what runs there, and what it runs inside of
  std::uint64_t gaps_ = 0;
  std::uint64_t waits_left_out_ = 0;
};

}  // namespace

recorded_tasks recorded_tasks::from(const trace::recording& recording) {
  if (const std::string problem = recording.check(); !problem.empty()) {
    throw std::invalid_argument{"the recording cannot be replayed: " + problem};
  }
  recorded_tasks out = reader{recording}.read();
  if (out.acts.empty()) throw std::invalid_argument{"the recording cannot be replayed: it shows no task that ran"};
  return out;
}

time_ns recorded_tasks::work_ns() const {
  time_ns sum = 0;
  for (const auto& list : acts) {
    for (const act& one : list) sum += one.what == act::kind::work ? one.value : 0;
  }
  return sum;
}

// A task that is begun stands on the stack while its children, which it needs first, are measured.
time_ns recorded_tasks::span_ns() const {
  struct measured {
    time_ns ends_ns = 0;     // after its start
    time_ns reaches_ns = 0;  // … and the last of all that it made
  };
  struct begun {
    std::uint32_t task = 0;
    std::size_t act = 0;
    time_ns now_ns = 0;
    time_ns children_ns = 0;  // when the last child ends for which it will wait
    time_ns reaches_ns = 0;
  };
  std::vector<measured> done(size());
  std::vector<begun> stack;
  time_ns longest_ns = 0;
  for (const root& from : roots) {
    stack.push_back({.task = from.task});
    while (!stack.empty()) {
      begun& top = stack.back();
      if (top.act == acts[top.task].size()) {
        const measured one{top.now_ns, std::max(top.now_ns, top.reaches_ns)};
        done[top.task] = one;
        stack.pop_back();
        if (stack.empty()) {
          longest_ns = std::max(longest_ns, from.at_ns - roots.front().at_ns + one.reaches_ns);
          break;
        }
        begun& above = stack.back();
        const act& made = acts[above.task][above.act++];
        if (made.what == act::kind::spawn) above.children_ns = std::max(above.children_ns, above.now_ns + one.ends_ns);
        above.reaches_ns = std::max(above.reaches_ns, above.now_ns + one.reaches_ns);
        continue;
      }
      const act& next = acts[top.task][top.act];
      if (next.what == act::kind::work) {
        top.now_ns += next.value;
        ++top.act;
      } else if (next.what == act::kind::join) {
        top.now_ns = std::max(top.now_ns, top.children_ns);
        ++top.act;
      } else {
        stack.push_back({.task = static_cast<std::uint32_t>(next.value)});
      }
    }
  }
  return longest_ns;
}

// words: task, next act.
bool replay::next_arrival(arrival& out) {
  if (next_ == tasks_.roots.size()) return false;
  const recorded_tasks::root& from = tasks_.roots[next_++];
  out = {from.at_ns, target::by_policy(), {from.task, 0}, policy::priority::normal};
  return true;
}

next_step replay::resume(task& self, task_context& with) {
  const auto& acts = tasks_.acts[self.words[0]];
  while (self.words[1] != acts.size()) {
    const recorded_tasks::act& next = acts[self.words[1]++];
    switch (next.what) {
      case recorded_tasks::act::kind::work:
        return next_step::work(next.value);
      case recorded_tasks::act::kind::join:
        return next_step::join(how_);
      case recorded_tasks::act::kind::spawn:
        with.spawn(static_cast<std::uint64_t>(next.value));
        break;
      case recorded_tasks::act::kind::release:
        with.release(static_cast<std::uint64_t>(next.value));
        break;
    }
  }
  return next_step::end();
}

}  // namespace filch::inline v0::sim
