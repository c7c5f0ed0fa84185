// Wait sources: the sources of work besides the queues: timers and I/O. All have the same interface, so that one
// sleeping worker, the keeper (keeper.hpp), can wait for all of them.
//
// Who may call what: any thread, unless a function says otherwise. A source calls `keeper.lower` when its deadline
// becomes earlier than its `deadline_ns` returned before.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/units.hpp>
#include <filch/park/keeper.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace filch::inline v0::park {

class wait_source {
 public:
  wait_source() = default;
  wait_source(const wait_source&) = delete;
  wait_source& operator=(const wait_source&) = delete;
  virtual ~wait_source() = default;

  // Called by one worker at a time: puts the work that is ready by `now_ns` into queues where a search looks. True if
  // there was any.
  virtual bool poll(time_ns now_ns) = 0;
  // The time when the source becomes ready by itself, or an earlier time; k_never_ns if it never does. A deadline
  // stored before a seq_cst fence of the source is taken into account after a seq_cst fence of the caller.
  [[nodiscard]] virtual time_ns deadline_ns() const = 0;
  // The deadline of a shutdown has passed: wakes all waiters with the result that their wait is cancelled.
  virtual void cancel_waits() noexcept = 0;
  // One line for dumps: "timers: 3 pending".
  [[nodiscard]] virtual std::string describe() const = 0;
};

// A runtime has at most one source of each kind, made at its first use.
enum class source_kind : std::uint8_t { timers, io };

class source_set {
 public:
  source_set() = default;
  source_set(const source_set&) = delete;
  source_set& operator=(const source_set&) = delete;
  ~source_set() {
    for (auto& slot : slots_) delete slot.load(std::memory_order_relaxed);  // owner-only
  }

  [[nodiscard]] bool is_empty() const {
    // hint: the first deadline finds no keeper, and wakes a sleeper
    return is_empty_.load(std::memory_order_relaxed);
  }

  // The source of that kind; if there is none yet, the source that `make()` returns as a unique_ptr.
  template <class Make>
  wait_source& get(source_kind kind, Make&& make) {
    auto& slot = slots_[static_cast<std::size_t>(kind)];
    // [Z10] acquire load: observes the complete source ← [Z11].
    if (wait_source* const made = slot.load(std::memory_order_acquire)) return *made;
    const std::lock_guard lock{adding_};
    wait_source* made = slot.load(std::memory_order_relaxed);  // ordered by the mutex: before publication
    if (made == nullptr) {
      made = std::unique_ptr<wait_source>{make()}.release();
      // [Z11] release store: publishes the source → [Z10] → [Z12].
      slot.store(made, std::memory_order_release);
      is_empty_.store(false, std::memory_order_relaxed);  // hint
    }
    return *made;
  }

  // Called by a worker: polls every source, unless another worker is polling. True if any source had work. `call` is
  // the wake-up that the caller must make.
  [[nodiscard]] bool poll(time_ns now_ns, keeper_call& call) {
    const std::unique_lock lock{polling_, std::try_to_lock};
    if (!lock.owns_lock()) return false;
    bool any = false;
    for_each([&](wait_source& source) { any = source.poll(now_ns) || any; });
    call = keeper.raise([this] {
      time_ns earliest_ns = k_never_ns;
      for_each([&](const wait_source& source) { earliest_ns = (std::min)(earliest_ns, source.deadline_ns()); });
      return earliest_ns;
    });
    return any;
  }

  void cancel_waits() noexcept {
    for_each([](wait_source& source) { source.cancel_waits(); });
  }

  [[nodiscard]] std::string describe() const {
    std::string out;
    for_each([&](const wait_source& source) { out.append("  ").append(source.describe()).append("\n"); });
    return out;
  }

  park::keeper<> keeper;

 private:
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& slot : slots_) {
      // [Z12] acquire load: observes the complete source ← [Z11].
      if (wait_source* const source = slot.load(std::memory_order_acquire)) visit(*source);
    }
  }

  std::array<std_atomics::atomic<wait_source*>, 2> slots_{};
  std_atomics::atomic<bool> is_empty_{true};
  std::mutex adding_;
  std::mutex polling_;  // held by the polling worker
};

}  // namespace filch::inline v0::park
