// Forks in a recording.
//
// A fork that no thief takes leaves no trace by itself. While a session records them, forks are *recorded*: each frame
// that is open at a heartbeat (or, with fork_detail::every, at once) gets a task's number and a `spawn`, and its join
// runs the child as a task of its own, with `start` and `end`, and records a `join`. Forks that begin and end between
// two heartbeats are part of the task they stand in: so a recording lacks at most one heartbeat of parallelism per
// join, and most forks cost what they always cost. A recorded frame's `offer` holds its number with the lowest bit set,
// until it is offered; that of a range, whose parts are tasks of their own, the number of the task that it belongs to.
// A range of which too little was left, as far as was known then, gives a part at a later heartbeat, while it is the
// newest frame.
//
// With one worker no thief requests a part of a loop. There the loops of a recorded stack divide themselves as soon as
// what is left is worth it (latent_stack::shows_loops), and do not depend on the heartbeats: a part of a loop is worth
// many times what its record costs, while forks of a few nanoseconds are not, and stay with the heartbeats.
//
// Who may call what: the thread that runs on the stack, with its share point closed, unless a function says otherwise.
//
//   (F1) The recorded frames of a stack are a prefix of its list, and those that were offered a prefix of these:
//        `last_recorded` is the last recorded one, `last_shared` the last that was offered. Without a recording the two
//        are the same.
//   (F2) The frames that are not recorded belong to the task that the worker runs: before a task runs inside another,
//        the other's frames are recorded.
#pragma once

#include "share_host.hpp"

#include <filch/base/ids.hpp>
#include <filch/share/latent.hpp>
#include <filch/share/range_frame.hpp>

#include <cstdint>

namespace filch::inline v0 {

struct share_point;

// A number in the place of an offer.
[[nodiscard]] inline offered_task* mark_of(task_id number) {
  return reinterpret_cast<offered_task*>(static_cast<std::uintptr_t>(number.value << 1 | 1));
}
// None: there is an offer, or nothing.
[[nodiscard]] inline task_id number_in(const offered_task* offer) {
  const auto bits = reinterpret_cast<std::uintptr_t>(offer);
  return (bits & 1) != 0 ? task_id{bits >> 1} : task_id::none();
}

// Records all frames that are not; they belong to `parent`. Does nothing where forks are not recorded. `made` was
// forked just now, or is null: of that one the owner keeps at least an element, or it would be divided without end.
void record_frames(latent_stack& stack, share_point& at, task_id parent, const latent_frame* made = nullptr) noexcept;
// The same in a signal handler.
void record_frames_in_handler(latent_stack& stack, fork_recorder& to) noexcept;

// The newest frame is a range that was recorded without a part, and could give one now; else null.
[[nodiscard]] detail::range_frame* divisible_recorded_range(const latent_stack& stack) noexcept;

// No request stands any more. True: work was requested. `recorder` is null where forks are not recorded.
bool clear_requests(latent_stack& stack, const fork_recorder* recorder) noexcept;

}  // namespace filch::inline v0
