// What the threads of one worker use, as its recorder writes it down: a sample behind the first event of the worker in
// each interval.
//
// Who may call what: the worker look(); the session take(); each one thread at a time.
#pragma once

#include <filch/base/units.hpp>
#include <filch/trace/clock.hpp>
#include <filch/trace/ring.hpp>
#include <filch/trace/thread_sample.hpp>

#include <cstddef>
#include <cstdint>

namespace filch::inline v0::trace {

class thread_meter;

class usage_log {
 public:
  // If the ring is not emptied while the worker runs, the interval doubles now and then, so that the ring holds a run
  // of any length.
  enum class ring_is : std::uint8_t { emptied_often, emptied_at_the_end };
  explicit usage_log(ring_is how) : how_{how} {}

  // Behind an event at `ticks`. Returns from when on it is to be called again.
  [[nodiscard]] std::int64_t look(std::int64_t ticks) noexcept;

  // The worker has waited for the recording itself: what it used since the last look tells nothing of its tasks.
  void forget() noexcept { meter_ = nullptr; }

  // The next sample; its time is in ticks.
  [[nodiscard]] bool take(thread_sample& out) noexcept;

 private:
  [[nodiscard]] bool append(std::int64_t ticks, std::uint64_t begins, const thread_amounts& used) noexcept;
  [[nodiscard]] std::int64_t next_due(std::int64_t ticks, time_ns now_ns) noexcept;

  static constexpr time_ns k_every_ns = 200 * k_ns_per_us;          // guess
  static constexpr std::size_t k_samples = 4096;                    // guess: 256 KiB
  static constexpr std::uint32_t k_doubles_after = k_samples / 16;  // 16 doublings: up to an hour

  // Worker only.
  const ring_is how_;
  const thread_meter* meter_ = nullptr;  // of the thread that used to be the worker
  clock_anchor first_;                   // what the length of a tick is reckoned from
  time_ns every_ns_ = k_every_ns;
  std::uint32_t looks_ = 0;

  ring<2 + k_thread_resources> ring_{k_samples, when_full::refuse_new};
};

}  // namespace filch::inline v0::trace
