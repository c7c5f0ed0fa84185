// Machines in files: those of the program can be read and simulated, and what is written can be read again.
#include <machine_file.hpp>

#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace {

using namespace filch;
using scenario::machine_description;

machine_description written_and_read(const machine_description& machine) {
  std::ostringstream out;
  scenario::write_machine(out, machine);
  return scenario::parse_machine(out.str(), "written.json");
}

TEST(machine_file, every_machine_of_the_program_runs_a_tree_with_balanced_books) {
  ASSERT_GE(scenario::machine_names().size(), 5u);
  for (const std::string_view name : scenario::machine_names()) {
    SCOPED_TRACE(name);
    const machine_description described = scenario::find_machine(name);
    EXPECT_EQ(described.name, name);
    EXPECT_FALSE(described.title.empty());
    const sim::machine_model machine = scenario::make_machine(described, 0);
    EXPECT_EQ(machine.workers, described.workers);
    sim::fork_join_tree tree{{.depth = 8, .leaf_ns = 100'000}};
    const sim::run_result result = sim::simulate(machine, {}, tree);
    EXPECT_TRUE(result.is_complete);
    EXPECT_EQ(result.total_use().total_ns(), machine.workers * result.makespan_ns);
  }
}

TEST(machine_file, what_was_written_is_read_again) {
  for (const std::string_view name : scenario::machine_names()) {
    SCOPED_TRACE(name);
    machine_description before = scenario::find_machine(name);
    before.disturbances = {{.worker = 1, .from_ns = 5, .for_ns = 7, .every_ns = 100, .speed_permille = 300}};
    const machine_description after = written_and_read(before);
    EXPECT_EQ(after.name, before.name);
    EXPECT_EQ(after.title, before.title);
    EXPECT_EQ(scenario::make_machine(after, 0), scenario::make_machine(before, 0));
  }
}

TEST(machine_file, how_well_costs_are_known_is_read_again_and_quartiles_enclose_the_median) {
  machine_description before = scenario::find_machine("free");
  before.spreads = {{"spawn_ns", 61.25, 58.5, 66}, {"wake_ns", 4000, 4000, 4000}};
  EXPECT_EQ(written_and_read(before).spreads, before.spreads);
  before.spreads = {{"spawn_ns", 61.25, 62, 66}};
  EXPECT_THROW((void)written_and_read(before), scenario::error);
}

TEST(machine_file, slow_cores_are_slow_and_far_steals_dear) {
  const sim::machine_model laptop = scenario::make_machine(scenario::find_machine("laptop-8p16e"), 0);
  EXPECT_EQ(laptop.duration_ns(0, 550), 550);
  EXPECT_EQ(laptop.duration_ns(23, 550), 1000);
  const sim::machine_model sockets = scenario::make_machine(scenario::find_machine("two-socket-64"), 0);
  EXPECT_LT(sockets.distance(worker_id{0}, worker_id{1}), sockets.distance(worker_id{0}, worker_id{63}));
}

TEST(machine_file, fewer_workers_leave_out_the_disturbances_of_the_others) {
  machine_description machine = scenario::find_machine("free");
  machine.disturbances = {{.worker = 0, .for_ns = 5}, {.worker = 3, .for_ns = 5}};
  EXPECT_EQ(scenario::make_machine(machine, 2).disturbances.size(), 1u);
  EXPECT_EQ(scenario::make_machine(machine, 4).disturbances.size(), 2u);
}

}  // namespace
