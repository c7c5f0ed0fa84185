// What the threads did while tasks ran: what was asleep in the kernel, what a busy machine took, and which verdicts it
// alone explains. Every fault stands beside the same recording without the samples, or with others.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread_use.hpp>
#include <vector>
#include <verdicts.hpp>

#include "script.hpp"

namespace {

using namespace filch;
using analysis::findings;
using analysis::verdict;
using filch_analysis_test::none;
using filch_analysis_test::script;
using use = script::use;

constexpr time_ns k_length_ns = 1'000'000;

findings findings_of(const script& s) {
  EXPECT_EQ(s.recording().check(), "");
  return analysis::findings_of(analysis::dag::from(s.recording()), s.recording());
}

std::string ids_of(const findings& found) {
  std::string out;
  for (const verdict& each : found.verdicts) out += (out.empty() ? "" : " ") + each.id;
  return out;
}

std::string omissions_of(const findings& found) {
  std::string out;
  for (const auto& each : found.not_looked_at) out += (out.empty() ? "" : " ") + each.id;
  return out;
}

// Tasks of k_length_ns on every worker, one after the other, with a sample behind each.
script equal_tasks(std::uint32_t workers, const use& of_each, std::uint32_t per_worker = 10) {
  script s{workers};
  std::uint64_t next = 1;
  for (std::uint32_t w = 0; w != workers; ++w) {
    s.at(0).on(w).begin_thread(100 + w);
    for (std::uint32_t i = 0; i != per_worker; ++i, ++next) {
      const time_ns begin_ns = static_cast<time_ns>(i) * k_length_ns;
      s.at(begin_ns).outside().spawn(next, none, "tile");
      s.run(next, w, begin_ns, begin_ns + k_length_ns).sample(of_each);
    }
  }
  return s;
}

TEST(thread_use, of_threads_that_compute_is_ok) {
  const findings found = findings_of(equal_tasks(2, {.cpu_ns = k_length_ns}));
  EXPECT_EQ(ids_of(found), "ok");
  EXPECT_NE(found.verdicts[0].text.find("100 % of that on a processor"), std::string::npos);
  EXPECT_EQ(found.threads.all.on_cpu_ns(), found.work_ns);
}

TEST(thread_use, of_tasks_that_sleep_in_the_kernel_is_a_verdict_with_its_figures) {
  const findings found = findings_of(equal_tasks(2, {.cpu_ns = k_length_ns / 10, .voluntary = 3}));
  ASSERT_EQ(ids_of(found), "blocked-in-kernel");
  const verdict& only = found.verdicts[0];
  EXPECT_EQ(only.subject, "tile");
  EXPECT_EQ(only.whose, analysis::fault::program);
  EXPECT_EQ(only.cost_ns, 20 * k_length_ns * 9 / 10);
  EXPECT_NE(only.text.find("60 times"), std::string::npos) << only.text;
  EXPECT_EQ(found.groups[0].blocked_ns, only.cost_ns);
}

// The same times: but the thread never gave its processor up by itself.
TEST(thread_use, without_waits_in_the_kernel_is_that_of_a_busy_machine) {
  const findings found = findings_of(equal_tasks(2, {.cpu_ns = k_length_ns / 10}));
  ASSERT_EQ(ids_of(found), "busy-machine");
  EXPECT_EQ(found.verdicts[0].whose, analysis::fault::machine);
  EXPECT_EQ(found.verdicts[0].cost_ns, 20 * k_length_ns * 9 / 10);
  EXPECT_EQ(found.threads.all.blocked_ns, 0);
}

TEST(thread_use, in_the_run_queue_is_no_sleep) {
  const findings found =
      findings_of(equal_tasks(2, {.cpu_ns = k_length_ns / 2, .run_queue_ns = k_length_ns * 45 / 100, .voluntary = 1}));
  EXPECT_EQ(ids_of(found), "busy-machine");
  EXPECT_EQ(found.threads.all.blocked_ns, k_length_ns);
  EXPECT_EQ(found.threads.all.taken_ns, 9 * k_length_ns);
}

TEST(thread_use, of_a_park_is_no_wait_inside_a_task) {
  script s{1};
  s.at(0).on(0).begin_thread(7);
  s.at(0).outside().spawn(1, none, "tile");
  s.run(1, 0, 0, k_length_ns).park();
  s.at(3 * k_length_ns).wake().sample({.cpu_ns = k_length_ns / 2, .voluntary = 1});
  s.outside().spawn(2, none, "tile");
  s.run(2, 0, 3 * k_length_ns, 4 * k_length_ns).sample({.cpu_ns = k_length_ns});
  const findings found = findings_of(s);
  EXPECT_EQ(found.threads.all.blocked_ns, 0);
  EXPECT_EQ(found.threads.all.waits, 0u);
  EXPECT_EQ(found.threads.all.taken_ns, k_length_ns / 2);
}

TEST(thread_use, before_a_thread_begins_is_not_that_of_the_one_before) {
  script s{1};
  s.at(0).on(0).begin_thread(7);
  for (std::uint64_t i = 0; i != 3; ++i) {
    const auto begin_ns = static_cast<time_ns>(i) * k_length_ns;
    s.at(begin_ns).outside().spawn(i + 1, none, "tile");
    s.run(i + 1, 0, begin_ns, begin_ns + k_length_ns);
    if (i == 1) s.begin_thread(8);
    else s.sample({.cpu_ns = k_length_ns});
  }
  EXPECT_EQ(findings_of(s).threads.all.tasks_ns, 2 * k_length_ns);
}

TEST(thread_use, names_the_workers_as_the_reason_when_there_are_more_of_them_than_processors) {
  script s = equal_tasks(4, {.cpu_ns = k_length_ns / 2, .run_queue_ns = k_length_ns / 2});
  s.processors(2);
  const findings found = findings_of(s);
  ASSERT_EQ(ids_of(found), "busy-machine");
  EXPECT_NE(found.verdicts[0].text.find("4 workers shared 2 processors"), std::string::npos) << found.verdicts[0].text;
}

// ---- what a busy machine alone explains ----

// One task among its siblings takes ten times as long; of that its thread was on a processor for `cpu_ns`.
script one_long_task(time_ns cpu_ns) {
  script s = equal_tasks(4, {.cpu_ns = k_length_ns});
  s.at(0).outside().spawn(900, none, "tile");
  s.run(900, 2, 10 * k_length_ns, 30 * k_length_ns).sample({.cpu_ns = cpu_ns});
  return s;
}

TEST(busy_machine, explains_a_task_that_is_long_because_it_had_no_processor) {
  EXPECT_EQ(ids_of(findings_of(one_long_task(20 * k_length_ns))), "oversized-task");
  const findings found = findings_of(one_long_task(k_length_ns));
  EXPECT_EQ(ids_of(found), "busy-machine");
  EXPECT_NE(found.verdicts[0].text.find("looks like serial-phase"), std::string::npos) << found.verdicts[0].text;
}

TEST(busy_machine, does_not_explain_a_task_that_is_long_all_the_same) {
  const findings found = findings_of(one_long_task(15 * k_length_ns));
  ASSERT_FALSE(found.verdicts.empty());
  EXPECT_EQ(found.verdicts[0].id, "oversized-task");
  EXPECT_EQ(found.verdicts[0].cost_ns, 3 * 15 * k_length_ns);
}

script serial_phase(time_ns cpu_ns) {
  script s{4};
  for (std::uint32_t w = 0; w != 4; ++w) s.at(0).on(w).begin_thread(100 + w);
  s.at(0).outside().spawn(1, none, "load");
  s.run(1, 0, 0, 6 * k_length_ns).sample({.cpu_ns = cpu_ns});
  for (std::uint64_t i = 0; i != 20; ++i) {
    const time_ns begin_ns = 6 * k_length_ns + static_cast<time_ns>(i / 4) * k_length_ns;
    s.at(begin_ns).outside().spawn(i + 2, none, "item");
    s.run(i + 2, static_cast<std::uint32_t>(i % 4), begin_ns, begin_ns + k_length_ns).sample({.cpu_ns = k_length_ns});
  }
  return s;
}

TEST(busy_machine, explains_a_serial_phase_without_a_processor) {
  EXPECT_EQ(ids_of(findings_of(serial_phase(6 * k_length_ns))), "serial-phase");
  EXPECT_EQ(ids_of(findings_of(serial_phase(k_length_ns / 10))), "busy-machine");
  EXPECT_EQ(ids_of(findings_of(serial_phase(4 * k_length_ns))), "serial-phase");
}

TEST(busy_machine, explains_workers_that_wait_for_tasks_without_a_processor) {
  const auto three_of_eight = [](time_ns cpu_ns) {
    script s = equal_tasks(8, {.cpu_ns = k_length_ns}, 1);
    for (std::uint64_t i = 0; i != 3; ++i) {
      s.at(k_length_ns).outside().spawn(900 + i, none, "tile");
      s.run(900 + i, static_cast<std::uint32_t>(i), k_length_ns, 2 * k_length_ns).sample({.cpu_ns = cpu_ns});
    }
    return ids_of(findings_of(s));
  };
  EXPECT_EQ(three_of_eight(k_length_ns), "too-few-tasks");
  EXPECT_EQ(three_of_eight(k_length_ns / 2), "too-few-tasks");
  EXPECT_EQ(three_of_eight(k_length_ns / 10), "busy-machine");
}

// Worker 1 sleeps until the first task has ended, whose worker could have woken it.
TEST(busy_machine, explains_workers_that_sleep_because_nobody_gets_to_wake_them) {
  const auto sleeping = [](time_ns cpu_ns) {
    script s{2};
    s.at(0).on(1).park();
    for (std::uint32_t w = 0; w != 2; ++w) s.at(0).on(w).begin_thread(w + 1);
    for (std::uint64_t i = 0; i != 12; ++i) s.at(0).outside().spawn(i + 1, none, "tile");
    s.run(1, 0, 0, 10 * k_length_ns).sample({.cpu_ns = cpu_ns});
    s.at(10 * k_length_ns).on(1).wake().sample({.voluntary = 1});
    for (std::uint64_t i = 1; i != 11; ++i) {
      const time_ns begin_ns = static_cast<time_ns>(10 + (i - 1) / 2) * k_length_ns;
      s.run(i + 1, static_cast<std::uint32_t>(i % 2), begin_ns, begin_ns + k_length_ns).sample({.cpu_ns = k_length_ns});
    }
    return ids_of(findings_of(s));
  };
  EXPECT_EQ(sleeping(10 * k_length_ns), "starving-policy");
  EXPECT_EQ(sleeping(k_length_ns / 4), "busy-machine");
}

TEST(busy_machine, does_not_count_as_growth_of_the_work) {
  const auto growth = [](const use& now) {
    findings found = findings_of(equal_tasks(2, now));
    (void)compare_work(found,
                       findings_of(equal_tasks(2, {.cpu_ns = k_length_ns / 2, .run_queue_ns = k_length_ns / 2})));
    return ids_of(found);
  };
  EXPECT_EQ(growth({.cpu_ns = k_length_ns}), "work-inflation");
  EXPECT_EQ(growth({.cpu_ns = k_length_ns / 2, .run_queue_ns = k_length_ns / 2}), "busy-machine");
}

// ---- counters ----

TEST(counters, show_tasks_that_slow_each_other_down) {
  const auto judged = [](std::uint64_t cycles_beside_many) {
    script s{4};
    std::uint64_t next = 1;
    for (std::uint32_t w = 0; w != 4; ++w) {
      s.at(0).on(w).begin_thread(100 + w, true, true);
      for (int i = 0; i != 40; ++i, ++next) {
        const time_ns begin_ns = i * k_length_ns;
        s.at(begin_ns).outside().spawn(next, none, "row");
        s.run(next, w, begin_ns, begin_ns + k_length_ns);
        s.sample({.cpu_ns = k_length_ns, .cycles = cycles_beside_many, .instructions = 2'000'000});
      }
    }
    for (int i = 40; i != 46; ++i, ++next) {
      s.at(i * k_length_ns).outside().spawn(next, none, "row");
      s.run(next, 0, i * k_length_ns, (i + 1) * k_length_ns);
      s.sample({.cpu_ns = k_length_ns, .cycles = 2'000'000, .instructions = 2'000'000});
    }
    return findings_of(s);
  };
  const findings slowed = judged(5'000'000);
  ASSERT_EQ(slowed.verdicts[0].id, "memory-bound");
  EXPECT_EQ(slowed.verdicts[0].subject, "row");
  EXPECT_NE(slowed.verdicts[0].text.find("took 2.50 cycles"), std::string::npos) << slowed.verdicts[0].text;
  EXPECT_EQ(omissions_of(slowed), "shared-lines");
  EXPECT_EQ(ids_of(judged(2'100'000)).find("memory-bound"), std::string::npos);
}

// ---- what nobody looked at ----

TEST(not_looked_at, are_the_threads_of_a_recording_without_samples) {
  script s{1};
  s.at(0).outside().spawn(1, none, "tile");
  s.run(1, 0, 0, k_length_ns);
  const findings found = findings_of(s);
  EXPECT_EQ(omissions_of(found), "threads");
  EXPECT_EQ(ids_of(found), "ok");
  EXPECT_FALSE(found.threads.is_looked_at);
}

TEST(not_looked_at, are_counters_and_run_queues_that_the_system_does_not_give) {
  EXPECT_EQ(omissions_of(findings_of(equal_tasks(1, {.cpu_ns = k_length_ns}))), "counters");
  script s{1};
  s.at(0).on(0).begin_thread(1, false);
  s.outside().spawn(1, none, "tile");
  s.run(1, 0, 0, k_length_ns).sample({.cpu_ns = k_length_ns});
  EXPECT_EQ(omissions_of(findings_of(s)), "run-queue counters");
}

TEST(not_looked_at, is_the_work_beyond_the_samples) {
  script s = equal_tasks(1, {.cpu_ns = k_length_ns}, 1);
  s.at(k_length_ns).outside().spawn(9, none, "tile");
  s.run(9, 0, k_length_ns, 4 * k_length_ns);
  const findings found = findings_of(s);
  EXPECT_EQ(omissions_of(found), "threads counters");
  EXPECT_NE(found.not_looked_at[0].text.find("25 % of the work"), std::string::npos) << found.not_looked_at[0].text;
}

}  // namespace
