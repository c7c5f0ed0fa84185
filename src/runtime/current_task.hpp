// Which task a worker runs, for itself, for recordings, dumps and the watchdog.
//
// Who may call what: `set` and `get` the thread that holds the worker; `describe` and `held` any thread.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/ids.hpp>
#include <filch/base/units.hpp>
#include <filch/share/entry.hpp>

#include <cstdint>
#include <string>

namespace filch::inline v0 {

class current_task {
 public:
  // `is_measured`: the watchdog wants to know when each task began.
  explicit current_task(bool is_measured) : is_measured_{is_measured} {}
  current_task(const current_task&) = delete;
  current_task& operator=(const current_task&) = delete;

  // Null: none.
  [[nodiscard]] task_record* get() const { return now_; }
  [[nodiscard]] task_id id() const { return now_ != nullptr ? now_->id : task_id::none(); }
  void set(task_record* running) {
    now_ = running;
    name_.store(running != nullptr ? running->name : nullptr, std::memory_order_relaxed);  // statistic
    if (is_measured_) since_ns_.store(monotonic_now_ns(), std::memory_order_relaxed);      // ordered by [R10]
    // [R10] release store: the task's beginning comes before its number, so that the watchdog never takes the end of
    // the task before it for its beginning → [R11] in held().
    number_.store(id().value, std::memory_order_release);
  }

  // For how long the worker has run this task, as the watchdog sees it.
  struct holding {
    std::uint64_t number;
    time_ns held_ns;
  };
  [[nodiscard]] holding held() const {
    // [R11] acquire load: the beginning below is this task's or a later one's ← [R10].
    const std::uint64_t number = number_.load(std::memory_order_acquire);
    return {number, monotonic_now_ns() - since_ns_.load(std::memory_order_relaxed)};  // ordered by [R11]
  }
  // "task 12 (name)", or "no task".
  [[nodiscard]] std::string describe() const;

  // What share points show thieves and visitors.
  [[nodiscard]] const std_atomics::atomic<std::uint64_t>& number() const { return number_; }

 private:
  task_record* now_ = nullptr;
  std_atomics::atomic<std::uint64_t> number_{task_id::none().value};
  const bool is_measured_;
  std_atomics::atomic<const char*> name_{nullptr};
  std_atomics::atomic<time_ns> since_ns_{0};
};

}  // namespace filch::inline v0
