#include <filch/trace/session.hpp>

#include "sample.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace filch;
using namespace filch::trace;

std::string refusal(const session_options& options) {
  try {
    session s{options};
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}

TEST(session, a_bad_option_is_refused_with_its_name_its_value_and_what_is_allowed) {
  EXPECT_EQ(refusal({.workers = 0}), "filch trace session: workers = 0, allowed: 1 to 65535");
  EXPECT_EQ(refusal({.workers = 70'000}), "filch trace session: workers = 70000, allowed: 1 to 65535");
  EXPECT_EQ(refusal({.ring_events = 100}),
            "filch trace session: ring_events = 100, allowed: a power of two from 2 to 268435456");
  EXPECT_EQ(refusal({.ring_events = 0}),
            "filch trace session: ring_events = 0, allowed: a power of two from 2 to 268435456");
}

// Events need not reach to the end: a program may do something else before and after its tasks.
TEST(session, says_for_how_long_it_recorded) {
  session recorded{{.workers = 1, .clock = clock_source::monotonic}};
  const auto length_ns = [&] {
    for (const auto& [key, value] : recorded.collect().about.extra) {
      if (key == k_length_key) return std::stoll(value);
    }
    return -1LL;
  };
  const std::int64_t began_ns = monotonic_now_ns();
  recorded.start();
  const std::int64_t first_ns = length_ns();
  recorded.stop();
  const std::int64_t stopped_ns = length_ns();
  EXPECT_LE(0, first_ns);
  EXPECT_LE(first_ns, stopped_ns);
  EXPECT_LE(stopped_ns, monotonic_now_ns() - began_ns);
  EXPECT_EQ(length_ns(), stopped_ns);
}

// What a reader must know of forks: which are recorded, whether there were any, and how long some may be missing.
TEST(session, says_which_forks_it_records) {
  using pairs = std::vector<std::pair<std::string, std::string>>;
  session stolen{{.workers = 1}};
  EXPECT_EQ(stolen.collect().about.extra,
            (pairs{{"forks", "stolen"}, {"has_forks", "no"}, {"hidden_forks_ns", "0"}, {"recorded_ns", "0"}}));
  session beats{{.workers = 1, .forks = fork_detail::beat, .beat_ns = 5000}};
  beats.note_forks();
  beats.note_hidden(700);
  beats.note_hidden(300);
  EXPECT_EQ(beats.collect().about.extra, (pairs{{"forks", "beat"},
                                                {"beat_ns", "5000"},
                                                {"has_forks", "yes"},
                                                {"hidden_forks_ns", "700"},
                                                {"recorded_ns", "0"}}));
  session simulated{{.workers = 1, .about = {.source = "simulation"}}};
  EXPECT_EQ(simulated.collect().about.extra, pairs{});
  // A program's own word for one of them says nothing.
  session lying{{.workers = 1, .about = {.extra = {{"forks", "every"}}}}};
  EXPECT_EQ(lying.collect().about.extra.front().second, "stolen");
}

TEST(session, collects_events_names_and_metadata_of_workers_and_outside_threads) {
  session s{{.workers = 2, .about = {.seed = 5, .policy = "p", .extra = {{"k", "v"}}}}};
  s.of_worker(worker_id{0}).park();  // not yet started: not recorded
  const name_id fib = s.names().intern("fib", rgb{1, 2, 3});
  s.start();
  s.outside().inject(task_id{1});
  s.of_worker(worker_id{1}).spawn(task_id{1}, task_id::none(), fib);
  s.of_worker(worker_id{1}).start(task_id{1});
  s.stop();
  s.of_worker(worker_id{1}).end(task_id{1});  // stopped: not recorded

  const recording r = s.collect();
  EXPECT_EQ(r.check(), "");
  EXPECT_EQ(r.about.workers, 2u);
  EXPECT_EQ(r.about.seed, 5u);
  EXPECT_EQ(r.about.policy, "p");
  EXPECT_EQ(r.about.source, "threads");
  EXPECT_FALSE(r.about.clock.empty());
  EXPECT_EQ(r.about.extra.front(), (std::pair<std::string, std::string>{"k", "v"}));
  EXPECT_EQ(r.names, (std::vector<name_entry>{{"fib", rgb{1, 2, 3}}}));
  EXPECT_TRUE(r.workers[0].empty());
  ASSERT_EQ(r.workers[1].size(), 2u);
  EXPECT_EQ(r.workers[1][0].detail, fib.value);
  ASSERT_EQ(r.outside.size(), 1u);
  EXPECT_GE(r.outside[0].time_ns, 0);
  EXPECT_LE(r.outside[0].time_ns, r.workers[1][0].time_ns);
  EXPECT_EQ(s.collect().event_count(), 0u);
}

TEST(session, both_clocks_give_times_within_the_span_of_the_recording) {
  for (const clock_source source : {clock_source::monotonic, best_clock_source()}) {
    session s{{.workers = 1, .clock = source}};
    const time_ns begin_ns = monotonic_now_ns();
    s.start();
    for (int i = 0; i != 100; ++i) s.of_worker(worker_id{0}).queue_length(1);
    s.stop();
    const recording r = s.collect();
    const time_ns span_ns = monotonic_now_ns() - begin_ns;
    EXPECT_EQ(r.check(), "");
    ASSERT_EQ(r.workers[0].size(), 100u);
    EXPECT_GE(r.workers[0].front().time_ns, 0);
    EXPECT_LE(r.workers[0].back().time_ns, span_ns);
  }
}

TEST(session, refused_events_are_reported_where_they_are_missing_and_at_the_end) {
  session s{{.workers = 1, .ring_events = 4}};
  recorder& w = s.of_worker(worker_id{0});
  s.start();
  for (int i = 0; i != 7; ++i) w.park();  // 3 refused
  s.drain();
  w.wake();                               // preceded by a gap of 3
  for (int i = 0; i != 5; ++i) w.park();  // 2 fit, 3 refused
  const recording r = s.collect();
  std::vector<event_kind> kinds;
  for (const event& e : r.workers[0]) kinds.push_back(e.kind);
  using enum event_kind;
  EXPECT_EQ(kinds, (std::vector<event_kind>{park, park, park, park, dropped, wake, park, park, dropped}));
  EXPECT_EQ(r.workers[0][4].argument, 3u);
  EXPECT_EQ(r.workers[0][8].argument, 3u);
  EXPECT_EQ(r.dropped_count(), 6u);

  w.wake();  // the recorder's own gap was reported by the collect() above already
  const recording again = s.collect();
  ASSERT_EQ(again.workers[0].size(), 1u);
  EXPECT_EQ(again.workers[0][0].kind, wake);
}

TEST(session, a_flight_recorder_keeps_the_newest_and_begins_with_a_gap) {
  session s{{.workers = 1, .ring_events = 4, .full = when_full::overwrite_old}};
  s.start();
  for (std::uint64_t i = 0; i != 10; ++i) s.of_worker(worker_id{0}).queue_length(i);
  const recording r = s.collect();
  ASSERT_EQ(r.workers[0].size(), 5u);
  EXPECT_EQ(r.workers[0][0].kind, event_kind::dropped);
  EXPECT_EQ(r.workers[0][0].argument, 6u);
  EXPECT_EQ(r.workers[0][1].argument, 6u);
  EXPECT_EQ(r.workers[0][4].argument, 9u);
  EXPECT_EQ(r.check(), "");
}

// Property: whatever the timing of a collector, created = collected + dropped. Oracle: the number of verbs called.
// Method: two workers and an outside thread record into tiny rings while this thread drains and collects.
TEST(session, created_is_collected_plus_dropped_while_a_collector_runs) {
  const std::uint64_t seed = filch_trace_test::chosen_seed(7);
  for (const when_full full : {when_full::refuse_new, when_full::overwrite_old}) {
    constexpr std::uint64_t k_events = 8'000;
    session s{{.workers = 2, .ring_events = 64, .full = full}};
    s.start();
    std::atomic<int> running{3};
    const auto record = [&](auto& to, std::uint64_t stream) {
      random_stream random{seed + stream};
      for (std::uint64_t i = 0; i != k_events; ++i) {
        to.queue_length(i);
        if (random.below(128) == 0) std::this_thread::yield();
      }
      running.fetch_sub(1, std::memory_order_release);
    };
    std::thread first{[&] { record(s.of_worker(worker_id{0}), 0); }};
    std::thread second{[&] { record(s.of_worker(worker_id{1}), 1); }};
    std::thread third{[&] { record(s.outside(), 2); }};
    std::uint64_t collected = 0, dropped = 0;
    std::vector<std::uint64_t> next(3, 0);
    random_stream random{seed};
    for (bool is_last = false;; is_last = running.load(std::memory_order_acquire) == 0) {
      if (random.below(2) == 0) s.drain();
      const recording r = s.collect();
      ASSERT_EQ(r.check(), "");
      dropped += r.dropped_count();
      for (std::size_t lane = 0; lane != 3; ++lane) {
        for (const event& e : lane == 2 ? r.outside : r.workers[lane]) {
          if (e.kind == event_kind::dropped) continue;
          ASSERT_GE(e.argument, next[lane]);
          next[lane] = e.argument + 1;
          ++collected;
        }
      }
      if (is_last) break;
    }
    first.join(), second.join(), third.join();
    EXPECT_EQ(collected + dropped, 3 * k_events);
  }
}

}  // namespace
