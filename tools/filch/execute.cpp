#include "execute.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <filch/policy/options.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/topology/usable_cpus.hpp>
#include <filch/trace/session.hpp>
#include <memory>
#include <thread>

#include "burn.hpp"
#include "errors.hpp"
#include "progress.hpp"

namespace filch::tool {
namespace {

// What is known of one task after the run. Written by the worker that ran it, read when the runtime is idle.
struct ledger_entry {
  std::atomic<std::uint32_t> runs{0};
  worker_id worker = worker_id::none();
  time_ns start_ns = 0;
  time_ns end_ns = 0;
};

class plan_run {
 public:
  plan_run(runtime& on, std::size_t tasks) : runtime_{on}, size_{tasks}, ledger_{new ledger_entry[tasks]} {}

  // Submits everything and returns when it is done. Returns the number of loading tasks.
  std::uint64_t run(const plan& what) {
    const time_ns began_ns = monotonic_now_ns();
    first_ns_ = began_ns;
    const progress shown{size_, done_};
    std::uint64_t loaders = 0;
    for (std::uint32_t w = 0; w != runtime_.workers(); ++w) loaders += load(what, worker_id{w});
    for (const planned_task& root : what.roots) {
      if (root.home.is_some()) continue;
      const time_ns wait_ns = began_ns + root.arrival_ns - monotonic_now_ns();
      if (wait_ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds{wait_ns});
      spawn(root);
    }
    runtime_.wait_idle();
    return loaders;
  }

  void check(const plan& what, const std::string& workload) const {
    for (const planned_task* each : what.tasks()) {
      const std::uint32_t runs = ledger_[each->number].runs.load(std::memory_order_relaxed);  // statistic
      if (runs != 1) {
        throw failure(workload + ": task " + each->name + " ran " + std::to_string(runs) + " times instead of once");
      }
    }
  }

  void account(executed_plan& into) const {
    time_ns last_ns = first_ns_;
    for (std::size_t i = 0; i != size_; ++i) {
      const ledger_entry& each = ledger_[i];
      ++into.executed[each.worker.value];
      into.busy_ns[each.worker.value] += each.end_ns - each.start_ns;
      last_ns = std::max(last_ns, each.end_ns);
    }
    into.wall_ns = last_ns - first_ns_;
  }

 private:
  // One loading task for what begins at `home`, if anything does.
  std::uint64_t load(const plan& what, worker_id home) {
    std::vector<const planned_task*> there;
    for (const planned_task& root : what.roots) {
      if (root.home == home) there.push_back(&root);
    }
    if (there.empty()) return 0;
    (void)runtime_.submit_to(
        home, [this, there] { std::ranges::for_each(there, [this](const planned_task* each) { spawn(*each); }); },
        {.name = k_loader_name});
    return 1;
  }

  void spawn(const planned_task& task) {
    runtime_.spawn([this, &task] { carry_out(task); }, {.name = task.name.c_str()});
  }

  void carry_out(const planned_task& task) {
    ledger_entry& entry = ledger_[task.number];
    entry.runs.fetch_add(1, std::memory_order_relaxed);  // statistic
    entry.worker = this_worker();
    entry.start_ns = monotonic_now_ns();
    if (task.children.empty()) {
      burn_cpu(task.cpu_ns);
    } else {
      burn_cpu(task.cpu_ns / 2);
      for (const planned_task& child : task.children) spawn(child);
      burn_cpu(task.cpu_ns - task.cpu_ns / 2);
    }
    entry.end_ns = monotonic_now_ns();
    done_.fetch_add(1, std::memory_order_relaxed);  // statistic
  }

  runtime& runtime_;
  std::size_t size_;
  std::unique_ptr<ledger_entry[]> ledger_;
  std::atomic<std::uint64_t> done_{0};
  time_ns first_ns_ = 0;
};

void check_statistics(const executed_plan& done, const std::string& workload) {
  const trace::count_values total = done.statistics.total();
  const auto expect = [&](std::uint64_t is, std::uint64_t should, const char* what) {
    if (is == should) return;
    throw failure(workload + ": the runtime counts " + std::to_string(is) + " " + what + ", expected are " +
                  std::to_string(should));
  };
  expect(total[trace::count::executed], done.tasks + done.loaders, "executed tasks");
  expect(total[trace::count::cancelled], 0, "cancelled tasks");
  expect(done.statistics.unfinished(), 0, "unfinished tasks");
  expect(total[trace::count::stolen_by_me], total[trace::count::stolen_from_me], "stolen tasks");
}

}  // namespace

// None is shorter than 1024 events.
std::size_t ring_events(std::uint32_t workers) {
  return std::bit_floor(std::clamp<std::size_t>((std::size_t{1} << 20) / workers, 1024, std::size_t{1} << 16));
}

std::uint32_t worker_count(const filch::options& of) {
  return of.workers ? *of.workers : topology::usable_cpus().count;
}

trace::session_options session_for(const filch::options& chosen, const std::string& workload, double time_scale) {
  return {.workers = worker_count(chosen),
          .ring_events = ring_events(worker_count(chosen)),
          .about = {.seed = chosen.seed,
                    .source = "threads",
                    .policy = policy::describe(chosen.search()),
                    .version = FILCH_VERSION,
                    .extra = {{"workload", workload},
                              {"time_scale", std::to_string(time_scale)},
                              {"processors", std::to_string(topology::usable_cpus().count)}}},
          .thread_usage = true};
}

executed_plan execute(plan& what, const execute_options& how) {
  filch::options chosen = how.runtime;
  executed_plan done;
  done.tasks = what.number_tasks();
  done.work_ns = what.work_ns();
  trace::session session{session_for(chosen, how.workload, how.time_scale)};
  chosen.trace = &session;
  {
    runtime rt{chosen};
    done.workers = rt.workers();
    plan_run run{rt, done.tasks};
    session.start();
    done.loaders = run.run(what);
    session.stop();
    done.statistics = rt.statistics();
    run.check(what, how.workload);
    done.executed.resize(done.workers);
    done.busy_ns.resize(done.workers);
    run.account(done);
  }
  done.recording = session.collect();
  check_statistics(done, how.workload);
  return done;
}

}  // namespace filch::tool
