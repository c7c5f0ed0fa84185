// The monitor thread: a thread that asks those who do not hear.
//
// A worker answers a request at its next fork or join, and a external thread is not asked at all at first, so that small work
// stays where it is. The monitor thread watches while workers sleep and somebody keeps latent work to himself: it asks a external thread
// that has been inside one join for a while, and visits a thread that has not answered, to offer the work in its place.
// It exists only once it was needed, and otherwise sleeps without a deadline. A worker that is about to sleep does not
// wait for it, and visits others itself.
//
// Who may call what: any thread; `look_out` after a change.
#pragma once

#include "share/on_call.hpp"
#include "os_thread.hpp"

#include <filch/base/atomics.hpp>
#include <filch/base/units.hpp>
#include <filch/runtime/runtime.hpp>

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace filch::inline v0 {

class share_point;
class worker;

class monitor {
 public:
  monitor(runtime::core& home, std::string name, bool may_visit)
      : home_{home}, name_{std::move(name)}, may_visit_{may_visit} {}
  monitor(const monitor&) = delete;
  monitor& operator=(const monitor&) = delete;
  ~monitor() { stop(); }

  // Somebody went to sleep while there is latent work, or a external thread has come. False: there is no monitor thread, since its
  // thread cannot be started.
  [[nodiscard]] bool call_monitor() noexcept;
  // A worker that is about to sleep, and has asked: visits those that keep forks to themselves. True: something is
  // offered now.
  [[nodiscard]] bool visit_for(const worker& who) noexcept;
  // Its thread could be started.
  [[nodiscard]] bool is_there() const {
    return is_started_.load(std::memory_order_relaxed);  // hint
  }
  // Once the monitor thread has prepared for it, or who wanted to start it in vain.
  [[nodiscard]] bool can_visit() const {
    // [L34] acquire load: the process is registered ← [L37].
    return can_visit_.load(std::memory_order_acquire);
  }
  // After a change: the monitor thread will see it soon, without being called.
  [[nodiscard]] bool is_watching() noexcept;
  // From now on it does nothing.
  void stop();
  [[nodiscard]] bool may_visit() const { return may_visit_; }

 private:
  // What was seen of a share point the last time.
  struct seen {
    std::uint64_t visits = 0;     // of a external thread
    std::uint32_t waits = 0;      // in a row, for a join that answers
    bool was_asked = false;       // and had not answered
    std::uint64_t stretches = 0;  // of coroutines and tasks, that had ended there
  };

  void start() noexcept;
  [[nodiscard]] bool start_thread() noexcept;
  void prepare();
  void prepare_here() noexcept;
  void run() noexcept;
  [[nodiscard]] bool must_watch() const;
  [[nodiscard]] bool look();
  [[nodiscard]] bool look_at(share_point& point, seen& before, bool awaits_join);
  [[nodiscard]] bool visit(share_point& point) noexcept;
  void ask_without_forks(share_point& point);
  void leave_crowded_cpu();
  static void wait_for_aged_offer(const share_point& point);
  [[nodiscard]] static bool is_answered_soon(const share_point& point);

  runtime::core& home_;
  const std::string name_;
  const bool may_visit_;
  std_atomics::atomic<bool> can_visit_{false};
  std_atomics::atomic<bool> is_prepared_{false};  // `preparing_` ends
  on_call<> rest_;
  std_atomics::atomic<bool> is_started_{false};
  std_atomics::atomic<bool> is_stopping_{false};
  std_atomics::atomic<time_ns> next_look_ns_{0};
  std_atomics::atomic<time_ns> failed_ns_{0};  // the last attempt to start it, in vain
  std::mutex start_mutex_;
  os_thread thread_;
  // The thread's own.
  os_thread preparing_;  // joined by the thread, or by stop() behind it
  time_ns moved_ns_ = 0;
  time_ns due_ns_ = k_never_ns;                        // when the next request that was deferred may be made
  std::unordered_map<const share_point*, seen> seen_;  // the thread's own
};

}  // namespace filch::inline v0
