// A program that measures one runtime. Every file <workload>/<runtime>.cpp adds one workload to it.
//
//   program --about                                  one line of JSON: runtime, compiler, flags, workloads program
//   WORKLOAD SIZE THREADS REPETITIONS        one line of JSON per repetition: ns, cpu_ns, checksum, perhaps bytes
//   program WORKLOAD SIZE THREADS turns              in turns with other programs: below
//
// Every program in every language speaks this; `filch bench` drives them. Before the repetitions come some that are not
// printed, for a tenth of a second and one at least: so threads are started, caches filled, pages there, and branches
// known to the processor. THREADS = 0 asks for serial code, which the C++ program `serial` has, and those in other
// languages for themselves. Of `serial`, N threads are that many copies of the serial code at once; `ns` is then the
// time of one at the speed of all together.
//
// In turns: after the runs that are not printed comes the line {"ready": true}, then one line as above for each line
// that is read from standard input. Its end ends the program. While a program waits for a line others are measured, and
// the command stops it (SIGSTOP). A turn is one run. If a run takes less than 10 ms, one comes before it that does not
// count, since the wait has left caches and CPU cold, and others follow until 10 ms have passed, 15 in all at most; the
// one with the median of ns is printed. Who speaks this says "takes_turns": true to --about.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace filch::bench {

// One workload of one size, ready to be measured.
struct measured {
  std::function<void()> run;                // what is timed
  std::function<std::uint64_t()> checksum;  // of the result; the same in every language
  std::function<void()> prepare{};          // before every run, not timed
  std::function<std::uint64_t()> own_ns{};  // of the last run, instead of the time it took
  std::function<std::uint64_t()> bytes{};   // memory that the last run held at its height
};

struct workload {
  std::string_view name;
  std::function<measured(std::uint64_t size)> make;
  bool is_inside = true;  // run on one of the runtime's own threads, if it makes a difference
};

// Constructed at namespace scope: adds a workload to this program.
struct added {
  explicit added(workload what);
};

// ---- what a runtime provides: harness/<runtime>.cpp -----------------------------------------------------------------
extern const std::string_view k_runtime;

// Calls `body` while the runtime has so many threads; on one of them if `is_inside`.
void with_threads(unsigned threads, bool is_inside, const std::function<void()>& body);

}  // namespace filch::bench
