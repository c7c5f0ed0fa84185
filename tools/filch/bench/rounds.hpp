// Measures every runtime in turn, round by round, and makes ratios of what belongs together.
//
// In a round each measurement is run once for every runtime and number of threads, one right after the other, together
// with the serial code that belongs to it: by the same compiler and of the same size. A ratio is taken inside a round;
// what is reported is the median over the rounds. The order of the runtimes changes from round to round.
//
// Asynchronous shapes have no serial code: the ratio is that of filch to the peer, and every result is compared with what
// must come out.
#pragma once

#include <cstdint>
#include <functional>
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
  std::uint32_t repetitions = 3;  // in one process; their median counts
  double limit_s = 60;            // for one process
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
  std::vector<double> ns{};      // by round; of a shape: nanoseconds or bytes per operation
  std::vector<double> ratios{};  // to serial code, by round; of a shape: filch's value to this one, if filch has it
  std::vector<double> to_own{};  // to filch by the same compiler or the first one, by round; empty if sizes differ
};

// `say` is called before each run with what comes. Throws `failure` when a result differs from the serial code's.
[[nodiscard]] std::vector<bench_row> measure_rounds(const std::vector<bench_program>& programs, const bench_plan& plan,
                                                    const std::function<void(const std::string&)>& say);

[[nodiscard]] double median(std::vector<double> values);

}  // namespace filch::tool
