// What a runtime tells about itself: statistics, dumps, long tasks, deadlocks, traces.
#include "helpers.hpp"

#include "../trace/json.hpp"

#include <signal.h>

#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace filch_runtime_test;
using namespace std::chrono_literals;
using filch::options;
using filch::trace::event_kind;

// Collects what is reported; any thread.
class reports {
 public:
  void add(const std::string& text) {
    const std::lock_guard lock{mutex_};
    text_ += text;
  }
  [[nodiscard]] std::string text() const {
    const std::lock_guard lock{mutex_};
    return text_;
  }
  auto sink() {
    return [this](const std::string& text) { add(text); };
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

TEST(statistics, add_up) {
  for (const auto steal : {filch::steal::one, filch::steal::half}) {
    filch::runtime rt{options{.workers = 3, .steal = steal}};
    for (int i = 0; i != 50; ++i) {
      rt.spawn([&] {
        for (int k = 0; k != 100; ++k) rt.spawn([] {});
      });
    }
    EXPECT_EQ(rt.run([&] { return fib(rt, 10); }), 55);
    const auto books = books_of(rt);
    const auto total = books.total();
    EXPECT_EQ(books.submitted_outside, 51u);
    EXPECT_EQ(total[trace_count::executed], books.submitted_outside + total[trace_count::spawned]);
    EXPECT_EQ(total[trace_count::stolen_by_me], total[trace_count::stolen_from_me]);
    EXPECT_GE(total[trace_count::steal_attempts], total[trace_count::steal_failures]);
    EXPECT_EQ(total[trace_count::cancelled], 0u);
    EXPECT_EQ(books.unfinished(), 0u);
    std::uint64_t executed = 0;
    for (const auto& each : books.workers) executed += each.counts[trace_count::executed];
    EXPECT_EQ(executed, total[trace_count::executed]);
    EXPECT_GE(books.steal_rate(), 0.0);
  }
}

TEST(statistics, are_printed_as_a_table_with_a_row_per_worker) {
  filch::runtime rt{options{.workers = 2}};
  for (int i = 0; i != 10; ++i) rt.spawn([] {});
  std::istringstream lines{to_string(books_of(rt))};
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_TRUE(contains(all[0], "executed"));
  std::istringstream sum{all[3]};
  std::string head;
  int executed = 0;
  sum >> head >> executed;
  EXPECT_EQ(head, "all");
  EXPECT_EQ(executed, 10);
  EXPECT_TRUE(contains(all[4], "submitted from outside: 10"));
}

TEST(statistics, are_one_line_of_json) {
  filch::runtime rt{options{.workers = 2}};
  for (int i = 0; i != 10; ++i) rt.spawn([] {});
  const std::string text = to_json(books_of(rt));
  EXPECT_FALSE(contains(text, "\n"));
  const auto read = filch_trace_test::json_reader::read(text);
  ASSERT_TRUE(read.has_value()) << text;
  EXPECT_EQ((*read)["workers"].items.size(), 2u);
  EXPECT_EQ((*read)["total"]["executed"].number, 10);
  EXPECT_EQ((*read)["submitted_outside"].number, 10);
  EXPECT_EQ((*read)["total"].members.size(), filch::trace::k_count_kinds);
}

TEST(statistics, of_nothing_are_zero) {
  const filch::statistics none;
  EXPECT_EQ(none.unfinished(), 0u);
  EXPECT_EQ(none.steal_rate(), 0.0);
  EXPECT_TRUE(filch_trace_test::json_reader::read(to_json(none)).has_value());
}

TEST(watchdog, reports_a_task_that_holds_a_worker_once_and_by_its_name) {
  reports told;
  std::atomic<int> count{0};
  filch::runtime rt{
      options{.workers = 1, .watchdog_ns = 2 * filch::k_ns_per_ms, .on_report = [&](const std::string& text) {
                told.add(text);
                ++count;
              }}};
  rt.submit([&] { EXPECT_TRUE(eventually([&] { return count != 0; })); }, {.name = "slow one"}).get();
  rt.shutdown();
  EXPECT_EQ(count, 1) << told.text();
  EXPECT_TRUE(contains(told.text(), "task 0 (slow one) has held worker 0 for")) << told.text();
}

TEST(dump, shows_workers_their_tasks_and_their_queues) {
  filch::runtime rt{options{.workers = 2, .name = "shown"}};
  gate started;
  gate hold;
  auto running = rt.submit_to(filch::worker_id{1},
                              [&] {
                                started.open();
                                hold.wait();
                              },
                              {.name = "holding"});
  started.wait();
  auto behind = rt.submit_to(filch::worker_id{1}, [] {});
  const std::string text = rt.dump();
  EXPECT_TRUE(contains(text, "filch runtime \"shown\", open, 2 workers, 2 threads")) << text;
  EXPECT_TRUE(contains(text, "worker 1: running, task 0 (holding), queue 0, pinned 1")) << text;
  hold.open();
  behind.get();
}

// The watchdog looks at the same words: a task that blocks as it should is none that holds a worker.
TEST(dump, shows_no_worker_with_a_task_that_blocks_as_it_should) {
  filch::runtime rt{options{.workers = 1}};
  gate is_blocked;
  gate hold;
  auto blocked = rt.submit(
      [&] {
        filch::blocking([&] {
          is_blocked.open();
          hold.wait();
        });
      },
      {.name = "blocked"});
  is_blocked.wait();
  EXPECT_FALSE(contains(rt.dump(), "blocked")) << rt.dump();
  hold.open();
  blocked.get();
}

TEST(dump, comes_on_sigusr2_and_the_handler_goes_with_the_last_runtime) {
  struct sigaction before = {};
  ASSERT_EQ(::sigaction(SIGUSR2, nullptr, &before), 0);
  reports first;
  reports second;
  {
    filch::runtime a{options{.workers = 1, .name = "one", .on_report = first.sink(), .dump_on_sigusr2 = true}};
    {
      filch::runtime b{options{.workers = 1, .name = "two", .on_report = second.sink(), .dump_on_sigusr2 = true}};
      ASSERT_EQ(::raise(SIGUSR2), 0);
      EXPECT_TRUE(eventually([&] { return contains(second.text(), "filch runtime \"two\""); }));
    }
    EXPECT_TRUE(eventually([&] { return contains(first.text(), "filch runtime \"one\""); }));
    const std::size_t length = first.text().size();
    ASSERT_EQ(::raise(SIGUSR2), 0);
    EXPECT_TRUE(eventually([&] { return first.text().size() > length; }));
  }
  struct sigaction after = {};
  ASSERT_EQ(::sigaction(SIGUSR2, nullptr, &after), 0);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

TEST(dump, names_a_deadlock_of_two_tasks_that_wait_for_each_other) {
  filch::runtime rt{options{.workers = 2}};
  filch::future<void> alpha;
  filch::future<void> beta;
  gate both_there;
  std::atomic<bool> is_over{false};
  const auto wait_in_vain_for = [&](const filch::future<void>& other) {
    both_there.wait();
    while (!is_over && !other.wait_for(100ms)) {}
  };
  alpha = rt.submit([&] { wait_in_vain_for(beta); }, {.name = "alpha"});
  beta = rt.submit([&] { wait_in_vain_for(alpha); }, {.name = "beta"});
  both_there.open();
  std::string text;
  EXPECT_TRUE(eventually([&] {
    text = rt.dump();
    return contains(text, "deadlock: ");
  }));
  EXPECT_TRUE(contains(text, "task 0 (alpha) waits for task 1 (beta)")) << text;
  EXPECT_TRUE(contains(text, "task 1 (beta) waits for task 0 (alpha)")) << text;
  EXPECT_TRUE(contains(text, "deadlock: task 0 (alpha) → task 1 (beta) → task 0 (alpha)")) << text;
  is_over = true;
  rt.wait_idle();
  alpha.get();
  beta.get();
  EXPECT_FALSE(contains(rt.dump(), "waits for"));
}

struct life_of_task {
  int spawns = 0;
  int starts = 0;
  int ends = 0;
};

TEST(trace, of_a_run_is_consistent_in_itself_and_with_the_statistics) {
  filch::trace::session session{{.workers = 3, .ring_events = std::size_t{1} << 17}};
  filch::statistics books;
  session.start();
  {
    filch::runtime rt{options{.workers = 3, .steal = filch::steal::half, .trace = &session}};
    for (int i = 0; i != 20; ++i) {
      rt.spawn(
          [&] {
            for (int k = 0; k != 20; ++k) rt.spawn([] {});
          },
          {.name = "parent"});
    }
    EXPECT_EQ(rt.run([&] { return fib(rt, 8); }), 21);
    rt.run([] { filch::blocking([] {}); });
    rt.shutdown();
    books = rt.statistics();
  }
  session.stop();
  const filch::trace::recording seen = session.collect();
  EXPECT_EQ(seen.check(), "");
  ASSERT_EQ(seen.dropped_count(), 0u);
  std::map<std::uint64_t, life_of_task> tasks;
  std::map<event_kind, std::uint64_t> kinds;
  std::uint64_t stolen = 0;
  const auto read = [&](const std::vector<filch::trace::event>& local_work) {
    for (const auto& each : local_work) {
      ++kinds[each.kind];
      if (each.kind == event_kind::spawn) ++tasks[each.task].spawns;
      if (each.kind == event_kind::start) ++tasks[each.task].starts;
      if (each.kind == event_kind::end) ++tasks[each.task].ends;
      if (each.kind == event_kind::steal_success) stolen += each.argument;
    }
  };
  for (const auto& local_work : seen.workers) read(local_work);
  read(seen.outside);
  const auto total = books.total();
  EXPECT_EQ(tasks.size(), total[trace_count::executed]);
  for (const auto& [id, life] : tasks) {
    EXPECT_EQ(life.spawns, 1) << id;
    EXPECT_EQ(life.starts, 1) << id;
    EXPECT_EQ(life.ends, 1) << id;
  }
  EXPECT_EQ(stolen, total[trace_count::stolen_by_me]);
  EXPECT_EQ(kinds[event_kind::inject], books.submitted_outside);
  EXPECT_EQ(kinds[event_kind::park], kinds[event_kind::wake]);
  EXPECT_EQ(kinds[event_kind::block], kinds[event_kind::unblock]);
  EXPECT_EQ(kinds[event_kind::notify], total[trace_count::wakes]);
}

// The bug: the end of a task was recorded after its waiter had resumed, so two loops in a row seemed to
// overlap. A clock of the whole machine keeps the order between threads.
TEST(trace, the_end_of_a_task_comes_before_what_its_waiter_does_next) {
  filch::trace::session session{
      {.workers = 2, .ring_events = std::size_t{1} << 12, .clock = filch::trace::clock_source::monotonic}};
  session.start();
  {
    filch::runtime rt{options{.workers = 2, .trace = &session}};
    for (int i = 0; i != 200; ++i) rt.run([] {});
  }
  session.stop();
  const filch::trace::recording seen = session.collect();
  std::map<std::uint64_t, std::int64_t> ended_ns;
  for (const auto& local_work : seen.workers) {
    for (const auto& one : local_work) {
      if (one.kind == event_kind::end) ended_ns[one.task] = one.time_ns;
    }
  }
  const filch::trace::event* before = nullptr;
  for (const auto& one : seen.outside) {
    if (one.kind != event_kind::spawn) continue;
    if (before != nullptr) {
      ASSERT_TRUE(ended_ns.contains(before->task));
      EXPECT_LE(ended_ns[before->task], one.time_ns);
    }
    before = &one;
  }
}

}  // namespace
