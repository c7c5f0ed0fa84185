// A worker: its queues, its search and its books. It is run by whichever thread of the crew holds it, one at a time.
//
// Who may call what: the thread that holds the worker, unless a function says otherwise.
#pragma once

#include "share/share_point.hpp"
#include "task_counts.hpp"
#include "work_stack.hpp"
#include "worker_queues.hpp"

#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>
#include <filch/base/ids.hpp>
#include <filch/policy/search.hpp>
#include <filch/share/local_work.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/topology/pin_thread.hpp>
#include <filch/trace/counters.hpp>
#include <filch/trace/recorder.hpp>
#include <filch/trace/session.hpp>

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace filch::inline v0 {

// What a worker does, for dumps.
enum class worker_state : std::uint8_t { running, searching, sleeping };

class alignas(k_no_sharing_bytes) worker : public local_work {
 public:
  worker(runtime::core& home, worker_id self);
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  // The worker that the calling thread holds, or nullptr. Read anew by each call: a caller may have changed its worker
  // since the last.
  [[nodiscard]] static worker* current() noexcept { return static_cast<worker*>(current_local_work()); }
  [[gnu::noinline]] static void set_current(worker* held) noexcept;
  // The calling thread holds it, and this is the stack that runs, or none. Where there is nobody to ask for work or to
  // record, the first fork need not look whether somebody has.
  void listen(latent_stack* running) noexcept;
  // The running stack is about to be left, and not for a join: its oldest fork that nobody can take yet is offered.
  void promote_oldest_fork() noexcept;

  // What a thread does with the worker it was given: runs tasks until the runtime stops or the worker is given away.
  // On return the thread holds no worker.
  static void run() noexcept;

  // Runs what was taken out of a queue, and drops the queue's reference to a task.
  static void execute(queue_entry& taken) noexcept;
  // Runs a task that the caller, task `inside`, has claimed because it waits for it.
  static void execute_claimed(task_base& claimed, task_record* inside) noexcept;
  // Runs what was taken out of a queue by task `inside`, which waits, and drops the queue's reference to a task.
  static void execute_inside(queue_entry& taken, task_record* inside) noexcept;

  // The running task is about to leave this worker, unfinished, or has come back.
  void leave_task();
  void go_on_with(task_record* task);

  // One look at all queues, without waiting: for a thread that must wait and may not give its worker away.
  [[nodiscard]] queue_entry* look_everywhere();

  // Which task this worker runs, for itself and for dumps; nullptr for none.
  void publish_task(task_record* running);

  // Puts an entry into the own deque. Throws std::bad_alloc.
  void push(queue_entry& made);
  // Of a coroutine of normal priority that are ready here: as the next, or after all others. Others may get it first.
  enum class turn : std::uint8_t { next, last };
  void put_ready(coroutine_entry& entry, turn when) noexcept;
  // What lies in the deque now comes before coroutines that are ready.
  void look_at_deque_first() noexcept {
    deque_turns_ = std::max(deque_turns_, queues.deque_hint(policy::priority::normal));
  }

  // Any thread: so much that others could have lies here, if they ask.
  [[nodiscard]] std::uint64_t queued_hint() const { return queues.stealable_hint() + ready.size(); }

  // The number in the trace of a name or label, and of what a task is called.
  [[nodiscard]] trace::name_id traced_name(const char* name) noexcept;
  [[nodiscard]] trace::name_id traced_name(const task_base& task) noexcept {
    return traced_name(task.name != nullptr ? task.name : task.label());
  }

  // Are forks to be noted? See fork_recording.hpp.
  [[nodiscard]] bool records_forks() const { return fork_detail != trace::fork_detail::stolen && trace->is_enabled(); }
  // The number of a fork that is noted. They are counted apart from tasks, which `books` counts.
  [[nodiscard]] task_id next_fork_number() {
    return task_id{(std::uint64_t{self.value} + 1) << 44 | std::uint64_t{1} << 43 | recorded_forks_++};
  }

  // Immutable.
  runtime::core& home;
  const worker_id self;

  worker_queues queues;
  share_point point;
  trace::counters<> counters;
  trace::recorder* trace;
  const trace::fork_detail fork_detail;
  task_record* current_task = nullptr;

  // Written by the holder, read by any thread: for wait_idle.
  alignas(k_no_sharing_bytes) task_counts<> books;
  // Written by the holder, read by dumps and the watchdog.
  std_atomics::atomic<const char*> task_name{nullptr};
  std_atomics::atomic<std::uint64_t> task_number{task_id::none().value};
  std_atomics::atomic<time_ns> task_since_ns{0};
  std_atomics::atomic<worker_state> state{worker_state::running};
  // where it ran when its thread began, it found work or woke another
  std_atomics::atomic<std::uint32_t> cpu{k_unknown_cpu};
  // Written by whoever wakes this worker, before its token: the worker that did, or null.
  const worker* woken_by = nullptr;

  static constexpr std::uint32_t k_unknown_cpu = UINT32_MAX;
  [[nodiscard]] static std::uint32_t current_cpu() { return topology::current_cpu().value_or(k_unknown_cpu); }
  void note_cpu() { cpu.store(current_cpu(), std::memory_order_relaxed); }  // statistic
  // Any thread: does it run a task on this CPU? A hint.
  [[nodiscard]] bool works_at(std::uint32_t cpu_number) const;
  // Any thread: it runs, and its joins shall answer (share_point::awaits_join).
  [[nodiscard]] bool awaits_join() const;

 private:
  // A reason to leave the search without a task.
  enum class leave : std::uint8_t { no, stopped, wanted };

  [[nodiscard]] queue_entry* next();
  [[nodiscard]] bool has_new_of_its_own();
  [[nodiscard]] leave must_leave() const;
  [[nodiscard]] worker_queues::look carry_out(const policy::step& step);
  [[nodiscard]] worker_queues::look rob(worker_id victim, policy::priority band);
  [[nodiscard]] worker_queues::look take_offer(share_point& from);
  [[nodiscard]] worker_queues::look take_from_external();
  void ask(share_point& robbed, bool has_taken);
  [[nodiscard]] bool may_have_more(const worker& robbed, const queue_entry& taken) const;
  void pass_on(const worker& robbed);
  void note_not_aged(time_ns offered_ns);
  void judge_batch(time_ns now_ns);
  void keep_ready(std::uint32_t moved);
  [[nodiscard]] worker_queues::look take_child();
  [[nodiscard]] worker_queues::look take_local(policy::priority band);
  [[nodiscard]] bool is_overdue(const queue_entry* offer);
  [[nodiscard]] worker_queues::look pop_own(policy::priority band);
  [[nodiscard]] worker_queues::look take_own_offer();
  [[nodiscard]] coroutine_entry* take_ready() noexcept;
  [[gnu::cold, gnu::noinline]] void share_ready() noexcept;
  [[nodiscard]] bool may_start(coroutine_entry& spawned) noexcept;
  void begin_task();
  static void resume(coroutine_entry& taken, task_record* inside) noexcept;
  void wait(time_ns span_ns);
  void park(time_ns linger_ns);
  void doze(time_ns deadline_ns, time_ns linger_ns);
  // Until then; makes the requests that are owed. When it has made the last one; 0: never.
  time_ns linger(time_ns until_ns);
  // Sees to it that what others keep to themselves is offered.
  void press();
  void leave_crowded_cpu();
  void note_running() noexcept;
  void look_at_sources_in_turn();
  void resign();
  void start_searching();
  void stop_searching();
  void end_search();
  void account_search();
  void trace_resume(const task_record& task);
  void note_before_inside(const task_record* outer) noexcept;
  void prepare_recording_here() noexcept;
  [[nodiscard]] worker_queues::look take_injected(policy::priority band);
  [[nodiscard]] worker_queues::look pop_injected(policy::priority band);
  [[nodiscard]] worker_queues::look counted(worker_queues::look result);

  policy::search search_;
  policy::search_counters reported_;
  request_pace pace_;
  struct {
    share_point* from = nullptr;  // null: none, or judged
    time_ns taken_ns = 0;
    std::uint32_t count = 0;
  } batch_;                     // the last coroutines it has stolen
  time_ns not_aged_ns_ = 0;     // when the last offer was made that it did not take, since its owner would take it back
  bool may_await_due_ = false;  // it may linger until a request that was deferred can be made
  time_ns stolen_ns_ = 0;       // when it stole the last time
  time_ns moved_ns_ = 0;        // when it moved to another CPU the last time
  bool is_searching_ = false;   // counted as such in `idle`
  bool is_keeper_ = false;      // of the wait sources
  std::uint32_t tasks_per_look_ = 1;  // how often it looks at the clock while a source has a deadline
  std::uint32_t tasks_to_look_ = 1;
  time_ns looked_ns_ = 0;
  std::uint32_t turns_ = 0;                  // of the own queues
  const queue_entry* offer_seen_ = nullptr;  // in the own slot, to compare it: it may be gone
  time_ns offer_seen_ns_ = 0;
  std::uint64_t deque_turns_ = 0;  // so many times the deque comes first
  bool mail_first_ = false;        // which of mail and injector was looked at first the last time
  time_ns search_began_ns_ = 0;    // 0: no search under way
  std::uint64_t recorded_forks_ = 0;
  std::unordered_map<const char*, trace::name_id> traced_names_;
  const char* last_traced_ = nullptr;  // and its number
  trace::name_id last_traced_name_ = trace::name_id::none();
};

}  // namespace filch::inline v0
