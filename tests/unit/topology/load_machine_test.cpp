#include <filch/topology/load_machine.hpp>
#include <filch/topology/pin_thread.hpp>

#include "fake_root.hpp"
#include "thrown_text.hpp"

#include <gtest/gtest.h>

namespace {

using namespace filch::topology;

const std::string k_cpu = "sys/devices/system/cpu/";
const std::string k_node = "sys/devices/system/node/";

std::string cpu_file(unsigned cpu, const std::string& name) { return k_cpu + "cpu" + std::to_string(cpu) + "/" + name; }

machine load(const fake_root& root) { return load_machine({.use = loader::sysfs, .root = root.path()}); }

// Two packages, two nodes, two cores each, two threads each. Siblings are n and n + 4; packages are {0, 1} and {2, 3}.
void write_two_packages(fake_root& root) {
  root.write(k_cpu + "online", "0-7\n");
  for (unsigned cpu = 0; cpu != 8; ++cpu) {
    const unsigned first = cpu % 4;
    const bool second_package = first >= 2;
    const std::string pair = std::to_string(first) + "," + std::to_string(first + 4) + "\n";
    root.write(cpu_file(cpu, "topology/physical_package_id"), second_package ? "7\n" : "3\n");
    root.write(cpu_file(cpu, "topology/core_cpus_list"), pair);
    root.write(cpu_file(cpu, "cache/index0/level"), "1\n").write(cpu_file(cpu, "cache/index0/type"), "Data\n");
    root.write(cpu_file(cpu, "cache/index0/size"), "48K\n").write(cpu_file(cpu, "cache/index0/shared_cpu_list"), pair);
    root.write(cpu_file(cpu, "cache/index1/level"), "1\n").write(cpu_file(cpu, "cache/index1/type"), "Instruction\n");
    root.write(cpu_file(cpu, "cache/index1/shared_cpu_list"), pair);
    root.write(cpu_file(cpu, "cache/index3/level"), "3\n").write(cpu_file(cpu, "cache/index3/type"), "Unified\n");
    root.write(cpu_file(cpu, "cache/index3/size"), "32M\n");
    root.write(cpu_file(cpu, "cache/index3/shared_cpu_list"), second_package ? "2-3,6-7\n" : "0-1,4-5\n");
  }
  root.write(k_node + "node0/cpulist", "0-1,4-5\n").write(k_node + "node0/distance", "10 32\n");
  root.write(k_node + "node0/meminfo", "Node 0 MemTotal:       2048 kB\nNode 0 MemFree:  1 kB\n");
  root.write(k_node + "node1/cpulist", "2-3,6-7\n").write(k_node + "node1/distance", "32 10\n");
}

TEST(sysfs, packages_nodes_cores_siblings_and_caches_are_found) {
  fake_root root;
  write_two_packages(root);
  const machine m = load(root);
  EXPECT_EQ(m.source, "sysfs");
  EXPECT_EQ(m.summary(), "2 packages, 2 NUMA nodes, 4 cores, 8 CPUs");
  EXPECT_EQ(m.packages[1].os_id, 7u);
  EXPECT_EQ(m.cores[1].cpus, (cpu_set{1, 5}));
  EXPECT_EQ(m.cores[3].package, 1u);
  EXPECT_EQ(m.cores[3].node, 1u);
  EXPECT_EQ(m.cores[3].kind, core_kind::uniform);
  EXPECT_EQ(m.node_distance(0, 1), 32u);
  EXPECT_EQ(m.nodes[0].memory_bytes, 2048u * 1024);
  EXPECT_EQ(m.nodes[1].memory_bytes, 0u);
  ASSERT_EQ(m.caches.size(), 2u + 4u);
  EXPECT_EQ(m.caches[1].cpus, (cpu_set{2, 3, 6, 7}));
  EXPECT_EQ(m.caches[1].size_bytes, 32u * 1024 * 1024);
  EXPECT_EQ(m.caches[2].size_bytes, 48u * 1024);
}

TEST(sysfs, offline_cpus_are_left_out_everywhere) {
  fake_root root;
  write_two_packages(root);
  root.write(k_cpu + "online", "0-5\n");
  const machine m = load(root);
  EXPECT_EQ(m.cpus(), cpu_set::first(6));
  EXPECT_EQ(m.cores[2].cpus, (cpu_set{2}));
}

TEST(sysfs, cpu_directories_alone_make_a_machine) {
  fake_root root;
  root.write(cpu_file(0, "uevent"), "").write(cpu_file(1, "uevent"), "").write(k_cpu + "cpufreq/x", "");
  const machine m = load(root);
  EXPECT_EQ(m.summary(), "1 package, 1 NUMA node, 2 cores, 2 CPUs");
  EXPECT_TRUE(m.caches.empty());
}

TEST(sysfs, older_kernels_name_the_siblings_differently) {
  fake_root root;
  root.write(k_cpu + "online", "0-1").write(cpu_file(0, "topology/thread_siblings_list"), "0-1\n");
  EXPECT_EQ(load(root).cores.size(), 1u);
}

TEST(sysfs, nonsense_leaves_out_what_it_would_have_said) {
  fake_root root;
  root.write(k_cpu + "online", "0-1\n");
  root.write(cpu_file(0, "topology/physical_package_id"), "-1\n").write(cpu_file(0, "topology/core_cpus_list"), "?\n");
  root.write(cpu_file(0, "cache/index0/level"), "many\n").write(cpu_file(0, "cache/index1/level"), "9\n");
  root.write(cpu_file(0, "cache/index2/level"), "2\n").write(cpu_file(0, "cache/index2/shared_cpu_list"), "x");
  root.write(k_node + "node0/cpulist", "0-1\n").write(k_node + "node0/distance", "10 x 12\n");
  root.write(k_node + "node0/meminfo", "Node 0 MemTotal: lots kB\n");
  const machine m = load(root);
  EXPECT_EQ(m.summary(), "1 package, 1 NUMA node, 2 cores, 2 CPUs");
  EXPECT_TRUE(m.node_distances.empty());
  ASSERT_EQ(m.caches.size(), 1u);
  EXPECT_EQ(m.caches[0].cpus, (cpu_set{0}));
}

TEST(sysfs, distances_count_only_when_every_row_is_complete) {
  fake_root root;
  root.write(k_cpu + "online", "0-1\n").write(k_node + "node0/cpulist", "0\n").write(k_node + "node1/cpulist", "1\n");
  root.write(k_node + "node0/distance", "10 20 20 10\n");
  EXPECT_TRUE(load(root).node_distances.empty());
  root.write(k_node + "node0/distance", "10 20\n").write(k_node + "node1/distance", "20 10\n");
  EXPECT_EQ(load(root).node_distances.size(), 4u);
}

TEST(sysfs, a_node_without_cpus_is_kept) {
  fake_root root;
  root.write(k_cpu + "online", "0\n").write(k_node + "node0/cpulist", "0\n").write(k_node + "node2/cpulist", "\n");
  root.write(k_node + "node0/distance", "10 17\n").write(k_node + "node2/distance", "17 10\n");
  const machine m = load(root);
  ASSERT_EQ(m.nodes.size(), 2u);
  EXPECT_EQ(m.nodes[1].os_id, 2u);
  EXPECT_EQ(m.node_distance(0, 1), 17u);
}

TEST(sysfs, capacities_tell_fast_from_slow_cores) {
  fake_root root;
  root.write(k_cpu + "online", "0-2\n");
  root.write(cpu_file(0, "cpu_capacity"), "400\n").write(cpu_file(1, "cpu_capacity"), "400\n");
  root.write(cpu_file(2, "cpu_capacity"), "1000\n");
  const machine m = load(root);
  EXPECT_EQ(m.cores[0].kind, core_kind::efficiency);
  EXPECT_EQ(m.cores[0].speed_permille, 400u);
  EXPECT_EQ(m.cores[2].kind, core_kind::performance);
}

TEST(sysfs, counter_devices_tell_kinds_and_clocks_tell_speeds) {
  fake_root root;
  root.write(k_cpu + "online", "0-1\n");
  root.write("sys/devices/cpu_core/cpus", "0\n").write("sys/devices/cpu_atom/cpus", "1\n");
  root.write(cpu_file(0, "cpufreq/cpuinfo_max_freq"), "5000000\n");
  root.write(cpu_file(1, "cpufreq/cpuinfo_max_freq"), "4500000\n");
  const machine m = load(root);
  EXPECT_EQ(m.cores[0].kind, core_kind::performance);
  EXPECT_EQ(m.cores[1].kind, core_kind::efficiency);
  EXPECT_EQ(m.cores[1].speed_permille, 900u);
}

TEST(sysfs, a_little_more_clock_does_not_make_another_kind) {
  fake_root root;
  root.write(k_cpu + "online", "0-1\n");
  root.write(cpu_file(0, "cpufreq/cpuinfo_max_freq"), "5000000\n");
  root.write(cpu_file(1, "cpufreq/cpuinfo_max_freq"), "4700000\n");
  const machine m = load(root);
  EXPECT_EQ(m.cores[1].kind, core_kind::uniform);
  EXPECT_EQ(m.cores[1].speed_permille, 1000u);
}

TEST(sysfs, a_root_without_cpus_is_an_error_that_names_the_directory) {
  const fake_root root;
  contains(thrown_text([&] { static_cast<void>(load(root)); }), "no CPUs found in " + root.path().string());
  contains(thrown_text([&] { static_cast<void>(load_machine({.root = root.path()})); }), "no CPUs found in");
}

TEST(load_machine, this_machine_has_the_cpus_of_this_process) {
  const machine m = load_machine();
  EXPECT_FALSE(m.source.empty());
  ASSERT_GE(m.processing_units().size(), 1u);
  const auto mask = thread_affinity();
  ASSERT_TRUE(mask.has_value());
  EXPECT_EQ(mask->intersection(m.cpus()), *mask) << m.cpus().to_string();
}

TEST(load_machine, the_source_says_what_was_used) {
  const machine m = load_machine();
  if (built_with_hwloc()) {
    EXPECT_TRUE(m.source.starts_with("hwloc")) << m.source;
  } else {
    EXPECT_FALSE(m.source.starts_with("hwloc")) << m.source;
  }
}

TEST(load_machine, hwloc_is_used_when_built_in_and_refused_by_name_when_not) {
  const auto ask = [] { return load_machine({.use = loader::hwloc}); };
  if (built_with_hwloc()) {
    EXPECT_GE(ask().cores.size(), 1u);
  } else {
    EXPECT_EQ(thrown_text([&] { static_cast<void>(ask()); }), "hwloc needs FILCH_WITH_HWLOC");
  }
}

TEST(load_machine, hwloc_cannot_read_another_root) {
  contains(thrown_text([] { static_cast<void>(load_machine({.use = loader::hwloc, .root = "/nowhere"})); }),
           "root = '/nowhere' is not allowed with hwloc");
}

TEST(load_machine, a_flat_machine_is_cores_in_one_node) {
  const machine m = flat_machine(cpu_set{1, 4});
  EXPECT_EQ(m.summary(), "1 package, 1 NUMA node, 2 cores, 2 CPUs");
  EXPECT_EQ(m.cpus(), (cpu_set{1, 4}));
  EXPECT_EQ(m.source, "flat");
}

}  // namespace
