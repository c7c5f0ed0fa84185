// The inside of a runtime: its workers, the queues they share, and the state of its life.
//
// Who may call what: any thread, unless a function says otherwise.
#pragma once

#include "crew.hpp"
#include "fork_recording.hpp"
#include "external_threads.hpp"
#include "share/lingering.hpp"
#include "monitor.hpp"
#include "watchdog.hpp"
#include "self_recording.hpp"
#include "wait_graph.hpp"
#include "worker.hpp"

#include <filch/base/atomics.hpp>
#include <filch/base/random.hpp>
#include <filch/park/event_count.hpp>
#include <filch/park/idle.hpp>
#include <filch/park/wait_source.hpp>
#include <filch/policy/placement.hpp>
#include <filch/policy/wake.hpp>
#include <filch/queue/injector.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/topology/distance_table.hpp>
#include <filch/topology/usable_cpus.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace filch::inline v0 {

// How far a runtime's life has come. It only goes forward.
enum class life : std::uint8_t {
  open,
  draining,    // no submissions from outside any more
  cancelling,  // what has not started is cancelled
  stopped,     // nothing is left, threads end
};

// Counts the forks between the process in which this was first called and this one.
[[nodiscard]] std::uint32_t fork_generation();

class runtime::core {
 public:
  explicit core(options given);
  ~core();

  // ---- submitting ----
  void require_open() const;
  void enqueue(task_base& made, worker_id pinned, const submit_options& how);
  void place(task_base& made, worker_id at);
  // A coroutine that has not started: its turn comes as a task's would. Throws as submit does; then it is still the
  // caller's.
  void spawn(coroutine_entry& entry, const submit_options& how);
  // What waited resumes in its turn. Any thread, also while the runtime drains: somebody counts until it has ended, so
  // the runtime is there; and it stays until this returns. The entry may be gone then. `why` is what it waited for, for
  // recordings: a literal, or null.
  void put_back(suspended_stack& entry, const char* why = nullptr) noexcept;
  void put_back(coroutine_entry& entry, const char* why = nullptr) noexcept;
  // Of a coroutine that comes from another runtime. Throws usage_error if this one takes nobody any more.
  void take_in(coroutine_entry& entry);
  // By a worker of this runtime: behind the others that are ready there; or to that worker, where it stays.
  void put_behind(coroutine_entry& entry) noexcept;
  void put_at(coroutine_entry& entry, worker_id at) noexcept;
  // The entry becomes a task in the books of its maker.
  void number(coroutine_entry& entry, worker& from) noexcept;
  // Into the worker's own deque, and nobody is told; into the injector if the deque cannot grow.
  void push_own_quietly(queue_entry& entry, worker& me) noexcept;
  // A worker of this runtime has taken something from the bounded injector.
  void made_room();

  // Has each worker a CPU of its own, which it does not leave?
  [[nodiscard]] bool binds_workers() const { return chosen.pinning > pinning::apart; }

  // ---- what workers ask ----
  // Is there anything that this worker could do? Looks everywhere; true in doubt.
  [[nodiscard]] bool has_work_for(const worker& who) const;
  // There is new work at `origin`, or in the injector for none: wakes whom the policy says.
  void notify(worker_id origin);
  // Any thread: may one more worker be woken for latent forks? A external thread that computes takes the place of one worker. The
  // caller may be a worker that has announced its sleep.
  [[nodiscard]] bool has_place_for_sleeper() const;
  // A worker that is awake: may it take latent forks? Not if all are awake beside a external thread that computes.
  [[nodiscard]] bool has_place_here() const;
  [[nodiscard]] life life_now() const {
    return life_.load(std::memory_order_relaxed);  // ordered by [R7]: every sleeper looks again after its fence
  }
  // A task was cancelled because of the deadline of a shutdown. Before it is counted as finished.
  void note_cut_short() {
    has_cut_short_.store(true, std::memory_order_relaxed);  // ordered by [R4], the end of the task
  }
  // Called by a worker that found nothing: if everything is done, whoever waits for that is told.
  void note_idle();
  [[nodiscard]] std::uint32_t distance(worker_id a, worker_id b) const { return distances_.between(a, b); }

  // ---- wait sources ----
  // A source becomes ready at that time. It has noted it where its deadline_ns() looks.
  void note_deadline(time_ns at_ns) { answer(sources.keeper.lower(at_ns)); }
  // A worker: if a source is ready by now, takes what it has. True if there was anything.
  [[nodiscard]] bool poll_sources();

  // ---- blocking ----
  // Gives the calling thread's worker away. False: it must keep it.
  [[nodiscard]] bool leave_worker(stand_in how = stand_in::within_bound);
  void return_to_worker(task_record& running);

  // ---- life ----
  [[nodiscard]] bool wait_idle(time_ns deadline_ns);
  [[nodiscard]] bool shutdown(time_ns deadline_ns);
  // Does the calling thread hold one of this runtime's workers?
  [[nodiscard]] bool is_own_worker() const;
  // Is it a thread of this runtime, which perhaps holds no worker because its task blocks?
  [[nodiscard]] bool is_own_thread() const;
  // Has a task of this runtime called exit(), on the calling thread?
  [[nodiscard]] bool is_in_exit_here() const;
  [[nodiscard]] bool is_forked_child() const;

  // ---- telling ----
  [[nodiscard]] filch::statistics statistics() const;
  [[nodiscard]] std::string dump() const;
  void report(const std::string& text) const;

  // Immutable once the workers run.
  options chosen;
  policy::search_options search_options;
  std::string why_so_many;
  std::deque<worker> workers;
  bool measures_tasks = false;  // the watchdog wants to know when each task began
  bool tracks_tasks = false;    // in the registry of tasks
  bool has_cpu_each = false;    // there are at least as many CPUs as workers
  bool keeps_apart = false;     // workers that find themselves on one CPU move

  // Any thread.
  park::idle<>& idle() { return *idle_; }
  lingering_count<> lingering;  // of those who sleep
  queue::injector<>& injector_of(policy::priority band) { return injectors_[static_cast<std::size_t>(band)]; }
  [[nodiscard]] bool bands_in_use() const {
    return bands_in_use_.load(std::memory_order_relaxed);  // hint: a late reader looks at the other bands later
  }
  filch::crew& crew() { return *crew_; }
  stack_pool& stacks() { return *stacks_; }
  external_threads& external() { return external_; }
  [[nodiscard]] bool records_forks() const {
    return chosen.trace != nullptr && chosen.trace->forks() != trace::fork_detail::stolen &&
           chosen.trace->is_recording();
  }
  // Is there work that this one could do, if its owner were asked or visited?
  [[nodiscard]] bool is_work_withheld_from(const worker& who) const;
  // The calling thread goes to where no worker but `who` runs, if it can.
  void leave_crowded_cpus(const worker* who) const noexcept;
  // `who` has announced its sleep, and sleeps until it is chosen or that time; a sleep that may be long only where no
  // other worker runs now, so that the system does not wake it behind one.
  void sleep_apart(const worker& who, time_ns until_ns) noexcept;
  // One who lingers asks for what was deferred to those who sleep, where it may. True: it has asked.
  bool flush_deferred_requests(const worker& who) noexcept;
  [[nodiscard]] bool has_deferred_requests() const;
  // Somebody owes a request to those who sleep: one who lingers makes it, or the monitor thread does.
  void announce_deferred() noexcept {
    if (!lingering.is_seen_to()) call_monitor();
  }
  // A worker goes to sleep although there is latent work, or a external thread has come. Where there is no monitor thread, what was deferred
  // is asked for at once.
  void call_monitor() noexcept;
  // stack_exhausted is on its way. For a while nothing is offered: whoever took a fork of a recursion without end would
  // begin it anew, and come to the same end, and so on.
  void note_exhausted() noexcept {
    exhausted_ns_.store(monotonic_now_ns(), std::memory_order_relaxed);  // hint
  }
  [[nodiscard]] bool is_exhausted() const noexcept {
    constexpr time_ns k_while_ns = 10 * k_ns_per_ms;                      // guess
    const time_ns at_ns = exhausted_ns_.load(std::memory_order_relaxed);  // hint
    return at_ns != 0 && monotonic_now_ns() - at_ns < k_while_ns;
  }
  // See monitor thread.
  [[nodiscard]] bool can_visit() const noexcept { return monitor_->can_visit(); }
  [[nodiscard]] bool visit_for(const worker& who) noexcept { return monitor_->visit_for(who); }
  // Is there a monitor thread that visits?
  [[nodiscard]] bool has_visitor() const noexcept { return monitor_->is_there() && monitor_->can_visit(); }
  // The calling thread may run wherever the runtime's creator might, if the first threads are bound at their beginning.
  void unbind_thread() const noexcept;
  // After an offer: the monitor thread sees to it that somebody comes for it.
  [[nodiscard]] bool is_watched() noexcept { return monitor_->is_watching(); }
  [[nodiscard]] bool may_visit() const { return monitor_->may_visit(); }
  wait_graph waits;
  park::source_set sources;

 private:
  void choose_machine();
  void start_crew(std::uint32_t wanted);
  void thread_main(std::uint32_t number) noexcept;
  static void start_thread() noexcept;
  static void start_bound_thread() noexcept;
  [[nodiscard]] bool is_accepting() const;
  [[noreturn]] static void throw_shut_down();
  void take_back_outside(task_id made);
  [[nodiscard]] bool admit_outside(task_id& made, const char* name);
  void trace_outside_spawn(task_id made, const char* name) noexcept;
  void number_task(task_base& made, worker* from);
  void trace_woken(task_id who, worker* me, const char* why) noexcept;
  [[nodiscard]] bool inject(queue_entry& made, task_id id, const submit_options& how);
  [[nodiscard]] bool push_bounded(queue_entry& made, queue::injector<>& into, const submit_options& how);
  [[nodiscard]] bool is_quiescent() const;
  void report_long_tasks();
  void answer(park::keeper_call call);
  void go_to(life next);
  void drop_empty_entries();
  void wait_for_the_rest(bool is_late);
  [[nodiscard]] bool all_sleep() const;
  void push_injected(queue_entry& entry) noexcept;
  void push_own(queue_entry& entry, worker& me) noexcept;
  void make_ready(coroutine_entry& entry, worker& me) noexcept;
  void pin(queue_entry& entry, worker_id at, worker* from) noexcept;
  // Where workers but `who` run.
  [[nodiscard]] topology::cpu_set cpus_of_others(const worker* who) const;

  owned_session own_session_;  // chosen.trace, when FILCH_TRACE asked for it: ends after the threads

  topology::usable_cpus_result usable_;
  // where the first threads may run, which are bound until they begin; none: they are not
  std::optional<topology::cpu_set> unbound_;
  std::vector<topology::cpu_number> cpu_of_worker_;
  topology::distance_table distances_;
  const std::uint32_t fork_generation_;
  std_atomics::atomic<time_ns> exhausted_ns_{0};  // when stack_exhausted was on its way the last time; 0: never

  std::unique_ptr<queue::injector<>[]> injectors_;
  std::optional<park::idle<>> idle_;
  std::optional<stack_pool> stacks_;
  std::optional<filch::crew> crew_;
  std::optional<watchdog> watchdog_;
  external_threads external_{*this};
  [[nodiscard]] bool is_external_computing() const;
  std::optional<monitor> monitor_;
  std::optional<fork_heartbeat> beat_;

  std_atomics::atomic<life> life_{life::open};
  std_atomics::atomic<bool> bands_in_use_{false};
  std_atomics::atomic<bool> has_cut_short_{false};
  std_atomics::atomic<std::uint32_t> visitors_{0};  // threads of others that are in `put_back`
  task_counts<> outside_books_;  // finished: those that were refused by the full injector, or came too late

  random_stream wake_random_;  // guarded by the mutex inside idle_

  std::mutex placement_mutex_;
  // Guarded by placement_mutex_.
  std::optional<policy::placement_policy> placement_;
  random_stream placement_random_;

  park::event_count<> became_idle_;
  park::event_count<> has_room_;

  std::mutex life_mutex_;  // held by who stops the threads

  std::vector<std::uint64_t> reported_tasks_;  // by worker, the last task the watchdog told of; the watchdog's own
};

}  // namespace filch::inline v0
