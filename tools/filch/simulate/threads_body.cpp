#include "threads_body.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <filch/runtime/runtime.hpp>
#include <filch/trace/session.hpp>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "../burn.hpp"
#include "../errors.hpp"
#include "../plan.hpp"
#include "../progress.hpp"

namespace filch::tool {
namespace {

// A task of the workload. Lives until the end of the run, because its name does.
struct live_task {
  sim::task state;
  live_task* parent = nullptr;
  std::string name;
  std::uint32_t children = 0;
  bool is_suspended = false;
};

// Everything that a workload can see or change is guarded by one mutex: workloads know nothing of threads.
class live_workload final : private sim::task_context {
 public:
  live_workload(runtime& on, sim::workload& load, double time_scale)
      : runtime_{on}, load_{load}, time_scale_{time_scale}, executed_(on.workers()), busy_ns_(on.workers()) {}

  // Submits what comes from outside at its time, and returns when all is done.
  void run(std::uint64_t expected) {
    const progress shown{expected, done_};
    began_ns_ = monotonic_now_ns();
    sim::arrival next;
    bool is_there = next_arrival(next);
    while (is_there) {
      const time_ns wait_ns = began_ns_ + scaled_ns(next.at_ns) - monotonic_now_ns();
      if (wait_ns > 0) {
        flush_loads();
        std::this_thread::sleep_for(std::chrono::nanoseconds{wait_ns});
      }
      admit(next);
      is_there = next_arrival(next);
      if (is_there) continue;
      flush_loads();
      runtime_.wait_idle();
      is_there = next_after_all(next);
    }
  }

  void account(executed_plan& into) const {
    into.executed = executed_;
    into.busy_ns = busy_ns_;
    into.loaders = extra_;
    into.tasks = done_.load(std::memory_order_relaxed);  // ordered by the mutex and by wait_idle
    into.work_ns = work_ns_;
    into.wall_ns = last_ns_ - began_ns_;
  }
  [[nodiscard]] std::size_t made() const { return tasks_.size(); }

 private:
  [[nodiscard]] time_ns scaled_ns(time_ns span_ns) const {
    return static_cast<time_ns>(static_cast<double>(span_ns) * time_scale_);
  }

  [[nodiscard]] time_ns unscaled_ns(time_ns span_ns) const {
    return static_cast<time_ns>(static_cast<double>(span_ns) / time_scale_);
  }

  bool next_arrival(sim::arrival& out) {
    const std::lock_guard lock{mutex_};
    return load_.next_arrival(out);
  }

  // What comes when all that came before has ended.
  bool next_after_all(sim::arrival& out) {
    const std::lock_guard lock{mutex_};
    return load_.next_after_all(unscaled_ns(monotonic_now_ns() - began_ns_), out);
  }

  // ---- from outside -------------------------------------------------------------------------------------------------

  void admit(const sim::arrival& what) {
    live_task* made = nullptr;
    {
      const std::lock_guard lock{mutex_};
      made = &make(what.words[0], what.words[1], what.band, nullptr);
    }
    switch (what.where.what) {
      case sim::target::kind::pinned:
        (void)runtime_.submit_to(what.where.worker, [this, made] { drive(made); }, options_of(*made));
        break;
      case sim::target::kind::worker:
        loads_.resize(runtime_.workers());
        loads_[what.where.worker.value].push_back(made);
        break;
      case sim::target::kind::policy:
      case sim::target::kind::injector:
        spawn_on_runtime(made);
    }
  }

  // One loading task for each worker that has got something.
  void flush_loads() {
    for (std::uint32_t w = 0; w != loads_.size(); ++w) {
      if (loads_[w].empty()) continue;
      (void)runtime_.submit_to(worker_id{w},
                               [this, there = std::move(loads_[w])] {
                                 for (live_task* const each : there) spawn_on_runtime(each);
                               },
                               {.name = k_loader_name});
      loads_[w].clear();
      const std::lock_guard lock{mutex_};
      ++extra_;
    }
  }

  // ---- on workers ---------------------------------------------------------------------------------------------------

  static submit_options options_of(const live_task& of) { return {.priority = of.state.band, .name = of.name.c_str()}; }

  void spawn_on_runtime(live_task* what) {
    runtime_.spawn([this, what] { drive(what); }, options_of(*what));
  }

  // Runs the task until it ends or waits; the worker of the last child resumes the parent.
  void drive(live_task* current) {
    const time_ns start_ns = monotonic_now_ns();
    while (current != nullptr) current = advance(*current);
    const time_ns end_ns = monotonic_now_ns();
    const std::lock_guard lock{mutex_};
    busy_ns_[this_worker().value] += end_ns - start_ns;
    last_ns_ = std::max(last_ns_, end_ns);
  }

  // One answer of the workload. Returns what the worker does next; nullptr: something else.
  live_task* advance(live_task& subject) {
    std::vector<live_task*> fresh;
    sim::next_step next;
    bool is_waiting = false;
    {
      const std::lock_guard lock{mutex_};
      asked_ = &subject;
      next = load_.resume(subject.state, *this);
      ++subject.state.stage;
      fresh.swap(fresh_);
      if (next.what == sim::next_step::kind::work) work_ns_ += scaled_ns(next.work_ns);
      is_waiting = (next.what == sim::next_step::kind::join && subject.state.pending != 0) ||
                   (next.what == sim::next_step::kind::wait && waits_for(next.signal, subject));
      subject.is_suspended = is_waiting;  // from here on the worker of the last child may resume it
      if (next.what == sim::next_step::kind::fork) ++extra_;
    }
    live_task* const child = next.what == sim::next_step::kind::fork ? fresh.back() : nullptr;
    if (child != nullptr) fresh.pop_back();
    for (live_task* const each : fresh) spawn_on_runtime(each);
    switch (next.what) {
      case sim::next_step::kind::work:
        burn_cpu(scaled_ns(next.work_ns));
        return &subject;
      case sim::next_step::kind::fork:
        spawn_on_runtime(&subject);
        return child;
      case sim::next_step::kind::join:
      case sim::next_step::kind::wait:
        return is_waiting ? nullptr : &subject;
      case sim::next_step::kind::end:
        break;
    }
    return finish(subject, next.signal);
  }

  live_task* finish(live_task& subject, std::uint64_t signal) {
    const std::lock_guard lock{mutex_};
    ++executed_[this_worker().value];
    done_.fetch_add(1, std::memory_order_relaxed);  // statistic
    if (signal != sim::next_step::k_no_signal) {
      if (live_task* const waiter = take_waiter(signal); waiter != nullptr) return waiter;
    }
    live_task* const parent = subject.parent;
    if (parent == nullptr || --parent->state.pending != 0 || !parent->is_suspended) return nullptr;
    parent->is_suspended = false;
    return parent;
  }

  // ---- signals; the mutex is held -----------------------------------------------------------------------------------

  // False: the signal has been given.
  bool waits_for(std::uint64_t which, live_task& who) {
    signal_state& state = signals_[which];
    if (!state.is_given) state.waiter = &who;
    return !state.is_given;
  }

  live_task* take_waiter(std::uint64_t which) {
    signal_state& state = signals_[which];
    state.is_given = true;
    return std::exchange(state.waiter, nullptr);
  }

  // ---- what a task can do while it is asked; the mutex is held ------------------------------------------------------

  live_task& make(std::uint64_t word0, std::uint64_t word1, policy::priority band, live_task* maker) {
    live_task& made = tasks_.emplace_back();
    made.state.number = tasks_.size() - 1;
    made.state.words[0] = word0;
    made.state.words[1] = word1;
    made.state.band = band;
    made.name = maker == nullptr ? numbered("T", ++roots_) : maker->name + "." + std::to_string(maker->children++);
    return made;
  }

  void spawn(std::uint64_t word0, std::uint64_t word1, policy::priority band) override {
    live_task& child = make(word0, word1, band, asked_);
    child.parent = asked_;
    ++asked_->state.pending;
    fresh_.push_back(&child);
  }
  void release(std::uint64_t word0, std::uint64_t word1, policy::priority band) override {
    fresh_.push_back(&make(word0, word1, band, asked_));
  }
  void inject(std::uint64_t word0, std::uint64_t word1, policy::priority band) override { release(word0, word1, band); }
  void signal(std::uint64_t which) override {
    if (live_task* const waiter = take_waiter(which); waiter != nullptr) {
      fresh_.push_back(waiter);
      ++extra_;
    }
  }
  [[nodiscard]] time_ns now_ns() const override {
    return static_cast<time_ns>(static_cast<double>(monotonic_now_ns() - began_ns_) / time_scale_);
  }
  [[nodiscard]] worker_id worker() const override { return this_worker(); }
  // Others' queues cannot be seen; a task that asks is told that thieves are hungry.
  [[nodiscard]] std::uint32_t queue_size() const override { return 0; }

  // Fixed.
  runtime& runtime_;
  sim::workload& load_;
  double time_scale_;
  time_ns began_ns_ = 0;  // before the first submission

  // The submitting thread's.
  std::vector<std::vector<live_task*>> loads_;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::deque<live_task> tasks_;
  live_task* asked_ = nullptr;
  std::vector<live_task*> fresh_;  // what the task that is asked has made
  struct signal_state {
    live_task* waiter = nullptr;
    bool is_given = false;
  };
  std::unordered_map<std::uint64_t, signal_state> signals_;
  std::uint32_t roots_ = 0;
  // Tasks of the runtime that are none of the workload: loaders, parents that forked, and those that got a signal.
  std::uint64_t extra_ = 0;
  std::vector<std::uint64_t> executed_;
  std::vector<time_ns> busy_ns_;
  time_ns work_ns_ = 0;
  time_ns last_ns_ = 0;

  std::atomic<std::uint64_t> done_{0};
};

void check(const executed_plan& done, std::size_t made, const std::string& scenario) {
  const trace::count_values total = done.statistics.total();
  const auto expect = [&](std::uint64_t is, std::uint64_t should, const char* what) {
    if (is == should) return;
    throw failure(scenario + ": " + std::to_string(is) + " " + what + ", expected are " + std::to_string(should));
  };
  expect(done.tasks, made, "tasks ended");
  expect(total[trace::count::executed], done.tasks + done.loaders, "tasks of the runtime ran");
  expect(done.statistics.unfinished(), 0, "tasks are unfinished");
  expect(total[trace::count::stolen_by_me], total[trace::count::stolen_from_me], "tasks were stolen");
}

}  // namespace

executed_plan run_on_threads(const scenario::document& what, const threads_options& how) {
  filch::options chosen = how.runtime;
  executed_plan done;
  trace::session session{session_for(chosen, what.name, how.time_scale)};
  chosen.trace = &session;
  const auto load = scenario::make_workload(what, chosen.seed);
  {
    runtime rt{chosen};
    done.workers = rt.workers();
    live_workload run{rt, *load, how.time_scale};
    session.start();
    run.run(how.tasks);
    session.stop();
    done.statistics = rt.statistics();
    run.account(done);
    check(done, run.made(), what.name);
    done.recording = session.collect();  // while the names live
  }
  return done;
}

}  // namespace filch::tool
