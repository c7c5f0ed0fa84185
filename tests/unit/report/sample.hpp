// Recordings for the report's tests: made up with the simulator's recorder, or recorded from the real runtime.
#pragma once

#include <cstdint>
#include <filch/trace/recording.hpp>

namespace filch_report_test {

// A tree of `tasks` tasks on `workers` workers that steal from each other in virtual time: exactly so many are spawned,
// started and ended. Every 97th task is suspended once and goes on at another worker.
[[nodiscard]] filch::trace::recording made_up(std::uint32_t workers, std::uint64_t tasks, std::uint64_t seed);

// The same with holes: one worker lost events in the middle, another at the end; one task blocks its worker.
[[nodiscard]] filch::trace::recording with_gaps();

// A tree of about `tasks` tasks on the thread runtime.
[[nodiscard]] filch::trace::recording recorded(std::uint32_t workers, std::uint64_t tasks);

// A tree of forks and joins in the simulator, on workers of two NUMA nodes, odd and even ones.
[[nodiscard]] filch::trace::recording simulated(std::uint32_t workers, std::uint32_t depth);

}  // namespace filch_report_test
