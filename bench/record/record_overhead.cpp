// What recording costs: three kernels, plain and recorded in turn, in one run.
//
//   record_overhead [rounds] [workers]      a table, then one line of JSON; 9 rounds and 1 worker unless told otherwise
//
// Recorded means: to a file, with forks as FILCH_TRACE records them (fork_detail::beat). The figures are the medians of
// the rounds, and the ratio is that of the medians; the smallest of each is there as well, for machines that are busy.
#include <filch/runtime/runtime.hpp>
#include <filch/trace/session.hpp>
#include <kernels/parallel/fib.hpp>
#include <kernels/parallel/nqueens.hpp>
#include <kernels/parallel/uts.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <time.h>
#include <unistd.h>

namespace {

using namespace filch;

struct program {
  const char* name;
  std::function<std::uint64_t()> run;
};

struct figures {
  std::vector<double> plain_ms;
  std::vector<double> recorded_ms;
  trace::spill_summary said;
};

time_ns thread_cpu_ns() {
  timespec now{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<time_ns>(now.tv_sec) * k_ns_per_s + now.tv_nsec;
}

// With one worker the CPU time of its thread, so that who else uses the machine hardly matters; otherwise the time on
// the wall.
double timed_ms(const program& what, std::uint32_t workers, trace::session* session) {
  runtime rt{{.workers = workers, .trace = session}};
  if (session != nullptr) session->start();
  const time_ns began_ns = monotonic_now_ns();
  const auto [result, cpu_ns] = rt.run([&] {
    const time_ns before_ns = thread_cpu_ns();
    const std::uint64_t computed = what.run();
    return std::pair{computed, thread_cpu_ns() - before_ns};
  });
  const time_ns ended_ns = monotonic_now_ns();
  if (result == 0) std::puts("a kernel computed nothing");
  return static_cast<double>(workers == 1 ? cpu_ns : ended_ns - began_ns) * 1e-6;
}

double median(std::vector<double> all) {
  std::ranges::sort(all);
  return all[all.size() / 2];
}

figures measure(const program& what, int rounds, std::uint32_t workers) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("record_overhead." + std::to_string(::getpid()) + ".filch")).string();
  figures out;
  (void)timed_ms(what, workers, nullptr);  // warms up
  for (int i = 0; i != rounds; ++i) {
    out.plain_ms.push_back(timed_ms(what, workers, nullptr));
    trace::session session{
        {.workers = workers, .spill = file, .forks = trace::fork_detail::beat, .thread_usage = true}};
    out.recorded_ms.push_back(timed_ms(what, workers, &session));
    out.said = session.finish();
  }
  std::filesystem::remove(file);
  return out;
}

}  // namespace

int main(int count, char** words) {
  const int rounds = count > 1 ? std::max(std::atoi(words[1]), 1) : 9;
  const auto workers = static_cast<std::uint32_t>(count > 2 ? std::max(std::atoi(words[2]), 1) : 1);
  const program all[] = {
      {"nqueens", [] { return kernels::nqueens(12); }},
      {"fib", [] { return kernels::fib(36); }},
      {"uts",
       [] {
         const auto tree = kernels::uts_t1(7);
         return kernels::uts(tree, kernels::uts_root(tree));
       }},
  };
  std::printf("%u worker(s), %d rounds, medians (smallest)\n", workers, rounds);
  std::printf("%-8s %18s %18s %7s %8s %11s %8s\n", "program", "plain ms", "recorded ms", "ratio", "tasks", "bytes/task",
              "dropped");
  std::string json = "{\"workers\": " + std::to_string(workers) + ", \"rounds\": " + std::to_string(rounds);
  for (const program& each : all) {
    const figures found = measure(each, rounds, workers);
    const double ratio = median(found.recorded_ms) / median(found.plain_ms);
    const double least = std::ranges::min(found.recorded_ms) / std::ranges::min(found.plain_ms);
    const double per_task =
        static_cast<double>(found.said.bytes) / static_cast<double>(std::max<std::uint64_t>(found.said.tasks, 1));
    std::printf("%-8s %9.2f (%6.2f) %9.2f (%6.2f) %7.3f %8llu %11.1f %8llu\n", each.name, median(found.plain_ms),
                std::ranges::min(found.plain_ms), median(found.recorded_ms), std::ranges::min(found.recorded_ms), ratio,
                static_cast<unsigned long long>(found.said.tasks), per_task,
                static_cast<unsigned long long>(found.said.dropped));
    char text[256];
    std::snprintf(text, sizeof text,
                  ", \"%s\": {\"ratio\": %.4f, \"ratio_of_smallest\": %.4f, \"tasks\": %llu, \"bytes_per_task\": %.2f}",
                  each.name, ratio, least, static_cast<unsigned long long>(found.said.tasks), per_task);
    json += text;
  }
  std::printf("%s}\n", json.c_str());
}
