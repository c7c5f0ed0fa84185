#include <algorithm>
#include <cstdint>
#include <filch/sim/replay.hpp>
#include <utility>

namespace filch::inline v0::sim {

using act = recorded_tasks::act;

void recorded_tasks::add(std::span<const act> does, std::uint32_t name) {
  acts.insert(acts.end(), does.begin(), does.end());
  begins.push_back(acts.size());
  name_of.push_back(name);
}

std::uint32_t recorded_tasks::number_of_name(const std::string& name) {
  const auto place = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  if (place == names.size()) names.push_back(name);
  return static_cast<std::uint32_t>(place);
}

time_ns recorded_tasks::work_ns() const {
  time_ns sum = 0;
  for (const act& one : acts) sum += one.what() == act::kind::work ? one.value() : 0;
  return sum;
}

std::vector<time_ns> recorded_tasks::work_by_name_ns() const {
  std::vector<time_ns> out(names.size());
  for (std::size_t i = 0; i != size(); ++i) {
    for (const act& one : acts_of(i)) out[name_of[i]] += one.what() == act::kind::work ? one.value() : 0;
  }
  return out;
}

time_ns recorded_tasks::outside_ns() const {
  time_ns sum = 0;
  for (const root& each : roots) sum += each.comes_after_all() ? each.gap_ns : 0;
  return sum;
}

time_ns recorded_tasks::arrivals_ns() const {
  time_ns sum = 0;
  time_ns first_ns = 0;
  for (std::size_t i = 0; i != roots.size(); ++i) {
    if (i == 0 || roots[i].comes_after_all()) first_ns = roots[i].at_ns;
    const bool is_last = i + 1 == roots.size() || roots[i + 1].comes_after_all();
    if (is_last) sum += roots[i].at_ns - first_ns;
  }
  return sum;
}

// ---- span -----------------------------------------------------------------------------------------------------------

namespace {

// A run with a worker for every task. Tasks are followed in any order in which their causes come first: a task that
// waits is left, and taken up again by what it waits for.
class endless_machine {
 public:
  endless_machine(const recorded_tasks& tasks, time_ns burden_ns)
      : tasks_{tasks}, burden_ns_{burden_ns}, states_(tasks.size()), signals_(tasks.signals) {}

  time_ns run() {
    time_ns shift_ns = -tasks_.roots.front().at_ns;
    for (const auto& from : tasks_.roots) {
      if (from.comes_after_all()) shift_ns = last_ns_ + from.gap_ns - from.at_ns;
      begin(from.task, k_nobody, from.at_ns + shift_ns);
      while (!ready_.empty()) {
        const std::uint32_t next = ready_.back();
        ready_.pop_back();
        follow(next);
      }
    }
    return last_ns_;
  }

 private:
  static constexpr std::uint32_t k_nobody = UINT32_MAX;

  struct state {
    time_ns now_ns = 0;
    time_ns children_ns = 0;  // when the last child ends that the next join waits for
    std::uint64_t act = 0;
    std::uint32_t parent = k_nobody;
    std::uint32_t pending = 0;        // children that have not ended
    std::uint32_t waiter = k_nobody;  // who awaits its end
    bool is_joining = false;
    bool has_ended = false;
  };
  struct signal_state {
    time_ns at_ns = 0;
    std::uint32_t waiter = k_nobody;
    bool is_given = false;
  };

  void begin(std::uint32_t task, std::uint32_t parent, time_ns at_ns) {
    state& of = states_[task];
    of.now_ns = at_ns;
    of.act = tasks_.begins[task];
    of.parent = parent;
    ready_.push_back(task);
  }

  void go_on(std::uint32_t task, time_ns at_ns) {
    states_[task].now_ns = std::max(states_[task].now_ns, at_ns + burden_ns_);
    ready_.push_back(task);
  }

  // Until it ends or waits.
  void follow(std::uint32_t task) {
    state& self = states_[task];
    while (self.act != tasks_.begins[task + 1]) {
      const act next = tasks_.acts[self.act++];
      switch (next.what()) {
        case act::kind::work:
          self.now_ns += next.value();
          break;
        case act::kind::spawn:
          ++self.pending;
          begin(next.task(), task, self.now_ns + burden_ns_);
          break;
        case act::kind::release:
        case act::kind::fork:
          begin(next.task(), k_nobody, self.now_ns + burden_ns_);
          break;
        case act::kind::join:
          if (self.pending != 0) {
            self.is_joining = true;
            return;
          }
          self.now_ns = std::max(self.now_ns, std::exchange(self.children_ns, 0));
          break;
        case act::kind::await:
          if (state& other = states_[next.task()]; !other.has_ended) {
            other.waiter = task;
            return;
          } else {
            self.now_ns = std::max(self.now_ns, other.now_ns + burden_ns_);
          }
          break;
        case act::kind::signal:
          give(next.task(), self.now_ns);
          break;
        case act::kind::wait:
          if (signal_state& signal = signals_[next.task()]; !signal.is_given) {
            signal.waiter = task;
            return;
          } else {
            self.now_ns = std::max(self.now_ns, signal.at_ns + burden_ns_);
          }
          break;
      }
    }
    end(self);
  }

  void give(std::uint32_t which, time_ns at_ns) {
    signal_state& signal = signals_[which];
    signal.is_given = true;
    signal.at_ns = at_ns;
    if (signal.waiter != k_nobody) go_on(signal.waiter, at_ns);
  }

  void end(state& self) {
    self.has_ended = true;
    last_ns_ = std::max(last_ns_, self.now_ns);
    if (self.waiter != k_nobody) go_on(self.waiter, self.now_ns);
    if (self.parent == k_nobody) return;
    state& above = states_[self.parent];
    above.children_ns = std::max(above.children_ns, self.now_ns + burden_ns_);
    if (--above.pending != 0 || !above.is_joining) return;
    above.is_joining = false;
    above.now_ns = std::max(above.now_ns, std::exchange(above.children_ns, 0));
    ready_.push_back(self.parent);
  }

  const recorded_tasks& tasks_;
  const time_ns burden_ns_;
  std::vector<state> states_;
  std::vector<signal_state> signals_;
  std::vector<std::uint32_t> ready_;
  time_ns last_ns_ = 0;
};

}  // namespace

time_ns recorded_tasks::span_ns(time_ns burden_ns) const { return endless_machine{*this, burden_ns}.run(); }

// ---- replay ---------------------------------------------------------------------------------------------------------

// words: task, next act. The signals of the recording come first; behind them each task has one that it gives at its
// end.
bool replay::next_arrival(arrival& out) {
  if (next_ == tasks_.roots.size()) return false;
  if (next_ == 0) shift_ns_ = -tasks_.roots.front().at_ns;
  if (tasks_.roots[next_].comes_after_all()) return false;
  out = take_root();
  return true;
}

bool replay::next_after_all(time_ns ended_ns, arrival& out) {
  if (next_ == tasks_.roots.size()) return false;
  shift_ns_ = ended_ns + tasks_.roots[next_].gap_ns - tasks_.roots[next_].at_ns;
  out = take_root();
  return true;
}

arrival replay::take_root() {
  const recorded_tasks::root& from = tasks_.roots[next_++];
  return {from.at_ns + shift_ns_, target::by_policy(), {from.task, tasks_.begins[from.task]}, policy::priority::normal};
}

next_step replay::resume(task& self, task_context& with) {
  const std::uint64_t number = self.words[0] & ~k_awaited;
  const std::uint64_t end = tasks_.begins[number + 1];
  while (self.words[1] != end) {
    const act next = tasks_.acts[self.words[1]++];
    switch (next.what()) {
      case act::kind::work:
        if (work_ppm_ == k_as_recorded_ppm) return next_step::work(next.value());
        return next_step::work(static_cast<time_ns>(static_cast<double>(next.value()) * 1e-6 * work_ppm_));
      case act::kind::join:
        return next_step::join(how_);
      case act::kind::spawn:
        with.spawn(next.task(), tasks_.begins[next.task()]);
        break;
      case act::kind::release:
        with.release(next.task(), tasks_.begins[next.task()]);
        break;
      case act::kind::fork:
        with.release(next.task() | k_awaited, tasks_.begins[next.task()]);
        break;
      case act::kind::await:
        return next_step::wait(tasks_.signals + next.task());
      case act::kind::signal:
        with.signal(next.task());
        break;
      case act::kind::wait:
        return next_step::wait(next.task());
    }
  }
  return next_step::end((self.words[0] & k_awaited) != 0 ? tasks_.signals + number : next_step::k_no_signal);
}

}  // namespace filch::inline v0::sim
