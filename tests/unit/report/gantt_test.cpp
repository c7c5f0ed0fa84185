// The Gantt chart of characters: golden charts of simulated runs, and what holds for all.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>
#include <gantt.hpp>
#include <sstream>
#include <string>

#include "sample.hpp"

namespace {

using namespace filch;
using report::gantt_options;
using report::render_gantt;

trace::recording three_workers() {
  trace::recording seen;
  sim::task_list list;
  for (int i = 0; i != 12; ++i) list.add((i % 5 + 2) * k_ns_per_s / 4, sim::target::at(worker_id{i < 9 ? 0u : 1u}));
  sim::machine_model machine = sim::machine_model::free(3);
  machine.costs.steal = {{k_ns_per_s / 10, k_ns_per_s / 20, 0}};
  (void)sim::simulate(machine, {}, list, {.record = &seen});
  return seen;
}

std::size_t widest(const std::string& text) {
  std::istringstream in{text};
  std::size_t most = 0;
  for (std::string line; std::getline(in, line);) most = std::max(most, line.size());
  return most;
}

TEST(gantt, of_a_simulated_run_is_this) {
  EXPECT_EQ(render_gantt(three_workers(), {.width = 90}),
            R"(          0 s             1 s             2 s             3 s             4 s
worker 0  [8=================][7=============][6=========][5=====]....                76 %
worker 1  [11========][10====]..[0#####]..[2#############]..[4#####################]  92 %
worker 2  .-[9#####################].[1#########]-.[3#################]...            76 %
path                                                       1111111111111111111111111
12 tasks, 6 stolen, in 4.6 s; work 11.25 s, critical path 1.5 s
= own  # stolen  - partly running  . looking for work  blank: asleep
)");
}

TEST(gantt, of_a_tree_shows_the_path_that_moves_between_workers) {
  trace::recording seen;
  sim::fork_join_tree tree{{.depth = 2, .before_ns = 2'000, .after_ns = 1'000, .leaf_ns = 5'000}};
  sim::machine_model machine = sim::machine_model::free(2);
  machine.costs.steal = {{300, 100, 0}};
  (void)sim::simulate(machine, {}, tree, {.record = &seen});
  EXPECT_EQ(render_gantt(seen, {.width = 72}), R"(          0 us             5 us             10 us            15 us
worker 0  [0====][2====][4==============][3==============][2=]..    92 %
worker 1  ..     .[1####][6==============][5==============][1#][0]  86 %
path      0000000000000000000000000000000                 00001111
7 tasks, 1 stolen, in 16.3 us; work 29 us, critical path 11 us
= own  # stolen  - partly running  . looking for work  blank: asleep
)");
}

TEST(gantt, in_colour_is_the_same_behind_the_colours) {
  const std::string plain = render_gantt(three_workers(), {.width = 90});
  const std::string coloured = render_gantt(three_workers(), {.width = 90, .colour = true});
  std::string stripped;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') i = coloured.find('m', i);
    else stripped += coloured[i];
  }
  EXPECT_NE(coloured, plain);
  EXPECT_EQ(stripped, plain);
}

TEST(gantt, without_colour_is_plain_ascii_and_keeps_to_its_width) {
  for (const std::uint64_t tasks : {10u, 1'000u, 100'000u}) {
    for (const std::uint32_t width : {0u, 40u, 80u, 200u}) {
      const std::string chart = render_gantt(filch_report_test::made_up(8, tasks, 3), {.width = width});
      for (const char each : chart) EXPECT_TRUE(each == '\n' || (each >= ' ' && each <= '~')) << chart;
      const std::string rows = chart.substr(0, chart.find("\npath"));
      EXPECT_LE(widest(rows), std::max(40u, width)) << chart;
    }
  }
}

TEST(gantt, leaves_out_workers_and_says_so) {
  const std::string chart = render_gantt(filch_report_test::made_up(16, 200, 3), {.most_workers = 4});
  EXPECT_NE(chart.find("worker 3"), std::string::npos);
  EXPECT_EQ(chart.find("worker 4"), std::string::npos);
  EXPECT_NE(chart.find("and 12 more workers"), std::string::npos);
}

TEST(gantt, says_that_events_were_lost) {
  EXPECT_NE(render_gantt(filch_report_test::with_gaps()).find("events of the recording lost"), std::string::npos);
}

TEST(gantt, of_nothing_says_so) { EXPECT_EQ(render_gantt({}), "The recording holds no task.\n"); }

TEST(gantt, names_that_are_no_ascii_become_question_marks) {
  trace::recording what = filch_report_test::made_up(2, 10, 3);
  for (auto& name : what.names) name.text = "\x1b[31m\xc3\xa4";
  const std::string chart = render_gantt(what, {.width = 200});
  EXPECT_EQ(chart.find('\x1b'), std::string::npos);
}

TEST(gantt, has_no_colour_where_standard_output_is_no_terminal) {
  if (::getenv("TERM") != nullptr) ::unsetenv("TERM");
  EXPECT_FALSE(report::gantt_options_of_terminal().colour);
}

}  // namespace
