// The graph of the tasks of a run, read from its recording.
//
// A strand is a part of one task on one worker with no edge in its middle. Edges give the order:
//   go_on   the strand before it of the same task (`strand::before`; not in `edges`)
//   spawn   from the strand of the parent that ends with the spawn to the first strand of the child
//   join    from the last strand of a child to the strand of the parent that begins behind the join
//   wake    from the strand that woke a suspended task to the one with which it resumes
//
//   (I1) Every edge goes from a lower to a higher strand number, and no strand begins before its predecessors have
//        ended. So the numbers are an order of the graph, and no chain is longer than the run.
//   (I2) `edges` are sorted by `to`.
//   (I3) The strands of one worker do not overlap.
//
// Which children a task joins: the one that its `join` names, or all that had ended when it recorded a `join`. In a
// recording without any `join` a task joins, whenever it is resumed, the children that have ended by then, and at its
// end all of them if all have ended. A fork that no thief took is not a task; a fork that was taken is cut off its
// parent where it was taken.
//
// Built once, in a time proportional to the number of events; plain data from then on, so any thread may read it.
#pragma once

#include <cstdint>
#include <filch/base/units.hpp>
#include <filch/trace/recording.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace filch::analysis {

inline constexpr std::uint32_t k_none = UINT32_MAX;

enum class edge_kind : std::uint8_t { spawn, join, wake };

struct edge {
  std::uint32_t from = k_none;
  std::uint32_t to = k_none;
  edge_kind kind = edge_kind::spawn;

  friend bool operator==(const edge&, const edge&) = default;
};

// Why a strand begins where it does.
enum class entry : std::uint8_t {
  first,    // the task begins; it was ready since its spawn
  cut,      // it never left its worker: a spawn or a join lies here, or a task that ran inside it
  queued,   // it forked and lay in a queue, ready to go on
  joined,   // it waited for children
  woken,    // it waited for another task, which woke it
  outside,  // it waited for something outside the recording: a timer, a file, another thread
  blocked,  // it was inside a blocking call; the worker ran other tasks meanwhile
};

struct strand {
  time_ns begin_ns = 0;
  time_ns end_ns = 0;
  time_ns ready_ns = 0;  // from then on it could have run; begin_ns - ready_ns it waited for a worker
  std::uint32_t task = k_none;
  std::uint32_t before = k_none;              // the strand before it of the same task
  std::uint32_t reason = trace::k_no_detail;  // name of what it waited for
  std::uint16_t worker = 0;
  entry why = entry::first;

  [[nodiscard]] time_ns length_ns() const { return end_ns - begin_ns; }
};

struct task {
  std::uint64_t id = trace::k_no_task;
  std::uint32_t parent = k_none;
  std::uint32_t name = trace::k_no_detail;
  std::uint32_t last = k_none;  // its last strand; none: it never ran
  std::uint32_t children = 0;   // spawned by it
  time_ns spawned_ns = -1;      // -1: not known
  time_ns started_ns = -1;
  time_ns ended_ns = -1;
  time_ns work_ns = 0;

  [[nodiscard]] bool has_ended() const { return ended_ns >= 0; }
};

// A chain through the graph, in the order of time.
struct chain {
  time_ns length_ns = 0;  // with the burdens
  std::vector<std::uint32_t> strands;
};

class dag {
 public:
  // (I1) to (I3) hold for every recording, even for one that contradicts itself.
  [[nodiscard]] static dag from(const trace::recording& recording);

  std::vector<task> tasks;
  std::vector<strand> strands;
  std::vector<edge> edges;
  std::vector<trace::name_entry> names;
  std::uint32_t workers = 0;
  std::uint64_t lost_events = 0;
  time_ns begin_ns = 0;  // the first spawn or strand
  time_ns end_ns = 0;    // the end of the last task or strand

  [[nodiscard]] time_ns makespan_ns() const { return end_ns - begin_ns; }
  [[nodiscard]] std::uint64_t ended_tasks() const;
  [[nodiscard]] time_ns work_ns() const;
  // The longest chain, when every spawn, join and wake on it takes `burden_ns` more.
  [[nodiscard]] time_ns span_ns(time_ns burden_ns = 0) const;
  [[nodiscard]] chain critical_path(time_ns burden_ns = 0) const;
  // The longest chain when events outside count as well: the arrival of tasks that no task spawned, and waits that no
  // task ends. No number of workers shortens it. At least the span, at most the makespan.
  [[nodiscard]] time_ns elapsed_span_ns() const;

  // "load"; "task 7" when it has no name.
  [[nodiscard]] std::string name_of_task(std::uint32_t task) const;
  // The text of a name; nothing when there is none.
  [[nodiscard]] std::string_view text_of(std::uint32_t name) const;
};

// What a steal costs a task on the critical path, in place of 15 000 cycles of Cilkview (a guess: 3 GHz).
inline constexpr time_ns k_burden_ns = 5'000;

}  // namespace filch::analysis
