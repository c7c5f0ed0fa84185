// Forks that a recording does not have.
#include <doubts.hpp>
#include <filch/trace/recording.hpp>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace filch;
using analysis::doubt;

constexpr time_ns k_us = 1000;
constexpr time_ns k_ms = 1000 * k_us;

trace::recording with(std::vector<std::pair<std::string, std::string>> facts, std::string source = "threads") {
  trace::recording out;
  out.about = {.workers = 1, .source = std::move(source), .extra = std::move(facts)};
  out.workers.resize(1);
  return out;
}

std::string doubts_of(const trace::recording& from, time_ns work_ns, time_ns span_ns) {
  std::string out;
  for (const doubt& each : analysis::doubts_of(from, work_ns, span_ns)) {
    out += (out.empty() ? "" : " ") + each.id;
    EXPECT_NE(each.advice.find("Record again"), std::string::npos);
  }
  return out;
}

TEST(doubts, a_recording_of_stolen_forks_cannot_show_parallelism_if_there_were_forks) {
  EXPECT_EQ(doubts_of(with({{"forks", "stolen"}, {"has_forks", "yes"}}), 10 * k_ms, 10 * k_ms), "unrecorded-forks");
  EXPECT_EQ(doubts_of(with({{"forks", "stolen"}, {"has_forks", "no"}}), 10 * k_ms, 10 * k_ms), "");
  EXPECT_TRUE(
      analysis::doubts_of(with({{"forks", "stolen"}, {"has_forks", "yes"}}), 2, 1).front().forbids_prediction());
}

TEST(doubts, a_recording_of_stolen_forks_whose_program_was_killed_does_not_say_whether_it_forked) {
  EXPECT_EQ(doubts_of(with({{"forks", "stolen"}}), 10 * k_ms, 10 * k_ms), "unknown-forks");
  const doubt said = analysis::doubts_of(with({{"forks", "stolen"}}), 2, 1).front();
  EXPECT_FALSE(said.forbids_prediction());
  EXPECT_EQ(said.text.find("The program forks"), std::string::npos) << said.text;
}

TEST(doubts, a_recording_of_an_earlier_version_does_not_say_what_it_has) {
  EXPECT_EQ(doubts_of(with({}), 10 * k_ms, 10 * k_ms), "unknown-forks");
  EXPECT_EQ(doubts_of(with({{"forks", "all of them"}}), 10 * k_ms, 10 * k_ms), "unknown-forks");
  EXPECT_FALSE(analysis::doubts_of(with({}), 2, 1).front().forbids_prediction());
}

TEST(doubts, a_simulated_run_has_all_its_tasks) {
  EXPECT_EQ(doubts_of(with({}, "simulation"), 10 * k_ms, 10 * k_ms), "");
  EXPECT_EQ(doubts_of(with({}, ""), 10 * k_ms, 10 * k_ms), "");
}

TEST(doubts, every_fork_is_all_that_can_be_had) {
  EXPECT_EQ(doubts_of(with({{"forks", "every"}, {"has_forks", "yes"}}), 10 * k_us, 10 * k_us), "");
}

TEST(doubts, beats_that_come_late_hide_forks_if_that_is_a_part_of_the_span) {
  const auto late = [](time_ns hidden_ns, time_ns work_ns, time_ns span_ns, const char* has_forks = "yes") {
    return doubts_of(with({{"forks", "beat"},
                           {"beat_ns", std::to_string(100 * k_us)},
                           {"has_forks", has_forks},
                           {"hidden_forks_ns", std::to_string(hidden_ns)}}),
                     work_ns, span_ns);
  };
  EXPECT_EQ(late(30 * k_ms, 1000 * k_ms, 50 * k_ms), "late-beats");
  EXPECT_EQ(late(10 * k_ms, 1000 * k_ms, 50 * k_ms), "");
  EXPECT_EQ(late(30 * k_ms, 1000 * k_ms, 50 * k_ms, "no"), "");
  EXPECT_EQ(late(3 * k_ms, 1000 * k_ms, 4 * k_ms), "");  // work for 250 workers
  // So much is a beat's own coarseness: which matters in short runs, unless they have work for many workers.
  EXPECT_EQ(late(200 * k_us, 8 * k_ms, 1 * k_ms), "short-run");
  EXPECT_EQ(late(200 * k_us, 800 * k_ms, 1 * k_ms), "");
  EXPECT_EQ(late(200 * k_us, 8 * k_ms, 1 * k_ms, "no"), "");
}

TEST(doubts, facts_that_are_no_numbers_do_no_harm) {
  for (const char* const number : {"", "-5", "many", "99999999999999999999999", "12x"}) {
    const auto odd = with({{"forks", "beat"}, {"beat_ns", number}, {"has_forks", "yes"}, {"hidden_forks_ns", number}});
    EXPECT_EQ(doubts_of(odd, 10 * k_ms, 10 * k_ms), "") << number;
  }
}

TEST(doubts, tasks_that_came_while_others_ran_come_as_late_in_a_prediction) {
  sim::recorded_tasks tasks;
  const auto work = [](time_ns span_ns) {
    return sim::recorded_tasks::act{sim::recorded_tasks::act::kind::work, span_ns};
  };
  for (int i = 0; i != 2; ++i) tasks.add(std::vector{work(10 * k_ms)}, tasks.number_of_name(""));
  const auto ids = [&](time_ns at_ns, time_ns gap_ns, const char* source) {
    tasks.roots = {{0, 0}, {at_ns, 1, gap_ns}};
    const std::vector<doubt> found = analysis::doubts_of_arrivals(with({}, source), tasks);
    return found.empty() ? "" : found.front().id;
  };
  constexpr time_ns k_at_its_time = sim::recorded_tasks::root::k_at_its_time;
  EXPECT_EQ(ids(9 * k_ms, k_at_its_time, "threads"), "late-arrivals");
  EXPECT_EQ(ids(9 * k_ms, k_at_its_time, "simulation"), "");
  EXPECT_EQ(ids(1 * k_us, k_at_its_time, "threads"), "");  // a thread that submits all it has
  EXPECT_EQ(ids(10 * k_ms, 0, "threads"), "");
}

}  // namespace
