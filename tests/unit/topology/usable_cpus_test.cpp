#include <filch/topology/usable_cpus.hpp>

#include "fake_root.hpp"
#include "thrown_text.hpp"

#include <gtest/gtest.h>

#include <map>

namespace {

using namespace filch::topology;

constexpr const char* k_v2_mount = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* k_v1_cpu_mount =
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n";
constexpr const char* k_v1_cpuset_mount = "33 31 0:30 / /sys/fs/cgroup/cpuset rw shared:10 - cgroup cgroup rw,cpuset\n";

// A system with 8 CPUs, all of them in the affinity mask unless a test says otherwise.
class system_of_eight {
 public:
  system_of_eight& groups(std::string_view membership, std::string_view mounts) {
    root_.write("proc/self/cgroup", membership).write("proc/self/mountinfo", mounts);
    return *this;
  }
  system_of_eight& file(const std::string& name, std::string_view content) {
    root_.write(name, content);
    return *this;
  }
  system_of_eight& affinity(std::optional<cpu_set> mask) {
    mask_ = std::move(mask);
    return *this;
  }
  system_of_eight& set(const char* name, const char* value) {
    environment_[name] = value;
    return *this;
  }
  [[nodiscard]] usable_cpus_result ask() const {
    return usable_cpus({.root = root_.path(),
                        .affinity = [this] { return mask_; },
                        .environment = [this](const char* name) -> std::optional<std::string> {
                          const auto at = environment_.find(name);
                          return at == environment_.end() ? std::nullopt : std::optional{at->second};
                        }});
  }

 private:
  fake_root root_;
  std::optional<cpu_set> mask_ = cpu_set::first(8);
  std::map<std::string, std::string> environment_;
};

TEST(usable_cpus, without_cgroups_the_affinity_mask_decides) {
  const auto result = system_of_eight{}.affinity(cpu_set{2, 5, 6}).ask();
  EXPECT_EQ(result.count, 3u);
  EXPECT_EQ(result.cpus, (cpu_set{2, 5, 6}));
  EXPECT_EQ(result.why(), "affinity mask: 3 CPUs");
  EXPECT_TRUE(result.notes.empty());
}

TEST(usable_cpus, a_v2_quota_of_max_limits_nothing) {
  const auto result =
      system_of_eight{}.groups("0::/app\n", k_v2_mount).file("sys/fs/cgroup/app/cpu.max", "max 100000\n").ask();
  EXPECT_EQ(result.count, 8u);
  EXPECT_TRUE(result.notes.empty());
}

TEST(usable_cpus, a_v2_quota_is_rounded_up) {
  const auto result =
      system_of_eight{}.groups("0::/app\n", k_v2_mount).file("sys/fs/cgroup/app/cpu.max", "150000 100000\n").ask();
  EXPECT_EQ(result.count, 2u);
  EXPECT_EQ(result.cpus.size(), 8u);  // a quota says how many, not where
  EXPECT_EQ(result.why(), "affinity mask: 8 CPUs; cgroup v2 quota: 1.5 → 2 (/sys/fs/cgroup/app)");
}

TEST(usable_cpus, a_quota_below_one_cpu_gives_one_worker_and_never_none) {
  for (const char* quota : {"50000 100000", "1000 100000", "1 1000000", "100000 100000"}) {
    const auto result =
        system_of_eight{}.groups("0::/app\n", k_v2_mount).file("sys/fs/cgroup/app/cpu.max", quota).ask();
    EXPECT_EQ(result.count, 1u) << quota;
  }
}

TEST(usable_cpus, the_tightest_ancestor_decides) {
  const auto result = system_of_eight{}
                          .groups("0::/kube/pod/app\n", k_v2_mount)
                          .file("sys/fs/cgroup/kube/pod/app/cpu.max", "600000 100000\n")
                          .file("sys/fs/cgroup/kube/pod/cpu.max", "300000 100000\n")
                          .file("sys/fs/cgroup/kube/cpu.max", "max 100000\n")
                          .ask();
  EXPECT_EQ(result.count, 3u);
  contains(result.why(), "(/sys/fs/cgroup/kube/pod)");
}

TEST(usable_cpus, a_leaf_tighter_than_its_ancestors_decides) {
  const auto result = system_of_eight{}
                          .groups("0::/a/b\n", k_v2_mount)
                          .file("sys/fs/cgroup/a/b/cpu.max", "200000 100000\n")
                          .file("sys/fs/cgroup/a/cpu.max", "250000 50000\n")
                          .ask();
  EXPECT_EQ(result.count, 2u);
}

TEST(usable_cpus, a_quota_at_the_mount_point_counts) {
  const auto result =
      system_of_eight{}.groups("0::/\n", k_v2_mount).file("sys/fs/cgroup/cpu.max", "400000 100000\n").ask();
  EXPECT_EQ(result.count, 4u);
}

TEST(usable_cpus, a_group_whose_directory_is_not_visible_still_has_its_ancestors) {
  const auto result =
      system_of_eight{}.groups("0::/docker/abc\n", k_v2_mount).file("sys/fs/cgroup/cpu.max", "200000 100000\n").ask();
  EXPECT_EQ(result.count, 2u);
}

TEST(usable_cpus, a_v1_quota_of_minus_one_limits_nothing) {
  const auto result = system_of_eight{}
                          .groups("4:cpu,cpuacct:/app\n", k_v1_cpu_mount)
                          .file("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "-1\n")
                          .file("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000\n")
                          .ask();
  EXPECT_EQ(result.count, 8u);
  EXPECT_TRUE(result.notes.empty());
}

TEST(usable_cpus, a_v1_quota_is_rounded_up_and_its_ancestors_count) {
  auto system = system_of_eight{};
  system.groups("11:memory:/x\n4:cpu,cpuacct:/a/b\n", k_v1_cpu_mount)
      .file("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "450000\n")
      .file("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(system.ask().count, 5u);
  system.file("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "25000\n")
      .file("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "20000\n");
  const auto result = system.ask();
  EXPECT_EQ(result.count, 2u);
  contains(result.why(), "cgroup v1 quota: 1.25 → 2 (/sys/fs/cgroup/cpu,cpuacct/a)");
}

TEST(usable_cpus, in_a_container_of_v1_the_mounts_root_is_taken_off_the_groups_path) {
  const auto result = system_of_eight{}
                          .groups("4:cpu,cpuacct:/docker/abc/inner\n",
                                  "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n")
                          .file("sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "300000\n")
                          .file("sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n")
                          .ask();
  EXPECT_EQ(result.count, 3u);
}

TEST(usable_cpus, on_a_hybrid_system_both_versions_count) {
  const std::string mounts =
      std::string{"41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"} + k_v1_cpu_mount;
  auto system = system_of_eight{};
  system.groups("1:cpu,cpuacct:/a\n0::/b\n", mounts)
      .file("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "300000\n")
      .file("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(system.ask().count, 3u);
  system.file("sys/fs/cgroup/unified/b/cpu.max", "200000 100000\n");
  EXPECT_EQ(system.ask().count, 2u);
}

TEST(usable_cpus, nonsense_in_quota_files_is_ignored_and_noted) {
  for (const char* content : {"", "banana", "100000", "-5 100000", "100000 0", "0 100000", "1e5 100000",
                              "100000 100000 1", "99999999999999999999 100000", "max"}) {
    const auto result =
        system_of_eight{}.groups("0::/app\n", k_v2_mount).file("sys/fs/cgroup/app/cpu.max", content).ask();
    EXPECT_EQ(result.count, 8u) << content;
    ASSERT_EQ(result.notes.size(), 1u) << content;
    contains(result.notes[0], "/sys/fs/cgroup/app/cpu.max");
  }
  const auto result = system_of_eight{}
                          .groups("4:cpu:/app\n", k_v1_cpu_mount)
                          .file("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "100000\n")
                          .ask();
  EXPECT_EQ(result.count, 8u);
  ASSERT_EQ(result.notes.size(), 1u);
  contains(result.notes[0], "cpu.cfs_period_us: missing");
}

TEST(usable_cpus, nonsense_in_proc_files_is_ignored) {
  const auto result = system_of_eight{}.groups("garbage\n::\n\n0:\n", "x y z\n1 2 3 - \n- - - -\n").ask();
  EXPECT_EQ(result.count, 8u);
  EXPECT_EQ(system_of_eight{}.file("proc/self/cgroup", "0::/\n").ask().count, 8u);
}

TEST(usable_cpus, an_affinity_mask_narrower_than_the_quota_decides) {
  const auto result = system_of_eight{}
                          .affinity(cpu_set{1, 3})
                          .groups("0::/app\n", k_v2_mount)
                          .file("sys/fs/cgroup/app/cpu.max", "600000 100000\n")
                          .ask();
  EXPECT_EQ(result.count, 2u);
  EXPECT_EQ(result.cpus, (cpu_set{1, 3}));
}

// In a cgroup namespace whose hierarchy was mounted from outside, the mount's root is above the namespace.
TEST(usable_cpus, a_mount_from_outside_the_namespace_limits_from_its_root) {
  auto system = system_of_eight{};
  system.groups("0::/\n", "30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
      .file("sys/fs/cgroup/cpu.max", "300000 100000\n");
  const auto result = system.ask();
  EXPECT_EQ(result.count, 3u);
  ASSERT_EQ(result.notes.size(), 1u);
  contains(result.notes[0], "is not visible");
}

TEST(usable_cpus, names_above_the_namespace_that_agree_are_followed) {
  const auto result = system_of_eight{}
                          .groups("0::/../../pod/app\n", "30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
                          .file("sys/fs/cgroup/pod/app/cpu.max", "200000 100000\n")
                          .ask();
  EXPECT_EQ(result.count, 2u);
  EXPECT_TRUE(result.notes.empty());
}

// A process outside everything that is mounted: the mount's limits are not its own, and ".." must not lead out of the
// hierarchy to a file that happens to have the name.
TEST(usable_cpus, a_group_outside_the_mount_is_noted_and_its_path_is_never_followed) {
  for (const char* membership : {"0::/../../x\n", "0::/../x\n", "0::/..\n", "0::/a/../../x\n"}) {
    const auto result = system_of_eight{}
                            .groups(membership, k_v2_mount)
                            .file("sys/fs/cgroup/cpu.max", "100000 100000\n")
                            .file("sys/x/cpu.max", "100000 100000\n")
                            .file("sys/fs/x/cpu.max", "100000 100000\n")
                            .file("sys/fs/cpu.max", "100000 100000\n")
                            .ask();
    EXPECT_EQ(result.count, 8u) << membership;
    ASSERT_EQ(result.notes.size(), 1u) << membership;
    contains(result.notes[0], "no mount shows the group");
  }
}

TEST(usable_cpus, of_two_mounts_the_one_that_shows_more_ancestors_is_read) {
  const auto result = system_of_eight{}
                          .groups("0::/a/b\n",
                                  "40 23 0:26 /a/b /mnt/narrow rw - cgroup2 none rw\n"
                                  "41 23 0:26 / /mnt/with\\040blank rw - cgroup2 none rw\n")
                          .file("mnt/narrow/cpu.max", "700000 100000\n")
                          .file("mnt/with blank/a/cpu.max", "200000 100000\n")
                          .ask();
  EXPECT_EQ(result.count, 2u);
}

TEST(usable_cpus, a_prefix_of_a_name_is_not_an_ancestor) {
  const auto result = system_of_eight{}
                          .groups("0::/abc\n", "40 23 0:26 /ab /sys/fs/cgroup rw - cgroup2 none rw\n")
                          .file("sys/fs/cgroup/cpu.max", "100000 100000\n")
                          .ask();
  EXPECT_EQ(result.count, 8u);
}

TEST(usable_cpus, a_v2_cpuset_narrows_the_set) {
  const auto result = system_of_eight{}
                          .groups("0::/a/b\n", k_v2_mount)
                          .file("sys/fs/cgroup/a/cpuset.cpus.effective", "0-3,8,10-11\n")
                          .file("sys/fs/cgroup/cpuset.cpus.effective", "0\n")  // the nearest one includes its ancestors
                          .ask();
  EXPECT_EQ(result.cpus, (cpu_set{0, 1, 2, 3}));
  EXPECT_EQ(result.count, 4u);
  contains(result.why(), "cgroup v2 cpuset: 7 CPUs (/sys/fs/cgroup/a)");
}

TEST(usable_cpus, a_v1_cpuset_narrows_the_set) {
  auto system = system_of_eight{};
  system.groups("3:cpuset:/a\n", k_v1_cpuset_mount).file("sys/fs/cgroup/cpuset/a/cpuset.cpus", "4-7\n");
  EXPECT_EQ(system.ask().cpus, (cpu_set{4, 5, 6, 7}));
  system.file("sys/fs/cgroup/cpuset/a/cpuset.effective_cpus", "6\n");
  EXPECT_EQ(system.ask().cpus, (cpu_set{6}));
}

TEST(usable_cpus, a_cpuset_that_is_empty_nonsense_or_disjoint_does_not_narrow) {
  auto system = system_of_eight{};
  system.groups("0::/a\n", k_v2_mount).file("sys/fs/cgroup/a/cpuset.cpus.effective", "\n");
  EXPECT_EQ(system.ask().count, 8u);
  EXPECT_TRUE(system.ask().notes.empty());
  system.file("sys/fs/cgroup/a/cpuset.cpus.effective", "all\n");
  EXPECT_EQ(system.ask().count, 8u);
  contains(system.ask().notes.at(0), "'all' ignored");
  system.file("sys/fs/cgroup/a/cpuset.cpus.effective", "64-127\n");
  EXPECT_EQ(system.ask().count, 8u);
  contains(system.ask().notes.at(0), "none of the CPUs 0-7 is in it");
}

TEST(usable_cpus, without_an_affinity_mask_the_online_cpus_count) {
  const auto result = system_of_eight{}.affinity(std::nullopt).file("sys/devices/system/cpu/online", "0-4\n").ask();
  EXPECT_EQ(result.count, 5u);
  EXPECT_EQ(result.notes.size(), 1u);
  const auto blind = system_of_eight{}.affinity(cpu_set{}).ask();
  EXPECT_GE(blind.count, 1u);
  EXPECT_FALSE(blind.cpus.empty());
}

TEST(usable_cpus, the_variable_overrides_the_number_and_not_the_set) {
  const auto result = system_of_eight{}
                          .groups("0::/app\n", k_v2_mount)
                          .file("sys/fs/cgroup/app/cpu.max", "100000 100000\n")
                          .set("FILCH_WORKERS", "12")
                          .ask();
  EXPECT_EQ(result.count, 12u);
  EXPECT_EQ(result.cpus, cpu_set::first(8));
  contains(result.why(), "FILCH_WORKERS: 12");
  EXPECT_EQ(system_of_eight{}.set("FILCH_WORKERS", "65535").ask().count, 65535u);
}

TEST(usable_cpus, a_bad_variable_is_an_error_that_names_it_its_value_and_the_range) {
  EXPECT_EQ(thrown_text([] { static_cast<void>(system_of_eight{}.set("FILCH_WORKERS", "four").ask()); }),
            "FILCH_WORKERS = 'four' is not allowed; allowed: a whole number from 1 to 65535");
  for (const char* value : {"", "0", "-1", "65536", "4.5", " 4", "4 ", "+4", "0x4", "99999999999999999999"}) {
    contains(thrown_text([&] { static_cast<void>(system_of_eight{}.set("FILCH_WORKERS", value).ask()); }),
             std::string{"FILCH_WORKERS = '"} + value + "'");
  }
}

TEST(usable_cpus, more_than_1024_cpus_are_possible) {
  const auto result = system_of_eight{}.affinity(cpu_set::first(4096)).ask();
  EXPECT_EQ(result.count, 4096u);
}

TEST(usable_cpus, this_process_has_at_least_one) {
  const auto result = usable_cpus({.environment = [](const char*) { return std::nullopt; }});
  EXPECT_GE(result.count, 1u);
  EXPECT_LE(result.count, result.cpus.size());
  EXPECT_FALSE(result.reasons.empty());
}

}  // namespace
