#include "catalogue.hpp"

#include <algorithm>
#include <array>
#include <filch/policy/names.hpp>
#include <string>
#include <utility>

#include "errors.hpp"

namespace filch::tool {
namespace {

constexpr std::array<measurement_kind, 13> k_kinds{{
    {"fib", "fib", 36, 27, 18, "fib(36), a fork at every call, no cut-off"},
    {"nqueens", "nqueens", 12, 12, 6, "12 queens, a fork for every queen that fits"},
    {"skynet", "skynet", 1'000'000, 100'000, 100, "a million leaves, ten children at every node"},
    {"matmul", "matmul", 1024, 1024, 64, "1024 × 1024 doubles, cache-oblivious"},
    {"mergesort", "mergesort", 10'000'000, 10'000'000, 10'000, "10 million numbers, parallel merge"},
    {"sort", "sort", 10'000'000, 10'000'000, 10'000, "10 million numbers by the runtime's own sort"},
    {"uts-t1", "uts_t1", 10, 10, 4, "Unbalanced Tree Search T1, geometric"},
    {"uts-t3", "uts_t3", 2000, 2000, 20, "Unbalanced Tree Search T3, binomial"},
    {"tree-sum-1k", "tree_sum", 1000, 1000, 500'000, "a tree of 1000 nodes, a thousand times"},
    {"tree-sum-10m", "tree_sum", 10'000'000, 1'000'000, 1'000'000, "a tree of 10 million nodes"},
    {"for-each-1k", "for_each", 1000, 1000, 5'000'000, "1000 cheap items, ten thousand times"},
    {"for-each-1m", "for_each", 1'000'000, 1'000'000, 10'000'000, "a million cheap items, ten times"},
    {"join-tiny", "join", 1'000'000, 100'000, 1000, "a million joins of two nearly empty calls"},
}};

// ---- asynchronous shapes: their checksums and numbers of operations ----------------------------------------

constexpr std::uint64_t as_many(std::uint64_t size) { return size; }
constexpr std::uint64_t sum_below(std::uint64_t size) { return size * (size - 1) / 2; }
constexpr std::uint64_t fib_of(std::uint64_t n) {
  std::uint64_t a = 0;
  std::uint64_t b = 1;
  for (; n != 0; --n) a = std::exchange(b, a + b);
  return a;
}
// Nodes with two children.
constexpr std::uint64_t fib_forks(std::uint64_t n) { return fib_of(n + 1) - 1; }
using enum bench_metric;
// Of runs that take a few milliseconds.
constexpr std::uint32_t k_often = 15;

constexpr std::array<measurement_kind, 19> k_async_kinds{{
    {"spawn-many", "spawn_many", 10'000, 10'000, 1000, "10 000 tasks submitted by an external thread", time, as_many,
     nullptr, k_often},
    {"spawn-inside", "spawn_inside", 10'000, 10'000, 1000, "10 000 tasks that one task spawns", time, as_many, nullptr,
     k_often},
    {"chained-spawn", "chained_spawn", 100'000, 100'000, 1000, "each task spawns the next", time, as_many},
    {"yield-many", "yield_many", 200'000, 200'000, 2000, "200 tasks yield in turn", time, as_many},
    {"ping-pong", "ping_pong", 20'000, 20'000, 200, "pairs of tasks send a value forth and back", time, as_many},
    {"spsc", "spsc", 200'000, 200'000, 2000, "one sender, one receiver, a channel of 64", time, sum_below},
    {"spsc-unbounded", "spsc_unbounded", 200'000, 200'000, 2000, "the same without a bound", time, sum_below},
    {"mpsc", "mpsc", 200'000, 200'000, 2000, "four senders, one receiver, a channel of 64", time, sum_below},
    {"mpsc-unbounded", "mpsc_unbounded", 200'000, 200'000, 2000, "the same without a bound", time, sum_below},
    {"mpmc", "mpmc", 200'000, 200'000, 2000, "four senders, four receivers, a channel of 64", time, sum_below},
    {"mpmc-unbounded", "mpmc_unbounded", 200'000, 200'000, 2000, "the same without a bound", time, sum_below},
    {"mutex", "mutex", 80'000, 80'000, 800, "eight tasks hand a lock around and yield with it", time, as_many},
    {"sleepers-cpu", "sleepers", 1'000'000, 100'000, 1000, "CPU time of a task that sleeps, of a million", cpu_time,
     as_many, nullptr, 1},
    {"sleepers-memory", "sleepers", 1'000'000, 100'000, 1000, "and its memory in bytes, when all sleep", memory,
     as_many, nullptr, 1},
    {"timer-churn", "timer_churn", 80'000, 80'000, 800, "a timer is set and cancelled", time, as_many},
    {"fib", "fib", 25, 25, 12, "fib(25), per fork", time, fib_of, fib_forks},
    {"skynet", "skynet", 100'000, 100'000, 100, "a tree of 100 000 leaves, ten children at every node", time,
     sum_below},
    {"wake", "wake", 500, 500, 20, "from outside to the start on a sleeping worker, median", time, as_many, nullptr, 1},
    {"wake-p99", "wake_p99", 500, 500, 20, "the same, 99th percentile", time, as_many, nullptr, 1},
}};

constexpr std::array<known_peer, 6> k_peers{{
    {"tbb", "oneTBB", true, "libtbb-dev"},
    {"std_par", "std::execution::par", true, "libtbb-dev"},
    {"openmp", "OpenMP", true, "libomp-19-dev for clang 19; g++ brings its own"},
    {"rayon", "rayon", false, "cargo, librust-rayon-dev"},
    {"goroutines", "Go", false, "golang-go"},
    {"forkjoin", "Java", false, "default-jdk-headless"},
}};

constexpr std::array<known_peer, 5> k_async_peers{{
    {"asio", "Asio", true, "libasio-dev"},
    {"tokio", "tokio", false, "cargo, librust-tokio-dev"},
    {"goroutines", "Go", false, "golang-go"},
    {"java_forkjoinpool", "Java's ForkJoinPool", false, "default-jdk-headless"},
    {"java_threads", "Java's threads", false, "default-jdk-headless"},
}};

}  // namespace

std::span<const known_peer> all_peers() { return k_peers; }

std::span<const known_peer> all_async_peers() { return k_async_peers; }

std::span<const measurement_kind> all_measurement_kinds() { return k_kinds; }

std::span<const measurement_kind> all_async_kinds() { return k_async_kinds; }

std::vector<measurement_kind> chosen_kinds(std::span<const measurement_kind> all,
                                           const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const measurement_kind& each : all) known.push_back(each.name);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end()) {
      throw bad_usage(policy::unknown_name("measurement", name, known));
    }
  }
  std::vector<measurement_kind> chosen;
  for (const measurement_kind& each : all) {
    if (names.empty() || std::ranges::find(names, each.name) != names.end()) chosen.push_back(each);
  }
  return chosen;
}

bool takes_small_sizes(std::string_view runtime) { return runtime.starts_with("OpenMP") || runtime == "goroutines"; }

}  // namespace filch::tool
