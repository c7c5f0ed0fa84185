// The threads of a runtime: their names, places and stacks, and what happens when the system refuses one.
#include "helpers.hpp"

#include <filch/topology/pin_thread.hpp>

#include <support/address_space.hpp>
#include <support/emulated.hpp>

#include "runtime/crew.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace filch_runtime_test;
using filch::options;
using filch::worker_id;

std::multiset<std::string> names_of_threads() {
  std::multiset<std::string> names;
  for (const auto& each : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::ifstream file{each.path() / "comm"};
    std::string name;
    if (std::getline(file, name)) names.insert(name);
  }
  return names;
}

TEST(threads, have_names_that_tell_runtime_and_number) {
  filch::runtime rt{options{.workers = 3, .name = "ninechars", .watchdog_ns = filch::k_ns_per_s}};
  for (std::uint32_t i = 0; i != 3; ++i) rt.submit_to(worker_id{i}, [] {}).get();
  const auto is_there = [](const char* name) { return eventually([&] { return names_of_threads().contains(name); }); };
  EXPECT_TRUE(is_there("ninechars-0"));
  EXPECT_TRUE(is_there("ninechars-1"));
  EXPECT_TRUE(is_there("ninechars-2"));
  EXPECT_TRUE(is_there("ninechars-mon"));
}

TEST(threads, may_run_everywhere_once_they_have_begun) {
  const auto allowed = filch::topology::thread_affinity();
  ASSERT_TRUE(allowed.has_value());
  const auto count = static_cast<std::uint32_t>(allowed->size());
  std::atomic<std::uint32_t> started{0};
  filch::runtime rt{options{.workers = count, .on_thread_start = [&](worker_id) {
                              EXPECT_EQ(filch::topology::thread_affinity(), allowed);
                              ++started;
                            }}};
  for (std::uint32_t i = 0; i != count; ++i) {
    EXPECT_EQ(rt.submit_to(worker_id{i}, [] { return filch::topology::thread_affinity(); }).get(), allowed);
  }
  EXPECT_EQ(started, count);
}

TEST(threads, stay_where_on_thread_start_has_bound_them) {
  const auto allowed = filch::topology::thread_affinity();
  ASSERT_TRUE(allowed.has_value());
  const filch::topology::cpu_number last = allowed->back();
  filch::runtime rt{
      options{.workers = 2, .on_thread_start = [&](worker_id) { EXPECT_FALSE(filch::topology::pin_thread(last)); }}};
  for (std::uint32_t i = 0; i != 2; ++i) {
    EXPECT_EQ(rt.submit_to(worker_id{i}, [] { return filch::topology::thread_affinity(); }).get(),
              filch::topology::cpu_set{last});
  }
}

// The first threads of a crew, that is; one after the other, the caller's CPU last.
TEST(threads, begin_on_a_cpu_each) {
  const auto allowed = filch::topology::thread_affinity();
  ASSERT_TRUE(allowed.has_value());
  const auto count = static_cast<std::uint32_t>(allowed->size());
  std::vector<std::optional<filch::topology::cpu_set>> masks(count + 1);
  std::optional<filch::crew> threads;
  threads.emplace("apart", std::size_t{0}, [&](std::uint32_t number) {
    EXPECT_EQ(threads->wait_for_worker(), nullptr);
    masks[number] = filch::topology::thread_affinity();
  });
  ASSERT_FALSE(threads->start(count + 1, *allowed, allowed->front()));
  threads->stop();
  for (std::uint32_t i = 0; i != count; ++i) {
    EXPECT_EQ(masks[i], filch::topology::cpu_set{(*allowed)[(i + 1) % count]}) << i;
  }
  EXPECT_EQ(masks[count], allowed) << "there is no further CPU";
}

TEST(threads, end_with_their_runtime) {
  {
    filch::runtime rt{options{.workers = 3, .name = "shortly"}};
    rt.run([] { filch::blocking([] {}); });
  }
  // A joined thread may still be listed for a moment.
  EXPECT_TRUE(eventually([] {
    const auto names = names_of_threads();
    return std::none_of(names.begin(), names.end(), [](const auto& each) { return each.starts_with("shortly"); });
  }));
}

TEST(threads, call_on_thread_start_once_each_on_themselves_spare_ones_included) {
  std::mutex mutex;
  std::vector<std::pair<std::thread::id, worker_id>> started;
  filch::runtime rt{options{.workers = 2, .on_thread_start = [&](worker_id worker) {
                              EXPECT_EQ(filch::this_worker(), worker);
                              const std::lock_guard lock{mutex};
                              started.emplace_back(std::this_thread::get_id(), worker);
                            }}};
  for (std::uint32_t i = 0; i != 2; ++i) rt.submit_to(worker_id{i}, [] {}).get();
  EXPECT_EQ(started.size(), 2u);
  rt.run([] {
    for (int i = 0; i != 10; ++i) filch::blocking([] {});
  });
  rt.shutdown();
  EXPECT_LE(started.size(), 3u);
  std::set<std::thread::id> threads;
  for (const auto& each : started) threads.insert(each.first);
  EXPECT_EQ(threads.size(), started.size());
}

class pinned_threads : public testing::TestWithParam<filch::pinning> {};

TEST_P(pinned_threads, run_on_one_cpu_each_of_those_that_the_process_may_use) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  std::atomic<int> complaints{0};
  filch::runtime rt{
      options{.workers = 4, .pinning = GetParam(), .on_report = [&](const std::string&) { ++complaints; }}};
  for (std::uint32_t i = 0; i != 4; ++i) {
    rt.submit_to(worker_id{i}, [&] {
        cpu_set_t mine;
        ASSERT_EQ(::sched_getaffinity(0, sizeof mine, &mine), 0);
        EXPECT_EQ(CPU_COUNT(&mine), 1);
        cpu_set_t both;
        CPU_AND(&both, &mine, &allowed);
        EXPECT_TRUE(CPU_EQUAL(&both, &mine));
      }).get();
  }
  EXPECT_EQ(complaints, 0);
}

INSTANTIATE_TEST_SUITE_P(both, pinned_threads, testing::Values(filch::pinning::spread, filch::pinning::compact),
                         [](const auto& of) { return of.param == filch::pinning::spread ? "spread" : "compact"; });

// Whether one moves is the system's affair; that it may run everywhere afterwards is ours. A thread that sleeps is
// woken by the system where it may run: not where the other worker is. Seen from outside, by its mask while it sleeps;
// and from inside, when it works, that it has it back.
TEST(threads, that_keep_apart_sleep_elsewhere_than_others_run_and_may_run_everywhere_when_they_work) {
  const auto allowed = filch::topology::thread_affinity();
  ASSERT_TRUE(allowed.has_value());
  // Where there is one CPU no thread can sleep elsewhere; CI has two, and there nothing is skipped.
  if (allowed->size() < 2) GTEST_SKIP() << "there is no second CPU";
  filch::runtime rt{options{.workers = 2}};
  std::atomic<bool> is_over{false};
  std::atomic<bool> has_begun{false};
  auto other = rt.submit_to(worker_id{0}, [&] {
    has_begun = true;
    has_begun.notify_all();
    is_over.wait(false);
  });
  has_begun.wait(false);
  const pid_t sleeper = rt.submit_to(worker_id{1}, [] { return ::gettid(); }).get();
  const auto cpus_of_sleeper = [&] {
    cpu_set_t mask;
    return ::sched_getaffinity(sleeper, sizeof mask, &mask) == 0 ? static_cast<std::size_t>(CPU_COUNT(&mask)) : 0;
  };
  EXPECT_TRUE(eventually([&] { return cpus_of_sleeper() == allowed->size() - 1; }));
  EXPECT_EQ(rt.submit_to(worker_id{1}, [] { return filch::topology::thread_affinity(); }).get(), allowed);
  is_over = true;
  is_over.notify_all();
  other.get();
}

TEST(threads, that_keep_apart_are_not_bound) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  filch::runtime rt{options{.workers = 2, .idle = filch::idle::eco}};
  for (int i = 0; i != 200; ++i) {
    std::atomic<bool> is_taken{false};
    rt.run([&] {
      rt.spawn([&] { is_taken = true; });
      while (!is_taken) std::this_thread::yield();
    });
  }
  for (std::uint32_t i = 0; i != 2; ++i) {
    rt.submit_to(worker_id{i}, [&] {
        cpu_set_t mine;
        ASSERT_EQ(::sched_getaffinity(0, sizeof mine, &mine), 0);
        EXPECT_TRUE(CPU_EQUAL(&mine, &allowed));
      }).get();
  }
}

TEST(threads, have_the_stack_size_of_the_options) {
  constexpr std::size_t k_bytes = std::size_t{64} << 20;
  filch::runtime rt{options{.workers = 1, .thread_stack_bytes = k_bytes}};
  const std::size_t has = rt.run([] {
    pthread_attr_t attributes;
    EXPECT_EQ(::pthread_getattr_np(::pthread_self(), &attributes), 0);
    std::size_t bytes = 0;
    EXPECT_EQ(::pthread_attr_getstacksize(&attributes, &bytes), 0);
    ::pthread_attr_destroy(&attributes);
    return bytes;
  });
  EXPECT_GE(has, k_bytes);
}

TEST(threads, when_not_one_can_be_started_the_constructor_throws_and_leaves_nothing_behind) {
  const std::string text = thrown<std::system_error>(
      [] { filch::runtime rt{options{.workers = 2, .thread_stack_bytes = std::size_t{1} << 60}}; });
  EXPECT_TRUE(contains(text, "not one of 2 threads started")) << text;
  EXPECT_EQ(filch::runtime{options{.workers = 1}}.run([] { return 1; }), 1);
}

// In a process of its own: room for two stacks and a half, where eight are wanted.
[[noreturn]] void run_with_fewer_threads() {
  constexpr std::uint64_t k_stack_bytes = std::uint64_t{512} << 20;
  const rlim_t limit = filch_test::address_space_bytes() + 2 * k_stack_bytes + k_stack_bytes / 2;
  const rlimit room{limit, limit};
  if (::setrlimit(RLIMIT_AS, &room) != 0) ::_exit(10);
  filch::runtime rt{
      options{.workers = 8, .placement = filch::placement::given(worker_id{7}), .thread_stack_bytes = k_stack_bytes}};
  if (rt.workers() < 1 || rt.workers() > 4) ::_exit(11);
  if (!contains(rt.why_so_many(), "of 8 threads could be started")) ::_exit(12);
  if (rt.run([&] { return fib(rt, 12); }) != 144) ::_exit(13);
  rt.run([] { filch::blocking([] {}); });  // and no spare thread either
  for (std::uint32_t i = 0; i != rt.workers(); ++i) rt.submit_to(worker_id{i}, [] {}).get();
  rt.wait_idle();
  if (rt.statistics().unfinished() != 0 || rt.statistics().workers.size() != rt.workers()) ::_exit(14);
  if (!rt.shutdown()) ::_exit(15);
  ::_exit(0);
}

TEST(threads_death, with_fewer_threads_than_wanted_everything_works) {
  if (filch_test::is_emulated) GTEST_SKIP() << "the emulator keeps no limit of the address space";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_with_fewer_threads(), testing::ExitedWithCode(0), "");
}

}  // namespace
