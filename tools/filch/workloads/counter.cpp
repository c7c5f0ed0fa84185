// How fast trivial tasks run: ten thousand and a million increments of one counter, by a queue on one thread and by the
// pool, with either kind of deque, spawned inside or submitted from outside.
#include <atomic>
#include <deque>
#include <filch/runtime/runtime.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>

#include "errors.hpp"
#include "text.hpp"
#include "workload.hpp"

namespace filch::tool {
namespace {

constexpr std::uint64_t k_task_counts[] = {10'000, 1'000'000};

struct sample {
  double wall_s = 0;
  std::optional<std::uint64_t> stolen{};
};

class stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return static_cast<double>(monotonic_now_ns() - began_ns_) / static_cast<double>(k_ns_per_s);
  }

 private:
  time_ns began_ns_ = monotonic_now_ns();
};

void require_count(std::uint64_t is, std::uint64_t should) {
  if (is == should) return;
  throw failure("counter: the tasks counted to "s + std::to_string(is) + " instead of " + std::to_string(should));
}

// An executor on one thread: a queue of functions, first all filled in, then all called.
sample run_on_one_thread(std::uint64_t tasks) {
  std::atomic<std::uint64_t> counted{0};
  const stopwatch watch;
  std::deque<std::function<void()>> queue;
  for (std::uint64_t i = 0; i != tasks; ++i) {
    queue.emplace_back([&counted] { counted.fetch_add(1, std::memory_order_relaxed); });  // statistic
  }
  while (!queue.empty()) {
    queue.front()();
    queue.pop_front();
  }
  const double wall_s = watch.seconds();
  require_count(counted.load(std::memory_order_relaxed), tasks);  // statistic
  return {.wall_s = wall_s};
}

sample run_on_pool(const filch::options& chosen, std::uint64_t tasks, bool is_outside) {
  std::atomic<std::uint64_t> counted{0};
  runtime rt{chosen};
  const auto spawn_all = [&] {
    for (std::uint64_t i = 0; i != tasks; ++i) {
      rt.spawn([&counted] { counted.fetch_add(1, std::memory_order_relaxed); }, {.name = "count"});  // statistic
    }
  };
  const stopwatch watch;
  if (is_outside) spawn_all();
  else rt.run(spawn_all);
  rt.wait_idle();
  const double wall_s = watch.seconds();
  require_count(counted.load(std::memory_order_relaxed), tasks);  // ordered by the end of the wait
  return {.wall_s = wall_s, .stolen = rt.statistics().total()[trace::count::stolen_by_me]};
}

struct variant {
  std::string label;
  std::uint32_t workers = 0;  // 0: no pool
  filch::deques deques = filch::deques::lock_free;
  bool is_outside = false;
};

std::vector<variant> variants(const context& in) {
  std::vector<variant> all{{.label = "one thread, std::deque of functions"}};
  const std::uint32_t workers = worker_count(in.runtime);
  for (const auto kind : {deques::lock_free, deques::locked}) {
    if (in.given_deques && *in.given_deques != kind) continue;
    const std::string name = kind == deques::lock_free ? "lock-free" : "locked";
    all.push_back({"pool of 1, "s + name + ", spawned inside", 1, kind, false});
    if (workers == 1) continue;
    const std::string pool = "pool of "s + std::to_string(workers) + ", " + name;
    all.push_back({pool + ", spawned inside", workers, kind, false});
    all.push_back({pool + ", submitted from outside", workers, kind, true});
  }
  return all;
}

std::vector<measurement> run(context& in) {
  std::vector<measurement> all;
  auto& rows = in.json["rows"] = nlohmann::ordered_json::array();
  for (const std::uint64_t tasks : k_task_counts) {
    text_table table{{count_text(tasks, "task"), "time", "tasks/s", "per task", "ratio", "stolen"}};
    double base_s = 0;
    for (const variant& each : variants(in)) {
      filch::options chosen = in.runtime;
      chosen.workers = each.workers;
      chosen.deques = each.deques;
      const sample got = each.workers == 0 ? run_on_one_thread(tasks) : run_on_pool(chosen, tasks, each.is_outside);
      if (each.workers == 0) base_s = got.wall_s;
      const double rate = static_cast<double>(tasks) / got.wall_s;
      table.add({each.label, duration_text(got.wall_s), magnitude_text(rate), duration_text(1 / rate),
                 fixed(base_s / got.wall_s, 2), got.stolen ? std::to_string(*got.stolen) : ""});
      nlohmann::ordered_json row{{"label", each.label},  {"tasks", tasks},      {"workers", each.workers},
                                 {"wall_s", got.wall_s}, {"tasks_per_s", rate}, {"ratio", base_s / got.wall_s}};
      if (got.stolen) row["stolen"] = *got.stolen;
      rows.push_back(std::move(row));
      all.push_back({.label = std::to_string(tasks) + ": " + each.label,
                     .tasks = tasks,
                     .wall_s = got.wall_s,
                     .tasks_per_s = rate,
                     .stolen = got.stolen});
    }
    if (in.is_detailed) in.out << table.text() << "\n";
  }
  if (in.is_detailed) {
    in.out
        << "ratio: how much faster than the queue on one thread, which neither allocates futures nor wakes threads.\n"
           "A task here is one atomic increment, so this measures the cost of a task, not the gain of parallelism.\n";
  }
  return all;
}

}  // namespace

constinit const workload k_counter{
    .name = "counter",
    .help = "10 k and 1 M trivial tasks, on one thread and on the pool, with locked and lock-free deques",
    .has_durations = false,
    .is_recorded = false,
    .set_defaults = [](filch::options& of) { of.workers = 4; },
    .run = run};

}  // namespace filch::tool
