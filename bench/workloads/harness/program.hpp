// A program that measures one runtime. Every file <workload>/<runtime>.cpp adds one workload to it.
//
//   program --about                                  one line of JSON: runtime, compiler, flags, workloads
//   program WORKLOAD SIZE THREADS REPETITIONS        one line of JSON per repetition: ns, cpu_ns, checksum, perhaps bytes
//
// Every program in every language speaks this; `filch bench` drives them. Before the repetitions come some that are not
// printed, for a tenth of a second and one at least: so threads are started, caches filled, pages there, and branches
// known to the processor. THREADS = 0 asks for serial code, which the C++ program `serial` has, and those in other languages
// for themselves. Of `serial`, N threads are that many copies of the serial code at once; `ns` is then the time of one at the
// speed of all together.
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
