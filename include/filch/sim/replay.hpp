// Recorded runs as workloads: the tasks of a recording, with the work, the children and the waits that it shows, on
// another machine, with more workers or under another policy.
//
// What a recording tells, and how it is read:
//   - A task computes between its start (or resume, unblock) and its end (or suspend, block), less the time of tasks
//     that ran inside it on the same worker.
//   - A spawn cuts the parent's work in two: it happens when the parent has done as much as it had then.
//   - A `join` that names a child waits for that one. Any other waits for those children that had ended by then and
//     were in no join before. Where other children of the task had not, as in a join inside a join, it waits for each
//     of these alone.
//   - In a recording without joins a task that suspended or blocked while a child had not ended waits there for all its
//     children so far, and at its end if all its children had ended before it did.
//   - A task that another task made ready (`woken`) continues after the work of that task until then: locks and
//     channels keep the order of the recording.
//   - A wait for anything else has no cause in the events: it ends at once, and waits_left_out counts it.
//   - A task without a parent comes from outside. When all tasks before it had ended, the thread that submitted it had
//     waited for them: it comes when they have ended, and as long after that as in the recording. So do loops and joins
//     that a thread calls one after the other. When others were alive it comes at its time, counted from the last task
//     that followed all others. In a recording of a simulated run all come at their times: no thread waits there.
//   - A task that was about to end counts as ended: its waiter may have continued before its end was recorded.
//   - A task without a start, and all that a gap in the recording hides, is left out; `gaps` counts the lost events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filch/base/units.hpp>
#include <filch/sim/workload.hpp>
#include <filch/trace/recording.hpp>
#include <span>
#include <string>
#include <vector>

namespace filch::inline v0::sim {

// What the tasks of a recording do: 8 bytes for an act, and 12 for a task.
struct recorded_tasks {
  // One step of a task. The value is nanoseconds of work, or the number of a child, of a task or of a signal.
  class act {
   public:
    enum class kind : std::uint8_t {
      work,     // computes
      spawn,    // makes a child for which the next join waits
      release,  // makes a task that is not awaited
      fork,     // makes a task whose end one task awaits
      join,     // waits for all children that were spawned
      await,    // waits for the end of a task that was forked
      signal,   // makes the task that waits for this signal ready
      wait,     // waits for a signal
    };

    constexpr act() = default;
    constexpr act(kind what, std::int64_t value)
        : word_{static_cast<std::uint64_t>(value) << k_bits | static_cast<std::uint64_t>(what)} {}

    [[nodiscard]] constexpr kind what() const { return static_cast<kind>(word_ & ((1u << k_bits) - 1)); }
    [[nodiscard]] constexpr std::int64_t value() const { return static_cast<std::int64_t>(word_ >> k_bits); }
    [[nodiscard]] constexpr std::uint32_t task() const { return static_cast<std::uint32_t>(word_ >> k_bits); }
    [[nodiscard]] constexpr bool makes_task() const {
      return what() == kind::spawn || what() == kind::release || what() == kind::fork;
    }

    friend bool operator==(const act&, const act&) = default;

   private:
    static constexpr unsigned k_bits = 3;
    std::uint64_t word_ = 0;
  };
  struct root {
    static constexpr time_ns k_at_its_time = -1;

    time_ns at_ns = 0;
    std::uint32_t task = 0;
    time_ns gap_ns = k_at_its_time;  // else: it comes so long after the end of all tasks before it

    [[nodiscard]] bool comes_after_all() const { return gap_ns != k_at_its_time; }
    friend bool operator==(const root&, const root&) = default;
  };

  // Those of task i are acts[begins[i]] to acts[begins[i + 1]].
  std::vector<act> acts;
  std::vector<std::uint64_t> begins{0};
  std::vector<std::uint32_t> name_of;  // by task: its place in `names`
  std::vector<std::string> names;      // each once; tasks without a name have an empty one
  std::vector<root> roots;             // in the order of their times
  std::uint32_t signals = 0;           // signals are numbered from 0 up to this
  std::uint64_t waits_left_out = 0;
  std::uint64_t gaps = 0;

  [[nodiscard]] std::size_t size() const { return begins.size() - 1; }
  [[nodiscard]] std::span<const act> acts_of(std::size_t task) const {
    return std::span{acts}.subspan(begins[task], begins[task + 1] - begins[task]);
  }
  // The acts of one more task, whose number is size() before.
  void add(std::span<const act> does, std::uint32_t name);
  // The place of a name in `names`, where it is put if it is new.
  [[nodiscard]] std::uint32_t number_of_name(const std::string& name);

  [[nodiscard]] time_ns work_ns() const;
  // Of each name, by its place in `names`.
  [[nodiscard]] std::vector<time_ns> work_by_name_ns() const;
  // The gaps of all roots: time in which no task was alive between the first and the last.
  [[nodiscard]] time_ns outside_ns() const;
  // The time for which the run waits for tasks that come at their times, if all work takes none.
  [[nodiscard]] time_ns arrivals_ns() const;
  // The longest chain of work, from the first arrival on, with the gaps and the arrivals; every step from a spawn to
  // its child, and from a child or a signal to its waiter, takes `burden_ns` more.
  [[nodiscard]] time_ns span_ns(time_ns burden_ns = 0) const;

  // Throws std::invalid_argument when the recording is broken (recording::check) or holds no task that ran.
  [[nodiscard]] static recorded_tasks from(const trace::recording& recording);
};

class replay final : public workload {
 public:
  // The tasks outlive the workload.
  explicit replay(const recorded_tasks& tasks, join_mode how = join_mode::continuation) : tasks_{tasks}, how_{how} {}

  // Work takes this part of its recorded time: 1'150'000 for 15 % more.
  void inflate(std::uint32_t work_ppm) { work_ppm_ = work_ppm; }

  bool next_arrival(arrival& out) override;
  bool next_after_all(time_ns ended_ns, arrival& out) override;
  next_step resume(task& self, task_context& with) override;

 private:
  arrival take_root();

  static constexpr std::uint32_t k_as_recorded_ppm = 1'000'000;
  static constexpr std::uint64_t k_awaited = std::uint64_t{1} << 63;  // in the first word of a task that was forked

  const recorded_tasks& tasks_;
  join_mode how_;
  std::uint32_t work_ppm_ = k_as_recorded_ppm;
  std::size_t next_ = 0;
  time_ns shift_ns_ = 0;  // a root that comes at its time comes so much later than in the recording
};

}  // namespace filch::inline v0::sim
