// What a worker's thread uses, as the recorder writes it down: who is looked at, and how the amounts add up.
#include <filch/trace/session.hpp>

#include "trace/thread_meter.hpp"
#include "trace/usage_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

using namespace filch;
using namespace filch::trace;

std::uint64_t sum_of(const std::vector<thread_sample>& samples, thread_resource which) {
  std::uint64_t sum = 0;
  for (const thread_sample& each : samples) sum += each.begins == 0 ? each.used[which] : 0;
  return sum;
}

std::vector<std::uint64_t> threads_of(const std::vector<thread_sample>& samples) {
  std::vector<std::uint64_t> out;
  for (const thread_sample& each : samples) {
    if (each.begins != 0) out.push_back(each.begins);
  }
  return out;
}

void sleep_and_say(recorder& r, int times) {
  for (int i = 0; i != times; ++i) {
    r.start(task_id{1});
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    r.end(task_id{1});
  }
}

TEST(thread_usage, is_not_recorded_unless_asked_for) {
  session one{{.workers = 1}};
  one.start();
  sleep_and_say(one.of_worker(worker_id{0}), 3);
  EXPECT_TRUE(one.collect().usage.empty());
}

// Every sleep is a wait inside the kernel. The first sample lies behind the first event, and so before all of them, the
// last behind the last event, because the sleep before it was longer than the interval of the samples.
TEST(thread_usage, counts_every_wait_inside_the_kernel) {
  session one{{.workers = 1, .thread_usage = true}};
  one.start();
  constexpr int k_times = 20;
  sleep_and_say(one.of_worker(worker_id{0}), k_times);
  const recording all = one.collect();
  EXPECT_EQ(all.check(), "");
  ASSERT_EQ(all.usage.size(), 1u);
  EXPECT_GE(sum_of(all.usage[0], thread_resource::voluntary), static_cast<std::uint64_t>(k_times));
  EXPECT_EQ(threads_of(all.usage[0]).size(), 1u);
}

TEST(thread_usage, begins_with_what_is_looked_at_and_lies_at_the_times_of_events) {
  session one{{.workers = 1, .thread_usage = true}};
  one.start();
  sleep_and_say(one.of_worker(worker_id{0}), 3);
  const recording all = one.collect();
  const auto& samples = all.usage.at(0);
  ASSERT_GE(samples.size(), 2u);
  EXPECT_NE(samples[0].begins, 0u);
  EXPECT_EQ(samples[0].used[thread_resource::cpu_ns], 1u);
  EXPECT_EQ(samples[0].used[thread_resource::voluntary], 1u);
  for (const thread_sample& each : samples) {
    EXPECT_TRUE(std::ranges::count(all.workers[0], each.at_ns, &event::time_ns) != 0);
  }
}

// The amounts are those of one thread: when another takes its place they begin anew, and nothing of what the first has
// used meanwhile is the worker's.
TEST(thread_usage, begins_anew_when_another_thread_becomes_the_worker) {
  session one{{.workers = 1, .thread_usage = true}};
  one.start();
  recorder& r = one.of_worker(worker_id{0});
  sleep_and_say(r, 2);
  std::thread{[&] { sleep_and_say(r, 2); }}.join();
  sleep_and_say(r, 2);
  const auto threads = threads_of(one.collect().usage.at(0));
  ASSERT_EQ(threads.size(), 3u);
  EXPECT_NE(threads[0], threads[1]);
  EXPECT_EQ(threads[0], threads[2]);
}

TEST(thread_usage, of_a_thread_that_serves_two_workers_in_turn_begins_anew_each_time) {
  session one{{.workers = 2, .thread_usage = true}};
  one.start();
  sleep_and_say(one.of_worker(worker_id{0}), 2);
  sleep_and_say(one.of_worker(worker_id{1}), 2);
  sleep_and_say(one.of_worker(worker_id{0}), 2);
  const recording all = one.collect();
  EXPECT_EQ(threads_of(all.usage.at(0)).size(), 2u);
  EXPECT_EQ(threads_of(all.usage.at(1)).size(), 1u);
}

// A recording that nobody empties while it runs looks less and less often: it holds its whole length.
TEST(thread_usage, of_many_intervals_is_kept_to_the_last) {
  usage_log log{usage_log::ring_is::emptied_at_the_end};
  constexpr int k_looks = 4000;
  time_ns first_step_ns = 0;
  time_ns last_step_ns = 0;
  for (int i = 0; i != k_looks; ++i) {
    const time_ns now_ns = monotonic_now_ns();
    last_step_ns = log.look(now_ns) - now_ns;
    if (i == 1) first_step_ns = last_step_ns;
  }
  EXPECT_GT(last_step_ns, first_step_ns);
  int taken = 0;
  for (thread_sample sample; log.take(sample);) ++taken;
  EXPECT_EQ(taken, k_looks);
}

// What finds no room is part of the sample that does.
TEST(thread_usage, of_a_full_ring_is_not_lost) {
  thread_meter& meter = thread_meter::of_this_thread();
  const int reader = 0;
  (void)meter.begin(&reader, monotonic_now_ns());
  std::this_thread::sleep_for(std::chrono::milliseconds{1});
  const thread_amounts first = meter.read(monotonic_now_ns());
  std::this_thread::sleep_for(std::chrono::milliseconds{1});
  const thread_amounts both = meter.read(monotonic_now_ns());
  EXPECT_GE(first[thread_resource::voluntary], 1u);
  EXPECT_GT(both[thread_resource::voluntary], first[thread_resource::voluntary]);
  EXPECT_GE(both[thread_resource::cpu_ns], first[thread_resource::cpu_ns]);
  meter.keep();
  EXPECT_EQ(meter.read(monotonic_now_ns())[thread_resource::voluntary], 0u);
}

TEST(thread_usage, leaves_errno_alone) {
  errno = 77;
  const int reader = 0;
  thread_meter& meter = thread_meter::of_this_thread();
  (void)meter.begin(&reader, monotonic_now_ns());
  (void)meter.read(monotonic_now_ns());
  EXPECT_EQ(errno, 77);
}

TEST(thread_usage, every_resource_has_a_name) {
  EXPECT_EQ(name_of(thread_resource::cpu_ns), "cpu_ns");
  EXPECT_EQ(name_of(thread_resource::cache_misses), "cache_misses");
  EXPECT_EQ(name_of(static_cast<thread_resource>(k_thread_resources)), "unknown");
}

}  // namespace
