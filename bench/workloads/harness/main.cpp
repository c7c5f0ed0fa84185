#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "copies.hpp"
#include "program.hpp"

namespace filch::bench {
namespace {

std::vector<workload>& workloads() {
  static std::vector<workload> all;
  return all;
}

std::uint64_t now_ns(clockid_t clock) {
  timespec at{};
  ::clock_gettime(clock, &at);
  return static_cast<std::uint64_t>(at.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(at.tv_nsec);
}

void tell_about() {
  std::printf(
      "{\"runtime\": \"%s\", \"language\": \"C++\", \"compiler\": \"%s\", \"flags\": \"%s\", "
      "\"has_serial\": false, \"takes_turns\": true, \"workloads\": [",
      std::string{k_runtime}.c_str(), FILCH_BENCH_COMPILER, FILCH_BENCH_FLAGS);
  const char* between = "";
  for (const workload& each : workloads()) {
    std::printf("%s\"%s\"", between, std::string{each.name}.c_str());
    between = ", ";
  }
  std::printf("]}\n");
}

// guess: most changes of speed of a short recursion, by what the processor knows of its branches, were seen within this
// time
constexpr std::uint64_t k_warm_up_ns = 100'000'000;

measured job_of(const workload& what, std::uint64_t size, unsigned threads) {
  if (k_runtime != "serial" || threads == 0) return what.make(size);
  const auto all = std::make_shared<copies>(what, size, threads);
  return {.run = [all] { all->run_all(); },
          .checksum = [all] { return all->checksum(); },
          .prepare = [all] { all->prepare(); },
          .own_ns = [all] { return all->shared_ns(); }};
}

// One run.
struct sample {
  std::uint64_t took_ns = 0;  // from outside
  std::uint64_t ns = 0;       // what is told
  std::uint64_t cpu_ns = 0;
};

sample run_once(const measured& job) {
  if (job.prepare) job.prepare();
  const std::uint64_t cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
  const std::uint64_t began_ns = now_ns(CLOCK_MONOTONIC);
  job.run();
  const std::uint64_t took_ns = now_ns(CLOCK_MONOTONIC) - began_ns;
  const std::uint64_t took_cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
  return {.took_ns = took_ns, .ns = job.own_ns ? job.own_ns() : took_ns, .cpu_ns = took_cpu_ns};
}

// The last of the runs that do not count.
sample warm_up(const measured& job) {
  const std::uint64_t warm_at_ns = now_ns(CLOCK_MONOTONIC) + k_warm_up_ns;
  for (;;) {
    const sample made = run_once(job);
    if (now_ns(CLOCK_MONOTONIC) >= warm_at_ns) return made;
  }
}

void tell(const sample& made, const measured& job) {
  std::printf("{\"ns\": %llu, \"cpu_ns\": %llu, \"checksum\": \"%llu\"", static_cast<unsigned long long>(made.ns),
              static_cast<unsigned long long>(made.cpu_ns), static_cast<unsigned long long>(job.checksum()));
  if (job.bytes) std::printf(", \"bytes\": %llu", static_cast<unsigned long long>(job.bytes()));
  std::printf("}\n");
  std::fflush(stdout);
}

// Waits for a line; false: there are no more.
bool is_its_turn() {
  int each = 0;
  do each = std::getchar();
  while (each != '\n' && each != EOF);
  return each == '\n';
}

// Runs that are shorter are run several times in a turn. guess
constexpr std::uint64_t k_short_ns = 10'000'000;
constexpr std::size_t k_most_runs = 15;

void take_turns(const measured& job) {
  std::uint64_t last_ns = warm_up(job).took_ns;
  std::printf("{\"ready\": true}\n");
  std::fflush(stdout);
  std::vector<sample> runs;
  while (is_its_turn()) {
    if (last_ns < k_short_ns) (void)run_once(job);  // caches and CPU are cold after the wait
    runs.clear();
    const std::uint64_t until_ns = now_ns(CLOCK_MONOTONIC) + k_short_ns;
    do runs.push_back(run_once(job));
    while (runs.size() != k_most_runs && now_ns(CLOCK_MONOTONIC) < until_ns);
    last_ns = runs.back().took_ns;
    const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
    std::ranges::nth_element(runs, middle, {}, &sample::ns);
    tell(*middle, job);
  }
}

// Without a number of repetitions: in turns.
void measure(const workload& what, std::uint64_t size, unsigned threads, std::optional<std::uint64_t> repetitions) {
  const measured job = job_of(what, size, threads);
  with_threads(threads, what.is_inside, [&] {
    if (!repetitions) return take_turns(job);
    warm_up(job);
    for (std::uint64_t done = 0; done != *repetitions; ++done) tell(run_once(job), job);
  });
}

std::optional<std::uint64_t> number(const char* text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc{} || *end != '\0' || value < least || value > most) return std::nullopt;
  return value;
}

int obey(int count, char** words) {
  if (count == 2 && std::string_view{words[1]} == "--about") {
    tell_about();
    return 0;
  }
  if (count != 5) {
    std::fprintf(stderr, "usage: %s --about | WORKLOAD SIZE THREADS REPETITIONS|turns\n", words[0]);
    return 2;
  }
  const bool is_serial = k_runtime == "serial";
  const auto size = number(words[2], 0, std::numeric_limits<std::uint64_t>::max());
  const auto threads = number(words[3], is_serial ? 0 : 1, 1024);
  const auto repetitions = number(words[4], 1, 1'000'000);
  if (!size || !threads || (!repetitions && std::string_view{words[4]} != "turns")) {
    std::fprintf(stderr, "%s %s %s: allowed are a size, %s threads, 1 to 1000000 repetitions or the word turns\n",
                 words[2], words[3], words[4], is_serial ? "0 to 1024" : "1 to 1024");
    return 2;
  }
  for (const workload& each : workloads()) {
    if (each.name != words[1]) continue;
    measure(each, *size, static_cast<unsigned>(*threads), repetitions);
    return 0;
  }
  std::fprintf(stderr, "%s has no workload \"%s\"; --about lists them\n", words[0], words[1]);
  return 2;
}

}  // namespace

added::added(workload what) { workloads().push_back(std::move(what)); }

}  // namespace filch::bench

int main(int count, char** words) {
  try {
    return filch::bench::obey(count, words);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", words[0], problem.what());
    return 1;
  }
}
