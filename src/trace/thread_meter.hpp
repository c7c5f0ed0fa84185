// What the calling thread has used of the processor: times and context switches from the system, and the processor's
// own counters where a program may read them.
//
// Who may call what: of_this_thread() any thread, and of the meter it gets every function. The meter lives as long as
// its thread. No function throws or changes errno; what the system refuses is not read.
//
//   (M1) The sum of what was kept after a begin() is what the thread has used from there to the last read().
#pragma once

#include <filch/base/units.hpp>
#include <filch/trace/thread_sample.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace filch::inline v0::trace {

class thread_meter {
 public:
  // Not across a point where a task may change threads.
  [[nodiscard]] static thread_meter& of_this_thread() noexcept;

  thread_meter() = default;
  thread_meter(const thread_meter&) = delete;
  thread_meter& operator=(const thread_meter&) = delete;
  ~thread_meter();

  // From now on for this reader. Returns the system's number of the thread.
  std::uint64_t begin(const void* reader, time_ns now_ns) noexcept;
  [[nodiscard]] bool is_read_by(const void* reader) const noexcept { return reader_ == reader; }

  // 1 for what the system lets it read.
  [[nodiscard]] const thread_amounts& looked_at() const noexcept { return looked_at_; }

  // What was used since what was kept last, or begin(). Waits and context switches are looked at only when the thread
  // was without a processor meanwhile, because they cost several times as much to read.
  [[nodiscard]] thread_amounts read(time_ns now_ns) noexcept;
  // The next read() counts from the last one.
  void keep() noexcept;

 private:
  void open_counters() noexcept;
  void close_counters() noexcept;
  void read_switches(thread_amounts& into) noexcept;
  void read_counters(thread_amounts& into) noexcept;

  static constexpr std::size_t k_counters = 3;

  const void* reader_ = nullptr;
  std::uint64_t thread_ = 0;
  time_ns read_ns_ = 0;
  time_ns kept_ns_ = 0;
  thread_amounts read_;
  thread_amounts kept_;
  thread_amounts looked_at_;
  std::array<int, k_counters> counters_{-1, -1, -1};  // the first leads the others
};

}  // namespace filch::inline v0::trace
