// Scenarios in files: what a file says is what a document holds, a document is what a run does, and whatever is wrong
// is refused with its file, line, field and value.
#include <scenario.hpp>

#include <filch/trace/binary.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace filch;
using scenario::document;

constexpr std::string_view k_full = R"({
  "name": "all",
  "title": "every field once",
  "machine": {"name": "here", "workers": 6, "costs": {"pop_ns": 3, "steal": [{"success_ns": 9}]}},
  "workers": 5,
  "seed": 18446744073709551615,
  "runs": 7,
  "until": "2.5s",
  "policy": {
    "victims": "nearest", "steal": "fixed:3", "order": "fifo",
    "idle": {"attempts": 2, "initial": "1us", "factor": 1.5, "cap": "3us", "cycles": "forever"},
    "wake": "all", "placement": "given:4", "fairness": 17, "starvation": 0, "retry_lost": false, "deaf_waits": true
  },
  "workload": {"kind": "tasks", "groups": [
    {"count": 3, "length": "1ms"},
    {"total": "1s", "length": "300ms", "arrive": {"pattern": "bursts", "from": "1s", "gap": "20us", "size": 2}},
    {"length": ["1ns", "2ns"], "to": "worker:4", "priority": "high"},
    {"length": {"pattern": "exponential", "mean": "1s"}, "arrive": {"pattern": "listed", "times": ["1s", "1s"]},
     "to": "pinned:0"}
  ]}
})";

TEST(scenario, a_document_holds_what_the_file_says) {
  const document got = scenario::parse(k_full, "folder/file.json");
  EXPECT_EQ(got.name, "all");
  EXPECT_EQ(got.title, "every field once");
  EXPECT_EQ(got.machine.workers, 6u);
  EXPECT_EQ(got.machine.costs.pop_ns, 3);
  EXPECT_EQ(got.machine.costs.steal_at(2).success_ns, 9);
  EXPECT_EQ(got.worker_count(), 5u);
  EXPECT_EQ(got.seed, UINT64_MAX);
  EXPECT_EQ(got.runs, 7u);
  EXPECT_EQ(got.until_ns, 2'500'000'000);
  const policy::idle idle{
      .attempts_per_cycle = 2, .initial_ns = 1000, .factor = 1.5, .cap_ns = 3000, .cycles = policy::idle::k_forever};
  const policy::search_options expected{.victims = policy::victims::nearest,
                                        .steal = policy::steal::fixed(3),
                                        .order = policy::order::fifo,
                                        .idle = idle,
                                        .wake = policy::wake::all,
                                        .placement = policy::placement::given(worker_id{4}),
                                        .fairness_interval = 17,
                                        .starvation_interval = 0,
                                        .retry_lost = false};
  EXPECT_EQ(got.policy, expected);
  EXPECT_TRUE(got.deaf_waits);
  const auto& groups = std::get<scenario::tasks_load>(got.workload).groups;
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[0].count, 3u);
  EXPECT_EQ(groups[0].length, sim::lengths::constant(k_ns_per_ms));
  EXPECT_EQ(groups[1].count, 4u);  // 300 ms, four times, cover 1 s
  EXPECT_EQ(groups[1].arrives.size, 2u);
  EXPECT_EQ(groups[2].count, 2u);
  EXPECT_EQ(groups[2].where, sim::target::at(worker_id{4}));
  EXPECT_EQ(groups[2].band, policy::priority::high);
  EXPECT_EQ(groups[3].count, 2u);
}

TEST(scenario, the_defaults_are_those_of_the_policies_and_the_free_machine) {
  const document got = scenario::parse(R"({"workload": {"kind": "tree"}})", "folder/plain.json");
  EXPECT_EQ(got.name, "plain");
  EXPECT_EQ(got.policy, policy::search_options{});
  EXPECT_EQ(scenario::make_machine(got), sim::machine_model::free(4));
  EXPECT_EQ(got.until_ns, k_never_ns);
}

sim::run_result run_of(std::string_view workload, std::uint64_t seed = 1) {
  const std::string text = R"({"machine": "two-socket-64", "workers": 8, "workload": )" + std::string{workload} + "}";
  return scenario::run(scenario::parse(text, "test.json"), seed);
}

TEST(scenario, every_kind_of_workload_runs_to_its_end) {
  EXPECT_EQ(run_of(R"({"kind": "tasks", "groups": [{"count": 100, "length": "1ms",
                       "arrive": {"pattern": "poisson", "gap": "10us"}}]})")
                .tasks,
            100u);
  EXPECT_EQ(run_of(R"({"kind": "tree", "depth": 3, "arity": 3, "join": "helping"})").tasks, 40u);
  EXPECT_EQ(run_of(R"({"kind": "graph", "tasks": [{"work": "1s"}, {"work": "2s", "after": [0]},
                       {"work": "2s", "after": [0], "priority": "high"}]})")
                .tasks,
            3u);
  for (const std::string_view load :
       {R"({"kind": "branching", "roots": 20})", R"({"kind": "branching", "join": "helping"})",
        R"({"kind": "divisible", "work": "10ms", "grain": "10us"})"}) {
    const sim::run_result result = run_of(load);
    EXPECT_TRUE(result.is_complete) << load;
    EXPECT_EQ(result, run_of(load)) << load;
  }
  EXPECT_NE(run_of(R"({"kind": "branching"})", 1), run_of(R"({"kind": "branching"})", 2));
}

TEST(scenario, a_recording_is_replayed) {
  const auto file = std::filesystem::temp_directory_path() / "filch_scenario_test.filch";
  const document wanted = scenario::parse(R"({"workload": {"kind": "tree", "depth": 6}})", "test.json");
  trace::recording seen;
  const sim::run_result before = scenario::run(wanted, 1, &seen);
  {
    std::ofstream out{file, std::ios::binary};
    ASSERT_EQ(trace::write_binary(seen, out), std::nullopt);
  }
  document again = wanted;
  again.workload = scenario::trace_load{.file = file.string(), .tasks = nullptr};
  const sim::run_result after = scenario::run(again, 1);
  std::filesystem::remove(file);
  EXPECT_EQ(after.tasks, before.tasks);
  EXPECT_EQ(after.total_use().work_ns, before.total_use().work_ns);
  EXPECT_THROW((void)scenario::run(again, 1), scenario::error);  // the file is gone
}

TEST(scenario, a_change_that_does_not_fit_is_refused_before_the_run) {
  document wanted = scenario::parse(k_full, "file.json");
  wanted.workers = 3;
  try {
    scenario::require_valid(wanted);
    FAIL();
  } catch (const scenario::error& problem) {
    EXPECT_STREQ(problem.what(), "all: policy.placement = given:4: allowed is a worker from 0 to 2");
  }
}

TEST(scenario, every_built_in_scenario_can_be_read) {
  for (const std::string_view name : scenario::built_in_names()) {
    SCOPED_TRACE(name);
    EXPECT_EQ(scenario::find(name).name, name);
  }
}

// ---- what is refused ------------------------------------------------------------------------------------------------

std::string read(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// tests/fuzz/rejected holds files with an error each, and beside NAME.json in NAME.message what is said about it. A
// message that ends in … is only the beginning: what follows are the words of the JSON library.
TEST(scenario, every_rejected_file_has_its_message) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator{FILCH_REJECTED}) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    SCOPED_TRACE(entry.path().filename().string());
    std::filesystem::path expected = entry.path();
    expected.replace_extension(".message");
    try {
      (void)scenario::parse(read(entry.path()), entry.path().filename().string());
      ADD_FAILURE() << "this was not rejected";
    } catch (const scenario::error& problem) {
      std::string message = read(expected);
      message.pop_back();
      const std::string_view said = problem.what();
      if (message.ends_with("…")) {
        message.resize(message.size() - std::string_view{"…"}.size());
        EXPECT_TRUE(said.starts_with(message)) << said;
      } else {
        EXPECT_EQ(said, message);
      }
    }
  }
  EXPECT_GE(files, 40u);
}

std::string message_of(const std::string& text) {
  try {
    (void)scenario::parse(text, "f.json");
  } catch (const scenario::error& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(scenario, what_is_too_large_is_refused_at_once) {
  EXPECT_EQ(message_of(std::string(5 << 20, ' ')), "f.json: the file has 5242880 bytes: allowed are 4194304");
  EXPECT_EQ(message_of(std::string(1 << 20, '[')), "f.json:1: brackets more than 16 deep");
  std::string many = "[0";
  for (int i = 0; i != 600'000; ++i) many += ",0";
  EXPECT_EQ(message_of(many + "]"), "f.json:1: more than 500000 values");
  std::string fields = "{";
  for (int i = 0; i != 2000; ++i) fields.append("\"").append(std::to_string(i)).append("\":\n0,");
  EXPECT_EQ(message_of(fields + "}"), "f.json:1001: an object has more than 1000 fields");
}

// A misspelt field was reported as the one that is missing: `has no field "length"`.
TEST(scenario, a_misspelt_field_is_named_with_the_nearest_one_and_all_that_are_allowed) {
  const auto said = [](std::string_view group) {
    return message_of(R"({"workload": {"kind": "tasks", "groups": [)" + std::string{group} + "]}}");
  };
  EXPECT_EQ(said(R"({"count": 3, "lenght": "1s"})"),
            "f.json:1: workload.groups[0].lenght = \"1s\": unknown field; did you mean \"length\"? Valid are count, "
            "total, length, arrive, to, priority");
  EXPECT_EQ(said(R"({"count": 3, "length": {"patern": "uniform", "from": "1s", "to": "2s"}})"),
            "f.json:1: workload.groups[0].length.patern = \"uniform\": unknown field; did you mean \"pattern\"? Valid "
            "are pattern, from, to, mean");
  EXPECT_EQ(said(R"({"count": 3, "length": "1s", "arrive": {"pattern": "every", "gpa": "1s"}})"),
            "f.json:1: workload.groups[0].arrive.gpa = \"1s\": unknown field; did you mean \"gap\"? Valid are pattern, "
            "from, gap, size, times");
  EXPECT_EQ(said(R"({"count": 3})"), "f.json:1: workload.groups[0] has no field \"length\", which it needs");
  for (const std::string_view text :
       {R"({"worklod": {"kind": "tree"}})", R"({"workload": {"knd": "tree"}})",
        R"({"workload": {"kind": "tasks", "group": []}})", R"({"workload": {"kind": "graph", "task": []}})",
        R"({"workload": {"kind": "graph", "tasks": [{"wrok": "1s"}]}})",
        R"({"workload": {"kind": "trace", "fiel": "x.filch"}})",
        R"({"workload": {"kind": "tree"}, "machine": {"disturbances": [{"wroker": 1, "for_ns": 1}]}})",
        R"({"workload": {"kind": "tree"}, "machine": {"measured": [{"csot": "pop_ns"}]}})"}) {
    const std::string message = message_of(std::string{text});
    EXPECT_NE(message.find("unknown field; did you mean"), std::string::npos) << message;
    EXPECT_NE(message.find("Valid are"), std::string::npos) << message;
  }
}

TEST(scenario, a_file_that_is_none_is_refused) {
  const auto said = [](std::string_view name) -> std::string {
    try {
      (void)scenario::find(name);
    } catch (const scenario::error& problem) {
      return problem.what();
    }
    return "found";
  };
  EXPECT_EQ(said("nowhere.json"), "nowhere.json: there is no such file");
  EXPECT_EQ(said("./"), "./: this is no plain file");
  EXPECT_NE(said("no-such-scenario").find("scenario = \"no-such-scenario\": unknown name"), std::string::npos);
}

}  // namespace
