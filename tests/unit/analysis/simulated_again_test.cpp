// A recorded run once more, in simulated time.
#include <gtest/gtest.h>

#include <cstdint>
#include <filch/sim/worker_model.hpp>
#include <optional>
#include <simulated_again.hpp>

#include "script.hpp"

namespace {

using namespace filch;
using filch_analysis_test::none;
using filch_analysis_test::script;

// Two tasks, each of which takes most of the run.
trace::recording two_tasks(std::uint32_t workers, time_ns length_ns) {
  script s{workers};
  s.at(0).outside().spawn(1, none, "main");
  s.on(0).start(1).spawn(2, 1, "child");
  s.at(1).on(1).start(2).at(length_ns).end(2).on(0).end(1);
  return s.recording();
}

TEST(simulated_again, the_tasks_keep_their_number_and_names) {
  const std::optional<trace::recording> again = analysis::simulated_again(two_tasks(2, 1'000));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->about.source, "simulation");
  int named = 0;
  for (const trace::event& each : again->workers[0]) {
    if (each.kind != trace::event_kind::spawn) continue;
    const trace::name_entry* const name = again->find_name(each.detail);
    ASSERT_NE(name, nullptr);
    EXPECT_EQ(name->text, "child");
    ++named;
  }
  EXPECT_EQ(named, 1);
}

// The bug: every look of every idle worker was recorded, so a page about 134 bytes took 339 MB.
TEST(simulated_again, a_run_of_very_many_looks_is_left_out) {
  EXPECT_FALSE(analysis::simulated_again(two_tasks(4'000, k_ns_per_s)));
}

}  // namespace
