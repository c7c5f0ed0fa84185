// Wait sources: what besides queues can bring work to a sleeping worker: timers, I/O. Each has the same few verbs, so
// that "announce sleep, look once more, back out" composes over all of them.
//
// One sleeping worker at a time keeps the sources: it sleeps until the earliest deadline and polls them when it wakes.
// Who may call what: all functions of `source_set` but `add` by the worker that holds the keeper's role, between
// `try_become_keeper` and `resign`; `add` before the workers start.
#pragma once

#include <filch/base/units.hpp>

#include <cstddef>
#include <mutex>
#include <vector>

namespace filch::inline v0::park {

class wait_source {
 public:
  wait_source() = default;
  wait_source(const wait_source&) = delete;
  wait_source& operator=(const wait_source&) = delete;
  virtual ~wait_source() = default;

  // Hands over what is ready by `now_ns`, as tasks where a search looks. True if there was anything.
  virtual bool poll(time_ns now_ns) = 0;
  // Would `poll` find something? Changes nothing.
  [[nodiscard]] virtual bool has_ready(time_ns now_ns) const = 0;
  // The keeper is about to sleep: from now on the source wakes it when it becomes ready sooner than it said. False: it
  // is ready already, do not sleep.
  [[nodiscard]] virtual bool announce_sleep() = 0;
  // The keeper is awake again, or did not sleep after all.
  virtual void retract_sleep() noexcept = 0;
  // When it becomes ready by itself, or k_never_ns.
  [[nodiscard]] virtual time_ns deadline_ns() const = 0;
};

class source_set {
 public:
  // The source must outlive the set.
  void add(wait_source& source) { sources_.push_back(&source); }
  [[nodiscard]] bool is_empty() const { return sources_.empty(); }

  // At most one worker keeps the sources; the others sleep without a deadline.
  [[nodiscard]] bool try_become_keeper() { return !sources_.empty() && keeper_.try_lock(); }
  void resign() { keeper_.unlock(); }

  // Keeper: polls every source. True if any had something.
  bool poll(time_ns now_ns) {
    bool any = false;
    for (wait_source* source : sources_) any = source->poll(now_ns) || any;
    return any;
  }

  // Keeper: would `poll` find something?
  [[nodiscard]] bool has_ready(time_ns now_ns) const {
    for (const wait_source* source : sources_) {
      if (source->has_ready(now_ns)) return true;
    }
    return false;
  }

  // Keeper: announces the sleep to all sources in order; if one is ready, those that agreed are told to forget it.
  [[nodiscard]] bool announce_sleep() {
    for (std::size_t i = 0; i != sources_.size(); ++i) {
      if (sources_[i]->announce_sleep()) continue;
      while (i-- != 0) sources_[i]->retract_sleep();
      return false;
    }
    return true;
  }

  // Keeper: after a sleep that was announced.
  void retract_sleep() noexcept {
    for (wait_source* source : sources_) source->retract_sleep();
  }

  // Keeper: how long it may sleep.
  [[nodiscard]] time_ns deadline_ns() const {
    time_ns earliest = k_never_ns;
    for (const wait_source* source : sources_) {
      const time_ns deadline = source->deadline_ns();
      if (deadline < earliest) earliest = deadline;
    }
    return earliest;
  }

 private:
  // Immutable once the workers run.
  std::vector<wait_source*> sources_;
  std::mutex keeper_;
};

}  // namespace filch::inline v0::park
