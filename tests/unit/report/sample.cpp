#include "sample.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <filch/base/random.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>
#include <filch/trace/recorder.hpp>
#include <filch/trace/session.hpp>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace filch_report_test {
namespace {

using namespace filch;
using namespace filch::trace;

constexpr name_id k_split{0}, k_leaf{1}, k_merge{2}, k_wait{3};

recording empty_recording(std::uint32_t workers, std::uint64_t seed) {
  recording out;
  out.about = {.workers = workers,
               .seed = seed,
               .source = "simulation",
               .policy = "random victim, steal half",
               .machine = "made up: " + std::to_string(workers) + " equal cores",
               .clock = "virtual",
               .version = "0.1.0",
               .extra = {{"workload", "a random tree"}}};
  out.names = {{"split", {}}, {"leaf", {}}, {"merge", {}}, {"waits for children", {}}};
  out.workers.resize(workers);
  return out;
}

// A small work-stealing world in virtual time. Each worker is at one moment; the earliest one acts next.
class world {
 public:
  world(std::uint32_t workers, std::uint64_t tasks, std::uint64_t seed)
      : out_{empty_recording(workers, seed)}, random_{seed}, budget_{tasks}, cores_(workers) {}

  recording run() {
    virtual_recorder outside{worker_id::none(), now_ns_, out_.outside};
    const task root = make(k_split);
    outside.spawn(root.id, task_id::none(), root.name);
    outside.inject(root.id);
    submitted_ = root;
    for (std::uint32_t w = 0; w != cores_.size(); ++w) agenda_.emplace(100 + 10 * w, w);
    while (!agenda_.empty()) {
      const auto [at_ns, w] = agenda_.top();
      agenda_.pop();
      now_ns_ = at_ns;
      act(w);
    }
    return std::move(out_);
  }

 private:
  struct task {
    task_id id;
    name_id name;
  };
  struct core {
    std::deque<task> queue;
    std::vector<task> resumable;
    std::optional<task> running;
    bool is_suspending = false;
    bool is_parked = false;
    int failures = 0;
  };

  task make(name_id name) {
    ++made_;
    return {task_id{made_}, name};
  }
  virtual_recorder log(std::uint32_t w) { return {worker_id{w}, now_ns_, out_.workers[w]}; }
  void act_again(std::uint32_t w, std::uint64_t after_ns) { agenda_.emplace(now_ns_ + time_ns(after_ns), w); }

  void act(std::uint32_t w) {
    core& me = cores_[w];
    auto trace = log(w);
    if (me.running) leave(w);
    if (!me.resumable.empty()) {
      me.running = me.resumable.back();
      me.resumable.pop_back();
      trace.resume(me.running->id);
      act_again(w, 500 + random_.below(2'000));
    } else if (!me.queue.empty()) {
      const task next = me.queue.back();
      me.queue.pop_back();
      begin(w, next);
    } else if (submitted_) {
      begin(w, *std::exchange(submitted_, std::nullopt));
    } else {
      look_for_work(w);
    }
  }

  void begin(std::uint32_t w, task next) {
    core& me = cores_[w];
    auto trace = log(w);
    me.failures = 0;
    me.running = next;
    trace.start(next.id);
    if (next.name == k_split) {
      const std::uint64_t children = 2 + random_.below(5);
      for (std::uint64_t i = 0; i != children && made_ < budget_; ++i) {
        const std::uint64_t which = random_.below(10);
        const bool is_only_hope = i + 1 == children || me.queue.empty();
        const task child = make(is_only_hope || which < 3 ? k_split : which < 8 ? k_leaf : k_merge);
        trace.spawn(child.id, next.id, child.name);
        me.queue.push_back(child);
      }
      wake_one(w);
    }
    me.is_suspending = next.id.value % 97 == 96;
    const std::uint64_t spread_ns = random_.below(8) == 0 ? 30'000 : 6'000;
    act_again(w, next.name == k_split ? 300 + random_.below(900) : 800 + random_.below(spread_ns));
  }

  void leave(std::uint32_t w) {
    core& me = cores_[w];
    const task left = *std::exchange(me.running, std::nullopt);
    if (me.is_suspending) {
      me.is_suspending = false;
      log(w).suspend(left.id, k_wait);
      const auto next = static_cast<std::uint32_t>((w + 1) % cores_.size());
      cores_[next].resumable.push_back(left);
      wake(next, w);
    } else {
      log(w).end(left.id);
    }
  }

  void look_for_work(std::uint32_t w) {
    core& me = cores_[w];
    auto trace = log(w);
    if (cores_.size() == 1) return;
    auto victim = static_cast<std::uint32_t>(random_.below(cores_.size() - 1));
    if (victim >= w) ++victim;
    std::deque<task>& theirs = cores_[victim].queue;
    trace.steal_attempt(worker_id{victim});
    if (theirs.empty() || random_.below(20) == 0) {
      if (theirs.empty()) trace.steal_empty(worker_id{victim});
      else trace.steal_lost(worker_id{victim});
      if (++me.failures < 6) {
        act_again(w, 150 + random_.below(200));
      } else {
        me.is_parked = true;
        trace.park();
      }
      return;
    }
    const std::size_t amount = (theirs.size() + 1) / 2;
    const task first = theirs.front();
    trace.steal_success(worker_id{victim}, first.id, amount);
    me.queue.insert(me.queue.end(), theirs.begin() + 1, theirs.begin() + static_cast<std::ptrdiff_t>(amount));
    theirs.erase(theirs.begin(), theirs.begin() + static_cast<std::ptrdiff_t>(amount));
    now_ns_ += 60;
    begin(w, first);
  }

  void wake(std::uint32_t whom, std::uint32_t by) {
    if (!cores_[whom].is_parked) return;
    cores_[whom].is_parked = false;
    cores_[whom].failures = 0;
    log(by).notify(worker_id{whom});
    const time_ns before_ns = std::exchange(now_ns_, now_ns_ + 2'000);
    log(whom).wake(worker_id{by});
    act_again(whom, 0);
    now_ns_ = before_ns;
  }

  void wake_one(std::uint32_t by) {
    for (std::uint32_t w = 0; w != cores_.size(); ++w) {
      if (cores_[w].is_parked) {
        wake(w, by);
        return;
      }
    }
  }

  using turn = std::pair<time_ns, std::uint32_t>;

  recording out_;
  random_stream random_;
  std::uint64_t budget_;
  std::uint64_t made_ = 0;
  time_ns now_ns_ = 0;
  std::vector<core> cores_;
  std::optional<task> submitted_;
  std::priority_queue<turn, std::vector<turn>, std::greater<>> agenda_;
};

}  // namespace

recording made_up(std::uint32_t workers, std::uint64_t tasks, std::uint64_t seed) {
  return world{workers, tasks, seed}.run();
}

recording with_gaps() {
  recording out = made_up(3, 60, 5);
  const auto drop = [&](std::vector<event>& from, std::size_t first, std::size_t count) {
    event gap = from[first + count - 1];
    gap.kind = event_kind::dropped;
    gap.task = k_no_task;
    gap.detail = k_no_detail;
    gap.argument = count;
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
    from.insert(from.erase(begin, begin + static_cast<std::ptrdiff_t>(count)), gap);
  };
  drop(out.workers[1], out.workers[1].size() / 3, out.workers[1].size() / 3);
  drop(out.workers[2], out.workers[2].size() - 8, 8);
  // The first task that worker 0 starts and ends itself blocks for the middle of its time.
  auto& list = out.workers[0];
  for (std::size_t i = 0; i + 1 != list.size(); ++i) {
    if (list[i].kind != event_kind::start || list[i + 1].kind != event_kind::end) continue;
    event block = list[i], unblock = list[i];
    const time_ns third_ns = (list[i + 1].time_ns - list[i].time_ns) / 3;
    block.kind = event_kind::block;
    block.time_ns += third_ns;
    unblock.kind = event_kind::unblock;
    unblock.time_ns += 2 * third_ns;
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(i) + 1, {block, unblock});
    break;
  }
  return out;
}

recording recorded(std::uint32_t workers, std::uint64_t tasks) {
  session recorder{{.workers = workers,
                    .ring_events = std::size_t{1} << 18,
                    .about = {.seed = 1, .source = "threads", .policy = "default", .version = "0.1.0"}}};
  options chosen;
  chosen.workers = workers;
  chosen.trace = &recorder;
  {
    runtime rt{chosen};
    std::atomic<std::uint64_t> sink{0};
    const std::function<void(std::uint64_t)> grow = [&](std::uint64_t size) {
      std::uint64_t value = size;
      for (int i = 0; i != 20'000; ++i) value = value * 6364136223846793005u + 1442695040888963407u;
      sink.fetch_add(value, std::memory_order_relaxed);  // statistic
      if (size <= 1) return;
      rt.spawn([&grow, half = (size - 1) / 2] { grow(half); }, {.name = "left"});
      rt.spawn([&grow, half = size / 2] { grow(half); }, {.name = "right"});
    };
    recorder.start();
    rt.spawn([&] { grow(tasks); }, {.name = "root"});
    rt.wait_idle();
    recorder.stop();
  }
  return recorder.collect();
}

recording simulated(std::uint32_t workers, std::uint32_t depth) {
  sim::machine_model machine = sim::machine_model::free(workers);
  machine.costs.steal = {{200, 50, 80}};
  sim::fork_join_tree tree{{.depth = depth, .before_ns = 300, .after_ns = 200, .leaf_ns = 2'000, .work_first = true}};
  recording out;
  (void)sim::simulate(machine, {}, tree, {.record = &out});
  std::string nodes;
  for (std::uint32_t w = 0; w != workers; ++w) nodes.append(w == 0 ? "" : " ").append(std::to_string(w % 2));
  out.about.version = "0.1.0";
  out.about.extra = {{"numa_nodes", nodes}};
  return out;
}

}  // namespace filch_report_test
