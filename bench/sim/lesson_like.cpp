// What bench/sim/python/lesson_like.py simulates, with filch: filch_lesson_like TASKS WORKERS spread|one SEED RUNS.
// Prints one JSON object. The measured time includes making the tasks, as in the Python programs.
#include <filch/base/random.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>

#include <time.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace {

using namespace filch;

bool read(const char* text, std::uint64_t& into) {
  const char* const end = text + std::strlen(text);
  const auto result = std::from_chars(text, end, into);
  return result.ec == std::errc{} && result.ptr == end;
}

double cpu_s() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

sim::task_list make_tasks(std::uint64_t tasks, std::uint64_t workers, bool is_spread, std::uint64_t seed) {
  random_stream random{seed};
  sim::task_list made;
  made.reserve(tasks);
  for (std::uint64_t i = 0; i != tasks; ++i) {
    const worker_id home{is_spread ? static_cast<std::uint32_t>(random.below(workers)) : 0};
    made.add(static_cast<time_ns>(random.uniform(0.5, 2.0) * k_ns_per_s), sim::target::at(home));
  }
  return made;
}

}  // namespace

int main(int count, char** words) {
  std::uint64_t tasks = 0;
  std::uint64_t workers = 0;
  std::uint64_t seed = 0;
  std::uint64_t runs = 0;
  const std::string_view start = count == 6 ? words[3] : "";
  if (count != 6 || !read(words[1], tasks) || !read(words[2], workers) || !read(words[4], seed) ||
      !read(words[5], runs) || tasks == 0 || workers == 0 || workers > 65535 || runs == 0 ||
      (start != "spread" && start != "one")) {
    std::fputs("usage: filch_lesson_like TASKS WORKERS spread|one SEED RUNS\n", stderr);
    return 2;
  }
  const auto machine = sim::machine_model::free(static_cast<std::uint32_t>(workers));
  const policy::search_options policy{
      .victims = policy::victims::random, .steal = policy::steal::one, .idle = policy::idle::poll(k_ns_per_s / 10)};
  double makespan_s = 0;
  std::uint64_t stolen = 0;
  const double began_s = cpu_s();
  for (std::uint64_t i = 0; i != runs; ++i) {
    sim::task_list load = make_tasks(tasks, workers, start == "spread", seed + i);
    const sim::run_result result = sim::simulate(machine, policy, load, {.seed = seed + i, .deaf_waits = true});
    makespan_s += static_cast<double>(result.makespan_ns) * 1e-9 / static_cast<double>(runs);
    stolen += result.total_counts()[trace::count::stolen_by_me];
  }
  const double spent_s = cpu_s() - began_s;
  std::printf(R"({"engine": "filch", "tasks": %llu, "cpu_s": %.9f, "makespan_s": %.6f, "stolen": %llu})"
              "\n",
              static_cast<unsigned long long>(tasks * runs), spent_s, makespan_s,
              static_cast<unsigned long long>(stolen));
}
