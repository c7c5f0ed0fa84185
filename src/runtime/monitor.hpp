// The monitor thread: requests work from threads that do not poll, and visits those that do not answer.
//
// A worker answers a request at its next fork or join, and an external thread gets none at first, so that small work
// stays where it is. The monitor looks around while workers sleep and a thread holds latent work: it requests
// from an external thread that has been inside one section for a while, visits a thread that has not answered, makes
// deferred requests when they may be made, and wakes sleepers for offers that were left to it. It exists only once it
// was needed, and otherwise sleeps without a deadline. A worker that is about to sleep does not wait for it, and visits
// others itself.
//
// Who may call what: any thread; `call` after a change.
#pragma once

#include "cpu_spread.hpp"
#include "demand_board.hpp"
#include "fork_generation.hpp"
#include "os_thread.hpp"
#include "setup.hpp"
#include "visits.hpp"

#include "share/on_call.hpp"

#include <filch/base/atomics.hpp>
#include <filch/base/units.hpp>

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace filch::inline v0 {

class monitor {
 public:
  monitor(demand_board& board, filch::visits& visits, const cpu_spread& cpus, const options& chosen)
      : board_{board}, visits_{visits}, cpus_{cpus}, chosen_{chosen}, name_{chosen.name + "-monitor"} {}
  monitor(const monitor&) = delete;
  monitor& operator=(const monitor&) = delete;
  ~monitor() { stop(); }

  // A worker went to sleep while there is latent work, or an external thread has begun a section. False: there is no
  // monitor, since its thread cannot be started.
  [[nodiscard]] bool call() noexcept;
  // Its thread could be started.
  [[nodiscard]] bool is_there() const {
    return is_started_.load(std::memory_order_relaxed);  // hint
  }
  // After a change: the monitor will see it soon, without being called.
  [[nodiscard]] bool is_watching() noexcept;
  // From now on it does nothing.
  void stop();

 private:
  // What was seen of a share point the last time.
  struct seen {
    std::uint64_t sections = 0;  // of an external thread
    std::uint32_t waits = 0;     // in a row, for a join that answers
    bool was_asked = false;      // and had not answered
    std::uint64_t begun = 0;     // tasks and parts of coroutines
  };

  void start() noexcept;
  [[nodiscard]] bool start_thread() noexcept;
  void prepare_visits();
  void run() noexcept;
  [[nodiscard]] bool must_watch() const;
  [[nodiscard]] bool look();
  [[nodiscard]] bool look_at(share_point& at, seen& before, bool awaits_join);
  void look_at_loop(share_point& at);
  void leave_crowded_cpu();

  demand_board& board_;
  filch::visits& visits_;
  const cpu_spread& cpus_;
  const options& chosen_;
  const std::string name_;
  const std::uint32_t fork_generation_ = fork_generation();
  on_call<> rest_;
  std_atomics::atomic<bool> is_started_{false};
  std_atomics::atomic<bool> is_stopping_{false};
  std_atomics::atomic<bool> is_prepared_{false};  // `preparing_` ends
  std_atomics::atomic<time_ns> next_look_ns_{0};
  std_atomics::atomic<time_ns> failed_ns_{0};  // the last attempt to start it, in vain
  std::mutex start_mutex_;
  os_thread thread_;
  // The thread's own.
  os_thread preparing_;  // joined by the thread, or by stop() behind it
  time_ns moved_ns_ = 0;
  time_ns due_ns_ = k_never_ns;  // when the next deferred request may be made
  std::unordered_map<const share_point*, seen> seen_;
};

}  // namespace filch::inline v0
