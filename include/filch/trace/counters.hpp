// Counters of one worker: always on, so as cheap as a counter can be that others may read.
//
// kernel: counters<A> touches shared memory only through its atomics policy A.
//
// Who may call what: the worker add() and raise(); a thief robbed(); any thread snapshot(). A snapshot is not one
// moment: each value is right by itself, and exact once the worker has stopped.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace filch::inline v0::trace {

enum class count : std::uint8_t {
  executed,        // tasks that ran here to their end
  spawned,         // tasks made here
  injected,        // tasks that came here from the injector or the inbox
  cancelled,       // tasks that ended here without running
  stolen_by_me,    // tasks taken from others
  stolen_from_me,  // tasks that others took from here
  steal_attempts,  // looks at a victim
  steal_failures,  // … that brought nothing: empty or lost
  steal_lost,      // … of these, lost to another thread
  parks,           // times this worker went to sleep
  wakes,           // times this worker woke another
  suspends,        // tasks that left here unfinished
  resumes,         // tasks that went on here
  search_ns,       // time spent looking for work
  idle_ns,         // time spent asleep
  queue_max,       // longest own queue; the sum of two workers is their maximum
};
inline constexpr std::size_t k_count_kinds = 16;

// "steal_attempts", as statistics print it.
[[nodiscard]] constexpr const char* name_of(count what) {
  constexpr const char* names[k_count_kinds] = {"executed",     "spawned",        "injected",       "cancelled",
                                                "stolen_by_me", "stolen_from_me", "steal_attempts", "steal_failures",
                                                "steal_lost",   "parks",          "wakes",          "suspends",
                                                "resumes",      "search_ns",      "idle_ns",        "queue_max"};
  return names[static_cast<std::size_t>(what)];
}

// Counters as plain numbers.
struct count_values {
  std::uint64_t at[k_count_kinds] = {};

  constexpr std::uint64_t& operator[](count what) { return at[static_cast<std::size_t>(what)]; }
  constexpr std::uint64_t operator[](count what) const { return at[static_cast<std::size_t>(what)]; }

  constexpr count_values& operator+=(const count_values& other) {
    for (std::size_t i = 0; i != k_count_kinds; ++i) {
      if (i == static_cast<std::size_t>(count::queue_max)) {
        if (other.at[i] > at[i]) at[i] = other.at[i];
      } else {
        at[i] += other.at[i];
      }
    }
    return *this;
  }
  friend constexpr count_values operator+(count_values a, const count_values& b) { return a += b; }
  friend constexpr bool operator==(const count_values&, const count_values&) = default;
};

template <class A = std_atomics>
class alignas(k_no_sharing_bytes) counters {
 public:
  // The worker. Any count but stolen_from_me.
  void add(count what, std::uint64_t amount = 1) {
    auto& own = cells_[static_cast<std::size_t>(what)];
    // One writer, so a load and a store suffice where several would need a locked instruction.
    own.store(own.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);  // statistic
  }
  // The worker. Keeps the larger of the present and the given value.
  void raise(count what, std::uint64_t value) {
    auto& own = cells_[static_cast<std::size_t>(what)];
    if (value > own.load(std::memory_order_relaxed)) own.store(value, std::memory_order_relaxed);  // statistic
  }

  // A thief that took `amount` tasks from this worker.
  void robbed(std::uint64_t amount) {
    stolen_from_me_.fetch_add(amount, std::memory_order_relaxed);  // statistic
  }

  [[nodiscard]] count_values snapshot() const {
    count_values out;
    for (std::size_t i = 0; i != k_count_kinds; ++i)
      out.at[i] = cells_[i].load(std::memory_order_relaxed);                       // statistic
    out[count::stolen_from_me] = stolen_from_me_.load(std::memory_order_relaxed);  // statistic
    return out;
  }

 private:
  using cell = typename A::template atomic<std::uint64_t>;

  cell cells_[k_count_kinds];                        // written by the worker; the cell of stolen_from_me stays 0
  alignas(k_no_sharing_bytes) cell stolen_from_me_;  // written by thieves
};

}  // namespace filch::inline v0::trace
