// The event schema: one shape for what the thread runtime records and what the simulator computes.
//
// An event says what happened, when, on which worker, to which task, with up to two more values. Nothing in it knows of
// threads: a time is a number of nanoseconds since the recording began, a worker is a number.
//
// kind            task           argument                detail                      meaning
// spawn           the child      the parent or none      name of the child or none   a task came into being
// start           the task       0                       none                        it runs here for the first time
// end             the task       0                       none                        it is finished
// steal_attempt   none           0                       victim                      this worker looks at a victim
// steal_success   first taken    tasks taken             victim                      … and took something
// steal_lost      none           0                       victim                      … and another was faster
// steal_empty     none           0                       victim                      … and found nothing
// inject          the task       0                       target worker or none       submitted, to one worker or to all
// park            none           0                       none                        this worker goes to sleep
// wake            none           0                       the waking worker or none   this worker is awake again
// notify          none           0                       the woken worker            this worker wakes another
// suspend         the task       0                       name of the reason or none  it leaves this worker, unfinished
// resume          the task       0                       none                        it resumes, on this worker
// block           the task       0                       name of the reason or none  it blocks the worker's thread
// unblock         the task       0                       none                        … and no longer does
// name            the task       0                       its name                    a name given after the spawn
// cancel          the task       0                       none                        it will never run, or stops here
// queue_length    none           tasks waiting           none                        length of this worker's own queue
// counter         none           value, two's complement name of the counter         a value of the user's own
// dropped         none           events lost             none                        a gap: nothing is known of it
// join            the task       the child, or 0 for all none                        the children it joins have ended
// woken           the task       the waking task or none name of the reason or none  it was made ready
//
// "none" is all bits one. `dropped` is written by recorder and session only. A task that moves between workers records
// `suspend` on the one before it records `resume` on the other; with it move the tasks that it runs inside of, which
// suspend after it and resume before it. A `join` says that the task continues after that child, or after all its
// children that have ended, whether it had to wait or not. A `woken` is recorded by the thread that made the task
// ready, before the task resumes: through a lock, a channel, an event or a timer.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/base/units.hpp>

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace filch::inline v0::trace {

// The numbers are part of the file format: never renumber, add at the end, stay below k_kind_limit.
enum class event_kind : std::uint8_t {
  spawn,
  start,
  end,
  steal_attempt,
  steal_success,
  steal_lost,
  steal_empty,
  inject,
  park,
  wake,
  notify,
  suspend,
  resume,
  block,
  unblock,
  name,
  cancel,
  queue_length,
  counter,
  dropped,
  join,
  woken,
};

inline constexpr std::uint8_t k_kind_count = 22;
// The file format keeps five bits for the kind, and has a use of its own for the last four numbers.
inline constexpr std::uint8_t k_kind_limit = 28;
static_assert(k_kind_count <= k_kind_limit);

// "steal_success"; "unknown" for a number that is no kind.
[[nodiscard]] std::string_view name_of(event_kind kind) noexcept;

// A text of the recording's names table.
using name_id = id<struct name_tag, std::uint32_t>;

// The reason of a suspend that leaves the task in the worker's own queue, ready to go on: work-first forks have it.
inline constexpr std::string_view k_fork_reason = "fork";

// The worker number of events from threads that are no workers.
inline constexpr std::uint16_t k_outside = 0xffff;
// Workers are numbered in 16 bits; the last number is k_outside.
inline constexpr std::uint32_t k_max_workers = 0xffff;

inline constexpr std::uint64_t k_no_task = task_id::none().value;
inline constexpr std::uint32_t k_no_detail = name_id::none().value;

// One thing that happened. The meaning of each field per kind is the table above. Fields that a kind does not use hold
// the value the table shows, so two equal happenings are two equal events.
struct event {
  std::int64_t time_ns = 0;
  std::uint64_t task = k_no_task;
  std::uint64_t argument = 0;
  std::uint32_t detail = k_no_detail;
  std::uint16_t worker = k_outside;
  event_kind kind = event_kind::dropped;
  std::uint8_t reserved = 0;

  friend constexpr bool operator==(const event&, const event&) = default;
};
static_assert(sizeof(event) == 32 && std::is_trivially_copyable_v<event> && std::is_standard_layout_v<event>);
static_assert(std::has_unique_object_representations_v<event>, "no padding: an event is copied word by word");

// The verbs of recording, written once for all recorders: the worker's, that of external threads, the simulator's, and
// the null recorder. `Self` has is_enabled() and record(event), which fills in time and worker.
template <class Self>
class recorder_verbs {
 public:
  void spawn(task_id task, task_id parent = task_id::none(), name_id name = name_id::none()) noexcept {
    put(event_kind::spawn, task.value, parent.value, name.value);
  }
  void start(task_id task) noexcept { put(event_kind::start, task.value); }
  void end(task_id task) noexcept { put(event_kind::end, task.value); }

  void steal_attempt(worker_id victim) noexcept { put(event_kind::steal_attempt, k_no_task, 0, victim.value); }
  void steal_success(worker_id victim, task_id first, std::uint64_t count) noexcept {
    put(event_kind::steal_success, first.value, count, victim.value);
  }
  void steal_lost(worker_id victim) noexcept { put(event_kind::steal_lost, k_no_task, 0, victim.value); }
  void steal_empty(worker_id victim) noexcept { put(event_kind::steal_empty, k_no_task, 0, victim.value); }

  void inject(task_id task, worker_id target = worker_id::none()) noexcept {
    put(event_kind::inject, task.value, 0, target.value);
  }

  void park() noexcept { put(event_kind::park, k_no_task); }
  void wake(worker_id by = worker_id::none()) noexcept { put(event_kind::wake, k_no_task, 0, by.value); }
  void notify(worker_id whom) noexcept { put(event_kind::notify, k_no_task, 0, whom.value); }

  void suspend(task_id task, name_id reason = name_id::none()) noexcept {
    put(event_kind::suspend, task.value, 0, reason.value);
  }
  void resume(task_id task) noexcept { put(event_kind::resume, task.value); }
  void join(task_id task) noexcept { put(event_kind::join, task.value); }
  void join(task_id task, task_id child) noexcept { put(event_kind::join, task.value, child.value); }
  void woken(task_id task, task_id by, name_id reason = name_id::none()) noexcept {
    put(event_kind::woken, task.value, by.value, reason.value);
  }
  void block(task_id task, name_id reason = name_id::none()) noexcept {
    put(event_kind::block, task.value, 0, reason.value);
  }
  void unblock(task_id task) noexcept { put(event_kind::unblock, task.value); }

  void name(task_id task, name_id name) noexcept { put(event_kind::name, task.value, 0, name.value); }
  void cancel(task_id task) noexcept { put(event_kind::cancel, task.value); }

  void queue_length(std::uint64_t length) noexcept { put(event_kind::queue_length, k_no_task, length); }
  void counter(name_id name, std::int64_t value) noexcept {
    put(event_kind::counter, k_no_task, static_cast<std::uint64_t>(value), name.value);
  }

 protected:
  recorder_verbs() = default;
  ~recorder_verbs() = default;

 private:
  void put(event_kind kind, std::uint64_t task, std::uint64_t argument = 0,
           std::uint32_t detail = k_no_detail) noexcept {
    Self& self = static_cast<Self&>(*this);
    if (!self.is_enabled()) [[likely]] {
      return;
    }
    self.record(event{.time_ns = 0,
                      .task = task,
                      .argument = argument,
                      .detail = detail,
                      .worker = k_outside,
                      .kind = kind,
                      .reserved = 0});
  }
};

}  // namespace filch::inline v0::trace
