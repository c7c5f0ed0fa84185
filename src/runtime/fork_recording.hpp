// Forks in a recording.
//
// A fork that nobody takes leaves no trace by itself. While a session records them, forks are *noted*: each frame that
// is open at a beat (or, with fork_detail::every, at once) gets a task's number and a `spawn`, and its join runs the
// child as a task of its own, with `start` and `end`, and records a `join`. Forks that begin and end between two beats
// are part of the task they stand in: so a recording lacks at most one beat of parallelism per join, and most forks
// cost what they always cost. A noted frame's `offer` holds its number with the lowest bit set, until it is offered;
// that of a range, whose parts are tasks of their own, the number of the task that it belongs to. A range of which too
// little was left, as far as was known then, gives a part at a later beat, while it is the newest frame.
//
// With one worker nobody else asks a loop for a part. There the loops of a recorded stack divide themselves as soon as
// what is left is worth it (latent_stack::shows_loops), and do not depend on the beats: a part of a loop is worth many
// times what its note costs, while forks of a few nanoseconds are not, and stay with the beats.
//
// Who may call what: the thread that runs on the stack, with its share point closed, unless a function says otherwise.
//
//   (F1) The noted frames of a stack are a prefix of its list, and those that were offered a prefix of these:
//   `last_recorded`
//        is the last noted one, `last_shared` the last that was offered to others. Without a recording the two are the
//        same.
//   (F2) The frames that are not noted belong to the task that the worker runs: before a task runs inside another, the
//        other's frames are noted.
#pragma once

#include "os_thread.hpp"

#include <filch/base/atomics.hpp>
#include <filch/base/ids.hpp>
#include <filch/base/units.hpp>
#include <filch/park/parker.hpp>
#include <filch/share/entry.hpp>
#include <filch/share/latent.hpp>
#include <filch/share/range_frame.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/trace/session.hpp>

#include <cstdint>
#include <vector>

namespace filch::inline v0 {

class worker;

// A number in the place of an offer.
[[nodiscard]] inline offered_task* mark_of(task_id number) {
  return reinterpret_cast<offered_task*>(static_cast<std::uintptr_t>(number.value << 1 | 1));
}
// None: there is an offer, or nothing.
[[nodiscard]] inline task_id number_in(const offered_task* offer) {
  const auto bits = reinterpret_cast<std::uintptr_t>(offer);
  return (bits & 1) != 0 ? task_id{bits >> 1} : task_id::none();
}

// Notes all frames that are not; they belong to `parent`. Does nothing if forks are not recorded. `made` was forked
// just now, or is null: of that one the owner keeps at least an element, or it would be divided without end.
void record_frames(latent_stack& stack, worker& me, const task_record* parent,
                   const latent_frame* made = nullptr) noexcept;
// The same in a signal handler.
void record_frames_in_handler(latent_stack& stack, worker& me) noexcept;

// The newest frame is a range that was noted without a part, and could give one now; else null.
[[nodiscard]] detail::range_frame* divisible_recorded_range(const latent_stack& stack) noexcept;

// The worker begins a task, on this stack: whether the stack's loops divide themselves, and, where a recording leaves
// forks out, whether it is still to be found out that there are any.
void prepare_recording(latent_stack& stack, const worker& me) noexcept;
// Something was forked or divided in the runtime: a recording says that there were forks.
void record_that_it_forks(const runtime::core& home) noexcept;

// Nobody wants anything of the stack any more. True: somebody has wanted work.
bool clear_requests(latent_stack& stack, const worker* me) noexcept;

// The thread that beats: it raises the fork limit of every stack that has open frames, and sends a signal to a thread that
// computes and has not heard the beat before.
class fork_heartbeat {
 public:
  fork_heartbeat(runtime::core& home, trace::session& session, bool may_interrupt);
  fork_heartbeat(const fork_heartbeat&) = delete;
  fork_heartbeat& operator=(const fork_heartbeat&) = delete;
  ~fork_heartbeat();

 private:
  void run() noexcept;
  void beat_all(time_ns now_ns) noexcept;

  runtime::core& home_;
  trace::session& session_;
  const bool may_interrupt_;
  std_atomics::atomic<bool> is_stopping_{false};
  park::parker<> rest_;
  std::vector<time_ns> heard_ns_;  // by worker: the last beat that it has heard, or did not need
  os_thread thread_;
};

}  // namespace filch::inline v0
