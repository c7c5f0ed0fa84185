// The heartbeat of a recording: a thread that makes open forks appear in it (share/frame_recording.hpp).
//
// Who may call what: the core; `prepare_recording` the thread that holds the worker.
#pragma once

#include "os_thread.hpp"
#include "wakeups.hpp"
#include "worker.hpp"

#include <filch/base/atomics.hpp>
#include <filch/base/units.hpp>
#include <filch/park/parker.hpp>
#include <filch/trace/session.hpp>

#include <deque>
#include <string>
#include <vector>

namespace filch::inline v0 {

// Raises the fork limit of every stack that has open frames, and sends a signal to a thread that computes and has not
// noticed the heartbeat before.
class fork_heartbeat {
 public:
  fork_heartbeat(std::deque<worker>& workers, const wakeups& wakes, trace::session& session, const std::string& name,
                 bool may_interrupt);
  fork_heartbeat(const fork_heartbeat&) = delete;
  fork_heartbeat& operator=(const fork_heartbeat&) = delete;
  ~fork_heartbeat();

 private:
  void run() noexcept;
  void beat_all(time_ns now_ns) noexcept;

  std::deque<worker>& workers_;
  const wakeups& wakes_;
  trace::session& session_;
  const bool may_interrupt_;
  std_atomics::atomic<bool> is_stopping_{false};
  park::parker<> rest_;
  std::vector<time_ns> heard_ns_;  // by worker: the last heartbeat that it has noticed, or did not need
  os_thread thread_;
};

// The worker begins a task, on this stack: whether the stack's loops divide themselves, and, where a recording leaves
// forks out, whether it is still to be found out that there are any.
void prepare_recording(latent_stack& stack, const worker& me) noexcept;

}  // namespace filch::inline v0
