// Measures every runtime in turn, round by round, and makes ratios of what belongs together.
//
// In a round each measurement is run once for every runtime and number of threads, one right after the other, together
// with the serial code that belongs to it: by the same compiler and of the same size. A ratio is taken inside a round;
// what is reported is the median over the rounds. The order of the runtimes changes from round to round. With several
// threads serial code is also run in as many copies at once: the limit of the machine, since CPUs share caches, clock
// and neighbours.
//
// Where all programs of a measurement take turns, each is started once and warms up; then a round is one turn of each.
// The rounds of one measurement come one right after the other, so what is compared lies as close together as one run
// is long; and since rounds are cheap then, there are more of them, and more again while the host of a virtual machine
// disturbs. Elsewhere a round is a process for each, and all measurements.
//
// Asynchronous shapes have no serial code: the ratio is that of filch to the peer, and every result is compared with
// the expected one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catalogue.hpp"
#include "program.hpp"

namespace filch::tool {

enum class bench_clock : std::uint8_t { wall, cpu };

struct bench_plan {
  std::vector<measurement_kind> kinds;
  std::vector<std::uint32_t> threads;
  std::uint32_t rounds = 7;
  std::uint32_t most_rounds = 51;  // in turns, if they take little time
  std::uint32_t repetitions = 3;   // in one process, where programs do not take turns; their median counts
  double limit_s = 60;             // for one process; in turns: for its start, and for each turn
  bool is_quick = false;
  bench_clock clock = bench_clock::wall;
  bool is_async = false;  // shapes: values per operation, compared with filch instead of serial code
};

// One runtime at one measurement with one number of threads.
struct bench_row {
  measurement_kind kind;
  const bench_program* program = nullptr;
  std::uint32_t threads = 0;
  std::uint64_t size = 0;
  bool is_too_slow = false;      // a run exceeded the limit
  std::string problem{};         // how a run failed, or its serial code; empty: none did
  std::vector<double> ns{};      // by round; of a shape: nanoseconds or bytes per operation
  std::vector<double> ratios{};  // to serial code, by round; of a shape: filch's value to this one, if filch has it
  std::vector<double> to_own{};  // to filch by the same compiler or the first one, by round; empty if sizes differ
  // Measured in turns: by round, whether the host took the CPUs away in one of the ratio's two turns.
  std::vector<bool> is_disturbed{};
  // Measured in turns: the least time to the least of serial code in the same rounds, which may be undisturbed.
  std::optional<double> least_ratio{};

  // Has values that count. Not so: too slow, failed, or the command ended before its turn.
  [[nodiscard]] bool is_measured() const { return !is_too_slow && problem.empty() && !ns.empty(); }
};

struct bench_progress {
  std::function<void(const std::string&)> say;                                              // what comes
  std::function<void(const std::vector<bench_row>& rows, std::uint32_t rounds_done)> keep;  // after every measurement
};

struct measured_rounds {
  std::vector<bench_row> rows;
  std::uint32_t rounds_done = 0;  // of each that is over; fewer than planned: a signal has asked the command to end
  std::string ended_in{};         // and what ran then
};

// A row whose run fails or computes something else than it should has a `problem`, and is not run again.
[[nodiscard]] measured_rounds measure_rounds(const std::vector<bench_program>& programs, const bench_plan& plan,
                                             const bench_progress& progress);

}  // namespace filch::tool
