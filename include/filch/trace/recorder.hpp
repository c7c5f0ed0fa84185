// What records events: one recorder per worker, one for all other threads, one for simulated workers, and a null twin.
//
// All have the verbs of recorder_verbs (schema.hpp): r.start(task), r.park(), … A recorder that is off costs one
// relaxed load and a branch; the null twin costs nothing.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>
#include <filch/base/ids.hpp>
#include <filch/trace/clock.hpp>
#include <filch/trace/ring.hpp>
#include <filch/trace/schema.hpp>
#include <filch/trace/thread_sample.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

namespace filch::inline v0::trace {

class usage_log;

// An event as the ring holds it: ticks, task, argument, and one word of detail, worker and kind.
using packed_event = ring_item<4>;

[[nodiscard]] constexpr event unpack(const packed_event& packed) noexcept {
  return event{.time_ns = static_cast<std::int64_t>(packed.at[0]),
               .task = packed.at[1],
               .argument = packed.at[2],
               .detail = static_cast<std::uint32_t>(packed.at[3]),
               .worker = static_cast<std::uint16_t>(packed.at[3] >> 32),
               .kind = static_cast<event_kind>(packed.at[3] >> 48),
               .reserved = 0};
}

// Records the events of one worker into a ring. The worker calls the verbs; its session switches it on and off, and
// takes events out, from other threads.
//
// When the ring refuses an event and the session writes to a file, the recorder has it make room, and tries once more.
// Otherwise it counts the event, and the next one that fits is preceded by a `dropped` event.
// In the ring that event carries the number of all events dropped so far; the session turns it into the difference.
//
// A recorder that was made to also looks at what the worker's thread uses, behind an event now and then (usage_log).
class alignas(k_no_sharing_bytes) recorder : public recorder_verbs<recorder> {
 public:
  recorder(worker_id worker, std::size_t ring_events, when_full full, clock_source clock);
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;
  ~recorder();

  // One that is never switched on: for workers without a session. Shared by all.
  [[nodiscard]] static recorder& off();

  [[nodiscard]] bool is_enabled() const noexcept {
    return enabled_.load(std::memory_order_relaxed);  // hint: an event too many or too few at the edge is harmless
  }

  // The worker's signal handler: a spawn whose name is a label. False: there is no room, and nothing was recorded.
  // These events have a ring of their own, because the handler may come while the worker writes to the other.
  [[nodiscard]] bool note_in_handler(task_id task, task_id parent, const char* label) noexcept {
    return notes_.append({{static_cast<std::uint64_t>(now_ticks(clock_)), task.value, parent.value,
                           reinterpret_cast<std::uintptr_t>(label)}});
  }

  // The worker. Stamps the event and stores it, or counts it as dropped.
  void record(const event& what) noexcept { store(what.task, what.argument, what.detail, what.kind); }

  // The session.
  void enable(bool on) noexcept {
    enabled_.store(on, std::memory_order_relaxed);  // hint
  }
  // What takes events out of the full ring: before the recorder is switched on, and never changed.
  using make_room = void (*)(void* session) noexcept;
  void relieve_with(make_room function, void* session) noexcept {
    make_room_ = function;
    session_ = session;
  }
  // Looks at the threads from now on: before the recorder is switched on. Throws std::bad_alloc.
  void record_usage(bool is_emptied_often);
  // The next sample; its time is in ticks.
  [[nodiscard]] bool take_usage(thread_sample& out) noexcept;
  [[nodiscard]] std::uint16_t worker_number() const noexcept { return worker_; }
  [[nodiscard]] std::size_t ring_events() const noexcept { return ring_.capacity(); }
  [[nodiscard]] bool take(event& out) noexcept {
    packed_event packed;
    if (!ring_.take(packed)) return false;
    out = unpack(packed);
    return true;
  }
  // What the handler has noted; `label` is its name.
  [[nodiscard]] bool take_note(event& out, const char*& label) noexcept {
    packed_event packed;
    if (!notes_.take(packed)) return false;
    out = event{.time_ns = static_cast<std::int64_t>(packed.at[0]),
                .task = packed.at[1],
                .argument = packed.at[2],
                .detail = k_no_detail,
                .worker = worker_,
                .kind = event_kind::spawn,
                .reserved = 0};
    label = reinterpret_cast<const char*>(packed.at[3]);
    return true;
  }
  // Events that the ring refused so far.
  [[nodiscard]] std::uint64_t refused() const noexcept {
    return refused_.load(std::memory_order_relaxed);  // statistic
  }
  // Events that were overwritten before take() came to them.
  [[nodiscard]] std::uint64_t overwritten() const noexcept { return ring_.lost(); }

 private:
  void store(std::uint64_t task, std::uint64_t argument, std::uint32_t detail, event_kind kind) noexcept;
  [[gnu::cold, gnu::noinline]] void store_in_full_ring(const packed_event& what) noexcept;
  [[nodiscard]] packed_event pack(std::int64_t ticks, std::uint64_t task, std::uint64_t argument, std::uint32_t detail,
                                  event_kind kind) const noexcept {
    return {{static_cast<std::uint64_t>(ticks), task, argument,
             detail | std::uint64_t{worker_} << 32 | static_cast<std::uint64_t>(kind) << 48}};
  }

  // Any thread.
  std_atomics::atomic<bool> enabled_{false};
  std_atomics::atomic<std::uint64_t> refused_{0};  // written by the worker

  // Worker only.
  bool has_gap_ = false;
  const std::uint16_t worker_;
  const clock_source clock_;
  make_room make_room_ = nullptr;
  void* session_ = nullptr;
  std::int64_t look_again_ticks_ = (std::numeric_limits<std::int64_t>::max)();
  std::unique_ptr<usage_log> usage_;

  ring<4> ring_;
  static constexpr std::size_t k_notes = 256;  // guess
  ring<4> notes_{k_notes, when_full::refuse_new};
};

// Records events of threads that are no workers, one at a time under a lock.
class outside_recorder : public recorder_verbs<outside_recorder> {
 public:
  outside_recorder(std::size_t ring_events, when_full full, clock_source clock)
      : inner_{worker_id::none(), ring_events, full, clock} {}

  [[nodiscard]] bool is_enabled() const noexcept { return inner_.is_enabled(); }
  void record(const event& what) noexcept {
    const std::lock_guard lock{mutex_};
    inner_.record(what);
  }

  // The session's view of it.
  [[nodiscard]] recorder& inner() noexcept { return inner_; }

 private:
  std::mutex mutex_;
  recorder inner_;  // its verbs are guarded by mutex_
};

// Records the events of a simulated worker at the simulator's time, straight into the recording it belongs to.
class virtual_recorder : public recorder_verbs<virtual_recorder> {
 public:
  // `now_ns` and `out` outlive the recorder.
  virtual_recorder(worker_id worker, const time_ns& now_ns, std::vector<event>& out)
      : now_ns_{&now_ns}, out_{&out}, worker_{static_cast<std::uint16_t>(worker.value)} {}

  [[nodiscard]] bool is_enabled() const noexcept { return true; }
  void record(event what) {
    what.time_ns = *now_ns_;
    what.worker = worker_;
    out_->push_back(what);
  }

 private:
  const time_ns* now_ns_;
  std::vector<event>* out_;
  std::uint16_t worker_;
};

// Records nothing, takes no space, compiles to nothing.
class null_recorder : public recorder_verbs<null_recorder> {
 public:
  [[nodiscard]] static constexpr bool is_enabled() noexcept { return false; }
  static constexpr void record(const event&) noexcept {}
};
static_assert(std::is_empty_v<null_recorder>);

// What a worker may call, whichever recorder it was built with.
template <class R>
concept event_recorder = requires(R& r, const R& constant, event what, task_id task, worker_id worker, name_id name) {
  { constant.is_enabled() } noexcept -> std::same_as<bool>;
  r.record(what);
  { r.spawn(task, task, name) } noexcept;
  { r.start(task) } noexcept;
  { r.end(task) } noexcept;
  { r.steal_attempt(worker) } noexcept;
  { r.steal_success(worker, task, std::uint64_t{}) } noexcept;
  { r.steal_lost(worker) } noexcept;
  { r.steal_empty(worker) } noexcept;
  { r.inject(task, worker) } noexcept;
  { r.park() } noexcept;
  { r.wake(worker) } noexcept;
  { r.notify(worker) } noexcept;
  { r.suspend(task, name) } noexcept;
  { r.resume(task) } noexcept;
  { r.join(task) } noexcept;
  { r.join(task, task) } noexcept;
  { r.woken(task, task, name) } noexcept;
  { r.block(task, name) } noexcept;
  { r.unblock(task) } noexcept;
  { r.name(task, name) } noexcept;
  { r.cancel(task) } noexcept;
  { r.queue_length(std::uint64_t{}) } noexcept;
  { r.counter(name, std::int64_t{}) } noexcept;
};
static_assert(event_recorder<recorder> && event_recorder<outside_recorder> && event_recorder<virtual_recorder> &&
              event_recorder<null_recorder>);

}  // namespace filch::inline v0::trace
