// The model checker: runs a small concurrent program under the C++20 memory model, in every way or in many ways.
//
//   check::result r = check::run({.mode = check::exhaustive{.preemptions = 2}}, [](check::context& c) {
//     check::atomics::atomic<int> x{0};
//     c.thread("writer", [&] { x.store(1, std::memory_order_relaxed); });
//     c.thread("reader", [&] { seen = x.load(std::memory_order_relaxed); });
//     c.join_all();
//     check::require(seen <= 1, "seen is a value that was written", seen);
//   });
//   EXPECT_FALSE(r.failed) << r.report;
//
// The body is thread 0. It is called once per execution, so it creates everything it uses. README.md beside this folder
// tells the memory model step by step, what a schedule looks like and how to replay one.
//
// Environment: FILCH_CHECK_REPLAY=[name@]path replays one execution instead of exploring (and prints its schedule);
// FILCH_CHECK_WEAKEN=file.hpp:LINE[:how][,…] weakens orders; FILCH_SEED=n replaces the seed of random and pct.
#pragma once

#include <filch/base/assert.hpp>

#include <cstdint>
#include <functional>
#include <source_location>
#include <string>
#include <string_view>
#include <variant>

namespace filch::check {

// ---- what to explore ------------------------------------------------------------------------------------------------

inline constexpr unsigned k_unbounded = 1'000'000;

// Depth-first over all choices, with at most `preemptions` switches away from a thread that could have gone on.
struct exhaustive {
  unsigned preemptions = 2;
  unsigned spins = 1;  // how often a thread may go on at once after pause(), though no other thread has run
  std::uint64_t max_executions = 5'000'000;
};

// Every choice at random; the inclination to switch threads differs from execution to execution.
struct random {
  std::uint64_t seed = 1;
  std::uint64_t iterations = 10'000;
  std::uint64_t first = 0;  // the first iteration: {seed, 1, n} repeats iteration n
};

// Probabilistic concurrency testing (Burckhardt et al. 2010): random priorities and depth − 1 random priority changes.
struct pct {
  std::uint64_t seed = 1;
  unsigned depth = 3;
  std::uint64_t iterations = 10'000;
  std::uint64_t first = 0;
};

// One execution again, from its printed path.
struct replay {
  std::string path;
};

struct options {
  std::variant<exhaustive, random, pct, replay> mode = exhaustive{};
  std::string name{};                   // distinguishes the runs of one test in FILCH_CHECK_REPLAY
  std::string weaken{};                 // as FILCH_CHECK_WEAKEN
  std::uint64_t max_steps = 20'000;     // operations of one execution; more is a livelock
  unsigned stale_reads = 2;             // how often in a row a thread may read the same outdated store of a location
  unsigned spurious_wakeups = 1;        // per execution
  unsigned early_timeouts = 1;          // per execution: waits with a deadline that time out although others could run
  bool timeouts_rescue = true;          // a deadline passes when nothing else can run; false: that is a deadlock
  bool weak_modification_order = true;  // a store may go before stores that its thread has not seen (2+2W)
  bool check_leaks = true;
  bool print_failure = true;  // the report of a failed run goes to standard error
};

// ---- what came of it ------------------------------------------------------------------------------------------------

enum class failure : std::uint8_t {
  none,
  assertion,       // require() or FILCH_ASSERT
  race,            // plain data, construction or destruction not ordered by happens-before
  use_after_free,  // an access to a dead object, a double free, a free of what was never made
  deadlock,        // no thread can run, some are unfinished: also the lost wake-up
  livelock,        // more steps than max_steps
  leak,            // made and never destroyed
  user,            // an exception left a thread, or the checker was used wrongly
};

[[nodiscard]] const char* name_of(failure kind);

struct result {
  std::uint64_t executions = 0;
  std::uint64_t operations = 0;  // over all executions
  bool exhausted = false;        // every execution within the bounds was seen
  bool failed = false;
  failure kind = failure::none;
  std::string message{};
  std::string schedule{};            // of the failed execution, or of the replayed one: one line per operation
  std::string path{};                // its choices
  std::uint64_t iteration = 0;       // its number; with mode and seed it names the execution too
  std::uint64_t weaken_matched = 0;  // operations at a line named by `weaken`
  std::uint64_t weaken_changed = 0;  // those of them whose order became weaker
  std::string report{};              // everything above as text
};

// ---- inside an execution --------------------------------------------------------------------------------------------

class context {
 public:
  // Starts a thread. It may run from now on; it happens after everything the caller did before.
  void thread(std::string_view name, std::function<void()> function);
  // Waits for every thread; what they did happens before what follows. Only the body calls it.
  void join_all(std::source_location where = std::source_location::current());

  template <class... Values>
  void require(bool condition, const char* message, const Values&... values);
};

[[nodiscard]] result run(const options& how, const std::function<void(context&)>& body);

// True while the calling code runs inside an execution.
[[nodiscard]] bool is_running();

// Fails the execution: never returns.
[[noreturn]] void fail(const char* message, const assert_value* values, unsigned value_count);

template <class... Values>
void require(bool condition, const char* message, const Values&... values) {
  if (condition) [[likely]]
    return;
  const assert_value list[] = {assert_value::of(values)..., assert_value::of(0)};
  fail(message, list, sizeof...(Values));
}

template <class... Values>
void context::require(bool condition, const char* message, const Values&... values) {
  check::require(condition, message, values...);
}

// A choice of the test itself among 0 … count − 1, explored like the checker's own.
[[nodiscard]] unsigned choose(unsigned count);

// A note in the schedule.
void note(std::string_view text);

}  // namespace filch::check
