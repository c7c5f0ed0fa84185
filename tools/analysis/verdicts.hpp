// The verdicts and their thresholds. All are shares, so that they hold on slow and on busy machines.
//
// | id | cause | reported when |
// |---|---|---|
// | serial-phase | program | workers are idle beside one running task, or beside none at all |
// | oversized-task | program | … and that task has k_oversized times the work of its siblings or namesakes |
// | too-few-tasks | program | workers are idle beside several running tasks, and none is ready |
// | hot-lock | program | workers are idle while tasks wait for a lock |
// | blocking-call | program | workers are idle while tasks are blocked outside |
// | fine-tasks | program | handling tasks takes k_fine of what they and their work take together, and they are short |
// | work-inflation | program | with a baseline: the same tasks have k_inflated times the work |
// | blocked-in-kernel | program | threads slept in the kernel while they ran tasks |
// | memory-bound | program | an instruction takes k_inflated times the cycles when most workers run the same tasks |
// | starving-policy | scheduler | workers sleep or look in vain while tasks are ready |
// | busy-machine | machine | threads that were ready to run had no processor, or that explains one of the others |
// | ok | none | none of these |
// | no-work | none | no task of the recording took any time |
//
// A fault is reported when it costs k_worth_saying of all workers' time; fine-tasks, of the time in which they worked
// or handled tasks, because a busy machine makes workers wait as well.
//
// A cost that a busy machine alone explains is no verdict. If the recording has samples, time in which a task had no
// processor is neither its work nor time that it ran alone; of the time in which workers are idle, only the part counts
// in which the running tasks had a processor; and costs are compared with the rest of the workers' time. Handling is
// counted in medians and needs no such correction.
#pragma once

#include <filch/trace/recording.hpp>
#include <vector>

#include "findings.hpp"

namespace filch::analysis {

inline constexpr double k_worth_saying = 0.10;
inline constexpr double k_oversized = 3.0;
inline constexpr double k_fine = 0.25;
// Making, taking and ending a task costs less than this on every measured machine. A task as long as k_never_fine of
// them is never too fine: a longer break between two such tasks is a thread without a processor.
inline constexpr time_ns k_dearest_task_ns = 2'000;
inline constexpr time_ns k_never_fine = 50;
inline constexpr double k_handling_goal = 0.05;
inline constexpr double k_inflated = 1.2;

// How many tasks to merge into one so that handling takes k_handling_goal of the whole.
[[nodiscard]] std::uint64_t merge_of(const task_group& tasks);

[[nodiscard]] std::vector<verdict> verdicts_of(const findings& found, const dag& graph, const trace::recording& from);

// The program's before the scheduler's before the machine's, the most expensive first.
void sort_by_cost(std::vector<verdict>& all);

}  // namespace filch::analysis
