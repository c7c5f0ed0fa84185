// The lesson's own printed figures, and its statistics over many seeds.
#include <filch/sim/lesson.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace filch::sim;

std::string output_of(std::string_view scenario, std::uint64_t seed = lesson::k_seed) {
  std::ostringstream out;
  lesson::run(scenario, seed, out);
  return out.str();
}

bool starts_with(const std::string& text, const std::string& begin) {
  return text.compare(0, begin.size(), begin) == 0;
}

// Submissions as "task number, worker".
std::string submissions(const std::vector<int>& workers) {
  std::string text;
  for (std::size_t i = 0; i != workers.size(); ++i) {
    text += "[0.0] Submitted T" + std::to_string(i + 1) + " to Worker " + std::to_string(workers[i]) + '\n';
  }
  return text;
}

TEST(lesson, basic_submits_as_printed) {
  const std::string expected = submissions({2, 2, 0, 1, 0, 1, 0, 0, 2, 1});
  EXPECT_TRUE(starts_with(output_of("basic"), expected)) << output_of("basic");
}

TEST(lesson, spawning_runs_as_printed) {
  EXPECT_TRUE(starts_with(output_of("spawning"), R"([0.0] Submitted T1 to Worker 1
[0.1] Worker 0: Stole T1 from Worker 1
[0.1] Worker 0: Executing T1
[0.5] Submitted T2 to Worker 1
[0.5] Worker 1: Executing T2
[1.0] Submitted T3 to Worker 1
[1.1] Worker 2: Stole T3 from Worker 1
[1.1] Worker 2: Executing T3
[1.5] Submitted T4 to Worker 3
[1.5] Worker 3: Executing T4
[2.0] Worker 0: Completed T1
[2.0] Submitted T5 to Worker 1
[2.1] Worker 0: Stole T5 from Worker 1
[2.1] Worker 0: Executing T5
[2.4] Worker 2: Completed T3
[3.3] Worker 0: Completed T5
[3.4] Worker 1: Completed T2
[4.5] Worker 3: Completed T4

=== Statistics ===
)")) << output_of("spawning");
}

TEST(lesson, adaptive_runs_as_printed) {
  EXPECT_TRUE(starts_with(output_of("adaptive"), R"(Initial load distribution:
  Worker 0: 12 tasks
  Worker 1: 1 tasks
  Worker 2: 2 tasks
  Worker 3: 0 tasks
[0.0] Worker 0: Executing T12 (queue size: 11)
[0.0] Worker 1: Executing T13 (queue size: 0)
[0.0] Worker 2: Executing T15 (queue size: 1)
[0.0] Worker 3: Stole T1 from Worker 0 (target queue: 10)
[0.0] Worker 3: Executing T1 (queue size: 0)
[1.1] Worker 0: Completed T12
[1.1] Worker 0: Executing T11 (queue size: 9)
[1.4] Worker 3: Completed T1
[1.4] Worker 3: Stole T2 from Worker 0 (target queue: 8)
[1.4] Worker 3: Executing T2 (queue size: 0)
[1.5] Worker 2: Completed T15
[1.5] Worker 2: Executing T14 (queue size: 0)
[1.9] Worker 1: Completed T13
[1.9] Worker 1: Stole T3 from Worker 0 (target queue: 7)
[1.9] Worker 1: Executing T3 (queue size: 0)
)")) << output_of("adaptive");
}

struct part {
  const char* granularity;
  const char* wall;
  const char* speedup;
  const char* efficiency;
  int executed;
  int stolen;
  const char* rate;
  int worker[4][2];  // executed, stolen
};

TEST(lesson, granularity_prints_its_three_parts) {
  const part parts[] = {
      {"0.1", "13.00", "3.85", "96.2", 500, 14, "2.8", {{125, 0}, {125, 7}, {125, 2}, {125, 5}}},
      {"0.5", "13.00", "3.85", "96.2", 100, 13, "13.0", {{25, 2}, {25, 8}, {25, 3}, {25, 0}}},
      {"2.0", "15.00", "3.33", "83.3", 25, 1, "4.0", {{7, 1}, {6, 0}, {6, 0}, {6, 0}}},
  };
  std::ostringstream expected;
  for (const part& p : parts) {
    expected << "=== Performance Analysis ===\nGranularity: " << p.granularity
             << "s\nTotal work: 50.0s\nWall time: " << p.wall << "s\nSpeedup: " << p.speedup
             << "x\nEfficiency: " << p.efficiency << "%\n\n=== Statistics ===\nTotal tasks executed: " << p.executed
             << "\nTotal tasks stolen: " << p.stolen << "\nSteal rate: " << p.rate << "%\n";
    for (int w = 0; w != 4; ++w) {
      expected << "Worker " << w << ": executed=" << p.worker[w][0] << ", stolen=" << p.worker[w][1] << ", queue=0\n";
    }
    expected << '\n';
  }
  EXPECT_EQ(output_of("granularity"), expected.str());
}

// Over many seeds: mean and standard deviation of what a scenario's part comes to.
struct moments {
  double sum = 0;
  double squares = 0;
  double count = 0;

  void add(double value) { sum += value, squares += value * value, count += 1; }
  [[nodiscard]] double mean() const { return sum / count; }
  [[nodiscard]] double sd() const { return std::sqrt(squares / count - mean() * mean()); }
};

struct measured {
  moments tasks;
  moments steals;
  moments makespan;
};

measured over_seeds(std::string_view scenario, std::uint64_t seeds, std::size_t index = 0) {
  measured result;
  std::ostream nowhere{nullptr};
  for (std::uint64_t seed = 0; seed != seeds; ++seed) {
    const lesson::figures one = lesson::run(scenario, seed, nowhere)[index];
    result.tasks.add(static_cast<double>(one.executed));
    result.steals.add(static_cast<double>(one.stolen));
    result.makespan.add(one.makespan_s);
  }
  return result;
}

// Within four standard errors of the mean that 2000 other seeds gave, and the spread within 15 %.
void expect_near(const moments& got, double mean, double sd, const char* what) {
  EXPECT_NEAR(got.mean(), mean, 4 * sd * std::sqrt(1 / got.count + 1.0 / 2000)) << what;
  EXPECT_NEAR(got.sd(), sd, 0.15 * sd) << what;
}

constexpr std::uint64_t k_seeds = 1000;

TEST(lesson, basic_has_the_known_statistics) {
  const measured got = over_seeds("basic", k_seeds);
  EXPECT_EQ(got.tasks.mean(), 10);
  expect_near(got.steals, 2.109, 1.191, "steals");
  expect_near(got.makespan, 4.649, 0.540, "makespan");
}

TEST(lesson, adaptive_saves_steals_and_no_time) {
  const measured adaptive = over_seeds("adaptive", k_seeds);
  const measured random = over_seeds("adaptive_random", k_seeds);
  expect_near(adaptive.steals, 9.000, 0.864, "steals");
  expect_near(adaptive.makespan, 6.2301, 0.3750, "makespan");
  expect_near(random.steals, 9.624, 0.974, "steals of random thieves");
  expect_near(random.makespan, 6.2306, 0.3751, "makespan of random thieves");
  EXPECT_LT(adaptive.steals.mean(), random.steals.mean());
  EXPECT_NEAR(adaptive.makespan.mean(), random.makespan.mean(), 0.005);
}

// A branching process: every task has 0.6 children on average, so 5 roots become 12.5 tasks.
TEST(lesson, spawning_has_the_known_statistics) {
  const measured got = over_seeds("spawning", k_seeds);
  expect_near(got.tasks, 12.58, 9.56, "tasks");
  expect_near(got.steals, 8.03, 4.77, "steals");
  expect_near(got.makespan, 5.194, 1.503, "makespan");
  EXPECT_NEAR(got.tasks.mean(), 12.5, 4 * 9.01 / std::sqrt(got.tasks.count));
}

TEST(lesson, granularity_takes_the_time_of_the_closed_form) {
  const double task_s[] = {0.1, 0.5, 2.0};
  const double tasks[] = {500, 100, 25};
  const double steals[] = {19.0, 8.4, 4.2};
  std::ostream nowhere{nullptr};
  moments stolen[3];
  for (std::uint64_t seed = 0; seed != 200; ++seed) {
    const auto parts = lesson::run("granularity", seed, nowhere);
    ASSERT_EQ(parts.size(), 3u);
    for (std::size_t i = 0; i != 3; ++i) {
      const double wall_s = 0.1 + std::ceil(tasks[i] / 4) * task_s[i];
      EXPECT_EQ(static_cast<double>(parts[i].executed), tasks[i]);
      EXPECT_NEAR(parts[i].makespan_s, wall_s, 1e-9) << seed;
      EXPECT_EQ(parts[i].wall_s, std::ceil(wall_s)) << seed;
      stolen[i].add(static_cast<double>(parts[i].stolen));
    }
  }
  for (std::size_t i = 0; i != 3; ++i) EXPECT_NEAR(stolen[i].mean(), steals[i], 0.12 * steals[i]) << task_s[i];
}

TEST(lesson, an_unknown_scenario_is_refused_with_what_is_allowed) {
  std::ostringstream out;
  try {
    lesson::run("bsic", 1, out);
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& refused) {
    const std::string text = refused.what();
    EXPECT_NE(text.find("bsic"), std::string::npos) << text;
    EXPECT_NE(text.find("did you mean \"basic\""), std::string::npos) << text;
    EXPECT_NE(text.find("granularity"), std::string::npos) << text;
  }
  for (const std::string_view scenario : lesson::scenarios()) EXPECT_FALSE(output_of(scenario).empty()) << scenario;
}

}  // namespace
