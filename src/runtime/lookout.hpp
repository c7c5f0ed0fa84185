// The lookout: a thread that asks those who do not hear.
//
// A worker answers a request at its next fork or join, and a guest is not asked at all at first, so that small work
// stays where it is. The lookout watches while workers sleep and somebody keeps latent work to himself: it asks a guest
// that has been inside one join for a while, and visits a thread that has not answered, to offer the work in its place.
// It exists only once it was needed, and otherwise sleeps without a deadline. A worker that is about to sleep does not
// wait for it, and visits others itself.
//
// Who may call what: any thread; `look_out` after a change.
#pragma once

#include "on_call.hpp"
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

class latent_desk;
class worker;

class lookout {
 public:
  lookout(runtime::core& home, std::string name, bool may_visit)
      : home_{home}, name_{std::move(name)}, may_visit_{may_visit} {}
  lookout(const lookout&) = delete;
  lookout& operator=(const lookout&) = delete;
  ~lookout() { stop(); }

  // Somebody went to sleep while there is latent work, or a guest has come. False: there is no lookout, since its
  // thread cannot be started.
  [[nodiscard]] bool look_out() noexcept;
  // A worker that is about to sleep, and has asked: visits those that keep forks to themselves. True: something is
  // offered now.
  [[nodiscard]] bool visit_for(const worker& who) noexcept;
  // Its thread could be started.
  [[nodiscard]] bool is_there() const {
    return is_started_.load(std::memory_order_relaxed);  // hint
  }
  // Once the lookout has prepared for it, or who wanted to start it in vain.
  [[nodiscard]] bool can_visit() const {
    // [L34] acquire load: the process is registered ← [L37].
    return can_visit_.load(std::memory_order_acquire);
  }
  // After a change: the lookout will see it soon, without being called.
  [[nodiscard]] bool is_watching() noexcept;
  // From now on it does nothing.
  void stop();
  [[nodiscard]] bool may_visit() const { return may_visit_; }

 private:
  // What was seen of a desk the last time.
  struct seen {
    std::uint64_t visits = 0;     // of a guest
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
  [[nodiscard]] bool look_at(latent_desk& desk, seen& before, bool awaits_join);
  [[nodiscard]] bool visit(latent_desk& desk) noexcept;
  void ask_without_forks(latent_desk& desk);
  void leave_crowded_cpu();
  static void wait_for_ripe_offer(const latent_desk& desk);
  [[nodiscard]] static bool is_answered_soon(const latent_desk& desk);

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
  time_ns due_ns_ = k_never_ns;                        // when the next request that is owed may be made
  std::unordered_map<const latent_desk*, seen> seen_;  // the thread's own
};

}  // namespace filch::inline v0
