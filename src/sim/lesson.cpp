#include <filch/sim/lesson.hpp>

#include "lesson_world.hpp"

#include <filch/policy/names.hpp>

#include <array>
#include <ostream>
#include <stdexcept>
#include <string>

namespace filch::inline v0::sim::lesson {
namespace {

using runs = std::vector<figures>;

figures end_of(const world& subject, double wall_s = 0) {
  subject.print_statistics();
  return {subject.executed(), subject.stolen(), subject.last_completion_s(), wall_s};
}

runs basic(lesson_random& random, std::ostream& out) {
  world subject{{.workers = 3}, random, out};
  for (int i = 0; i != 10; ++i) subject.submit(random.uniform(0.5, 2.0));
  subject.run_until(20);
  return {end_of(subject)};
}

runs spawning(lesson_random& random, std::ostream& out) {
  world subject{{.workers = 4, .spawns = true}, random, out};
  subject.add_process([&, left = 5]() mutable {
    if (left-- == 0) return -1.0;
    subject.submit(random.uniform(1.0, 3.0));
    return 0.5;
  });
  subject.run_until(30);
  return {end_of(subject)};
}

runs imbalanced(lesson_random& random, std::ostream& out, thieves how) {
  constexpr std::uint32_t k_workers = 4;
  world subject{{.workers = k_workers, .how = how}, random, out};
  for (int i = 0; i != 15; ++i) {
    const auto worker = i < 12 ? 0u : random.below(k_workers);
    subject.place(worker, {std::string{"T"}.append(std::to_string(i + 1)), random.uniform(1.0, 2.0)});
  }
  out << "Initial load distribution:\n";
  for (std::uint32_t w = 0; w != k_workers; ++w) out << "  Worker " << w << ": " << subject.queue_size(w) << " tasks\n";
  subject.run_until(25);
  return {end_of(subject)};
}

// One granularity: a process submits everything, then looks once a second whether all is done.
figures one_granularity(lesson_random& random, std::ostream& out, double task_s) {
  constexpr double k_work_s = 50.0;
  constexpr std::uint32_t k_workers = 4;
  world subject{{.workers = k_workers, .prints = false}, random, out};
  double wall_s = 0;
  subject.add_process([&, started = false]() mutable {
    if (!started) {
      started = true;
      const int tasks = static_cast<int>(k_work_s / task_s);
      for (int i = 0; i != tasks; ++i) subject.submit(task_s);
    } else if (subject.is_idle()) {
      wall_s = subject.now_s();
      return -1.0;
    }
    return 1.0;
  });
  subject.run_until(100);
  const double speedup = k_work_s / wall_s;
  out << "=== Performance Analysis ===\nGranularity: " << fixed(task_s, 1) << "s\nTotal work: " << fixed(k_work_s, 1)
      << "s\nWall time: " << fixed(wall_s, 2) << "s\nSpeedup: " << fixed(speedup, 2)
      << "x\nEfficiency: " << fixed(speedup / k_workers * 100, 1) << "%\n";
  const figures result = end_of(subject, wall_s);
  out << '\n';
  return result;
}

runs granularity(lesson_random& random, std::ostream& out) {
  runs results;
  for (const double task_s : {0.1, 0.5, 2.0}) results.push_back(one_granularity(random, out, task_s));
  return results;
}

constexpr std::array<std::string_view, 5> k_scenarios{"basic", "spawning", "adaptive", "adaptive_random",
                                                      "granularity"};

}  // namespace

std::span<const std::string_view> scenarios() { return k_scenarios; }

runs run(std::string_view scenario, std::uint64_t seed, std::ostream& out) {
  lesson_random random{seed};
  if (scenario == "basic") return basic(random, out);
  if (scenario == "spawning") return spawning(random, out);
  if (scenario == "adaptive") return imbalanced(random, out, thieves::adaptive);
  if (scenario == "adaptive_random") return imbalanced(random, out, thieves::random);
  if (scenario == "granularity") return granularity(random, out);
  throw std::invalid_argument{policy::unknown_name("scenario", scenario, k_scenarios)};
}

}  // namespace filch::inline v0::sim::lesson
