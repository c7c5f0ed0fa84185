#include "joins_body.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filch/coro/spawn.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/trace/session.hpp>
#include <mutex>
#include <thread>

#include "../burn.hpp"
#include "../errors.hpp"
#include "../plan.hpp"
#include "../progress.hpp"

namespace filch::tool {
namespace {

enum class phase : std::uint8_t { queued, runs, waits, ended };

// A task of the workload. Lives until the end of the run, because its name does.
struct joining_task {
  sim::task state;
  joining_task* parent = nullptr;
  std::string name;
  std::vector<joining_task*> children{};
  phase now = phase::queued;
  worker_id where = worker_id::none();  // of one that waits in a blocking join
};

// Everything but the burning of time is guarded by one mutex.
class joining_run final : private sim::task_context {
 public:
  joining_run(runtime& on, sim::workload& load, const joins_options& how)
      : runtime_{on}, load_{load}, how_{how}, executed_(on.workers()), busy_ns_(on.workers()) {}

  // Submits the tasks from outside at their times, and returns when all tasks have ended or none can run.
  void run() {
    const progress shown{how_.tasks, done_};
    began_ns_ = monotonic_now_ns();
    sim::arrival next;
    bool is_there = next_arrival(next);
    while (is_there) {
      std::unique_lock lock{mutex_};
      const auto wait = std::chrono::nanoseconds{began_ns_ + scaled_ns(next.at_ns) - monotonic_now_ns()};
      if (changed_.wait_for(lock, wait, [this] { return is_stuck(); })) return;
      joining_task& made = make(next.words[0], next.words[1], next.band, nullptr);
      lock.unlock();
      filch::spawn(runtime_, live(made), options_of(made)).detach();
      is_there = next_arrival(next);
      if (is_there) continue;
      wait_for_all();
      is_there = next_after_all(next);
    }
  }

  // When nothing runs any more.
  void account(joined_run& into) const {
    into.done.executed = executed_;
    into.done.busy_ns = busy_ns_;
    into.done.tasks = ended_;
    into.done.work_ns = work_ns_;
    into.done.wall_ns = std::max<time_ns>(last_ns_ - began_ns_, 1);
    into.stuck = stuck_;
    into.unfinished = unfinished_;
    into.stuck_at_s = static_cast<double>(last_ns_ - began_ns_) * 1e-9 / how_.time_scale;
  }

 private:
  [[nodiscard]] time_ns scaled_ns(time_ns span_ns) const {
    return static_cast<time_ns>(static_cast<double>(span_ns) * how_.time_scale);
  }
  [[nodiscard]] bool is_stuck() const { return !stuck_.empty(); }

  bool next_arrival(sim::arrival& out) {
    const std::lock_guard lock{mutex_};
    return !is_stuck() && load_.next_arrival(out);
  }

  // All have ended, or none can run.
  void wait_for_all() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return is_stuck() || ended_ == tasks_.size(); });
  }
  // What comes when all that came before has ended.
  bool next_after_all(sim::arrival& out) {
    const std::lock_guard lock{mutex_};
    const double passed_ns = static_cast<double>(monotonic_now_ns() - began_ns_) / how_.time_scale;
    return !is_stuck() && load_.next_after_all(static_cast<time_ns>(passed_ns), out);
  }

  static submit_options options_of(const joining_task& of) {
    return {.priority = of.state.band, .name = of.name.c_str()};
  }

  // ---- a task -------------------------------------------------------------------------------------------------------

  task<> live(joining_task& self) {
    std::vector<join_handle<void>> children;
    if (!begin(self)) co_return;
    for (;;) {
      std::vector<joining_task*> fresh;
      const sim::next_step next = ask(self, fresh);
      for (joining_task* const each : fresh) {
        join_handle<void> child = filch::spawn(live(*each), options_of(*each));
        if (!how_.is_blocking && each->parent == &self) children.push_back(std::move(child));
      }
      if (next.what == sim::next_step::kind::work) burn(scaled_ns(next.work_ns));
      if (next.what == sim::next_step::kind::end) break;
      if (next.what != sim::next_step::kind::join) continue;
      if (how_.is_blocking) {
        if (!sit_in_join(self)) co_return;
      } else {
        for (join_handle<void>& each : children) co_await std::move(each);
        children.clear();
      }
    }
    finish(self);
  }

  // False: no task can run, and the run is given up.
  bool begin(joining_task& self) {
    const std::lock_guard lock{mutex_};
    self.now = phase::runs;
    return !is_stuck();
  }

  sim::next_step ask(joining_task& self, std::vector<joining_task*>& fresh) {
    const std::lock_guard lock{mutex_};
    asked_ = &self;
    const sim::next_step next = load_.resume(self.state, *this);
    ++self.state.stage;
    fresh.swap(fresh_);
    if (next.what == sim::next_step::kind::work) work_ns_ += scaled_ns(next.work_ns);
    return next;
  }

  void burn(time_ns span_ns) {
    const time_ns start_ns = monotonic_now_ns();
    burn_cpu(span_ns);
    const time_ns end_ns = monotonic_now_ns();
    const std::lock_guard lock{mutex_};
    busy_ns_[this_worker().value] += end_ns - start_ns;
    last_ns_ = std::max(last_ns_, end_ns);
  }

  // The worker's thread waits until all children have ended. False: it would wait for ever.
  bool sit_in_join(joining_task& self) {
    std::unique_lock lock{mutex_};
    if (self.state.pending == 0) return true;
    self.now = phase::waits;
    self.where = this_worker();
    if (++sitting_ == runtime_.workers()) {
      give_up();
      return false;
    }
    changed_.wait(lock, [&] { return is_stuck() || self.now == phase::runs; });
    return !is_stuck();
  }

  void finish(joining_task& self) {
    const std::lock_guard lock{mutex_};
    ++executed_[this_worker().value];
    self.now = phase::ended;
    ++ended_;
    done_.fetch_add(1, std::memory_order_relaxed);  // statistic
    joining_task* const parent = self.parent;
    if (parent != nullptr && --parent->state.pending == 0 && parent->now == phase::waits) {
      parent->now = phase::runs;
      --sitting_;
    }
    changed_.notify_all();
  }

  // ---- with the mutex held ------------------------------------------------------------------------------------------

  // Every worker's thread sits in a join.
  void give_up() {
    for (std::uint32_t w = 0; w != runtime_.workers(); ++w) {
      for (const joining_task& each : tasks_) {
        if (each.now == phase::waits && each.where == worker_id{w}) stuck_.push_back(line_about(each));
      }
    }
    unfinished_ = tasks_.size() - ended_;
    last_ns_ = std::max(last_ns_, monotonic_now_ns());
    changed_.notify_all();
  }

  static std::string line_about(const joining_task& of) {
    std::string text = "worker " + std::to_string(of.where.value) + " sits in the join of " + of.name;
    for (const joining_task* const child : of.children) {
      if (child->now == phase::ended) continue;
      text.append(", which waits for ").append(child->name);
      if (child->now == phase::queued) return text.append(", which lies in a queue");
      return text.append(", which sits in a join on worker ").append(std::to_string(child->where.value));
    }
    return text;
  }

  joining_task& make(std::uint64_t word0, std::uint64_t word1, policy::priority band, joining_task* maker) {
    joining_task& made = tasks_.emplace_back();
    made.state.number = tasks_.size() - 1;
    made.state.words[0] = word0;
    made.state.words[1] = word1;
    made.state.band = band;
    made.name = maker == nullptr ? numbered("T", ++roots_) : maker->name + "." + std::to_string(maker->children.size());
    if (maker != nullptr) maker->children.push_back(&made);
    return made;
  }

  // What a task can do while it is asked.
  void spawn(std::uint64_t word0, std::uint64_t word1, policy::priority band) override {
    joining_task& child = make(word0, word1, band, asked_);
    child.parent = asked_;
    ++asked_->state.pending;
    fresh_.push_back(&child);
  }
  void release(std::uint64_t word0, std::uint64_t word1, policy::priority band) override {
    fresh_.push_back(&make(word0, word1, band, asked_));
  }
  void inject(std::uint64_t word0, std::uint64_t word1, policy::priority band) override { release(word0, word1, band); }
  [[nodiscard]] time_ns now_ns() const override {
    return static_cast<time_ns>(static_cast<double>(monotonic_now_ns() - began_ns_) / how_.time_scale);
  }
  [[nodiscard]] worker_id worker() const override { return this_worker(); }
  // The queues of other workers cannot be seen; a task that asks learns that thieves are hungry.
  [[nodiscard]] std::uint32_t queue_size() const override { return 0; }

  // Fixed.
  runtime& runtime_;
  sim::workload& load_;
  const joins_options how_;
  time_ns began_ns_ = 0;  // before the first submission

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<joining_task> tasks_;
  joining_task* asked_ = nullptr;
  std::vector<joining_task*> fresh_;  // what the task that is asked has made
  std::uint32_t roots_ = 0;
  std::uint32_t sitting_ = 0;  // workers whose thread waits in a join
  std::size_t ended_ = 0;
  std::vector<std::string> stuck_;
  std::size_t unfinished_ = 0;
  std::vector<std::uint64_t> executed_;
  std::vector<time_ns> busy_ns_;
  time_ns work_ns_ = 0;
  time_ns last_ns_ = 0;

  std::atomic<std::uint64_t> done_{0};
};

}  // namespace

joined_run run_joins(const scenario::document& what, const joins_options& how) {
  filch::options chosen = how.runtime;
  joined_run made;
  trace::session session{session_for(chosen, what.name, how.time_scale)};
  chosen.trace = &session;
  const auto load = scenario::make_workload(what, chosen.seed);
  runtime rt{chosen};
  made.done.workers = rt.workers();
  joining_run run{rt, *load, how};
  session.start();
  run.run();
  rt.wait_idle();
  session.stop();
  made.done.statistics = rt.statistics();
  run.account(made);
  made.done.recording = session.collect();  // while the names live
  return made;
}

}  // namespace filch::tool
