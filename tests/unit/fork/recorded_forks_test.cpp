// Forks in recordings.
#include <filch/algo/for_each.hpp>
#include <filch/algo/partition.hpp>
#include <filch/fork/join.hpp>
#include <filch/fork/scope.hpp>
#include <filch/share/latent.hpp>
#include <filch/share/range_frame.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/sim/replay.hpp>
#include <filch/trace/session.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <list>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace filch;
using trace::event;
using trace::event_kind;

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}
// The forks of fib(n).
std::uint64_t forks_of(unsigned n) { return n < 2 ? 0 : 1 + forks_of(n - 1) + forks_of(n - 2); }

void burn(time_ns span_ns) {
  const time_ns until_ns = monotonic_now_ns() + span_ns;
  while (monotonic_now_ns() < until_ns) {}
}

// What the events of all lists say of each task.
struct task_story {
  int spawns = 0, starts = 0, ends = 0, joins = 0;
  std::uint64_t parent = trace::k_no_task;
  std::uint64_t joined_by = trace::k_no_task;
  std::string name;
};
std::map<std::uint64_t, task_story> stories_of(const trace::recording& from) {
  std::map<std::uint64_t, task_story> out;
  const auto read = [&](const std::vector<event>& list) {
    for (const event& e : list) {
      if (e.kind == event_kind::spawn) {
        ++out[e.task].spawns;
        out[e.task].parent = e.argument;
        if (const auto* name = from.find_name(e.detail)) out[e.task].name = name->text;
      }
      if (e.kind == event_kind::start) ++out[e.task].starts;
      if (e.kind == event_kind::end) ++out[e.task].ends;
      if (e.kind == event_kind::join && e.argument != 0) {
        ++out[e.argument].joins;
        out[e.argument].joined_by = e.task;
      }
    }
  };
  for (const auto& list : from.workers) read(list);
  read(from.outside);
  return out;
}

// Every task was spawned, started and ended once; every fork was joined once, by its parent.
void expect_whole(const trace::recording& recorded, std::size_t roots) {
  EXPECT_EQ(recorded.check(), "");
  EXPECT_EQ(recorded.dropped_count(), 0u);
  std::size_t without_parent = 0;
  for (const auto& [number, task] : stories_of(recorded)) {
    EXPECT_EQ(task.spawns, 1) << std::hex << number;
    EXPECT_EQ(task.starts, 1) << std::hex << number;
    EXPECT_EQ(task.ends, 1) << std::hex << number;
    if (task.parent == trace::k_no_task) {
      ++without_parent;
    } else {
      EXPECT_EQ(task.joins, 1) << std::hex << number;
      EXPECT_EQ(task.joined_by, task.parent) << std::hex << number;
    }
  }
  EXPECT_EQ(without_parent, roots);
  // Slices nest, and a task that moves to another worker takes those along that it runs inside of: so at every end the
  // task is the innermost of its worker.
  for (const auto& list : recorded.workers) {
    std::vector<std::uint64_t> open;
    for (const event& e : list) {
      if (e.kind == event_kind::start || e.kind == event_kind::resume) open.push_back(e.task);
      if (e.kind == event_kind::end || e.kind == event_kind::suspend) {
        ASSERT_FALSE(open.empty());
        EXPECT_EQ(open.back(), e.task);
        open.pop_back();
      }
    }
    EXPECT_TRUE(open.empty());
  }
}

template <class F>
trace::recording record_on(std::uint32_t workers, trace::fork_detail detail, F function,
                           time_ns beat_ns = 20 * k_ns_per_us) {
  trace::session session{
      {.workers = workers, .ring_events = std::size_t{1} << 18, .forks = detail, .beat_ns = beat_ns}};
  {
    runtime rt{{.workers = workers, .trace = &session}};
    session.start();
    rt.run(function);
  }
  session.stop();
  return session.collect();
}

class recorded_forks : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  template <class F>
  trace::recording record(trace::fork_detail detail, F function) {
    return record_on(GetParam(), detail, function);
  }
};

TEST_P(recorded_forks, every_fork_is_a_task_where_every_fork_is_recorded) {
  const auto recorded = record(trace::fork_detail::every, [] { EXPECT_EQ(fib(15), 610u); });
  expect_whole(recorded, 1);
  EXPECT_EQ(stories_of(recorded).size(), 1 + forks_of(15));
  for (const auto& [number, task] : stories_of(recorded)) EXPECT_FALSE(task.name.empty()) << number;
}

// Which forks are open at a heartbeat is not known; what is recorded of them is whole.
TEST_P(recorded_forks, forks_that_are_open_at_a_heartbeat_are_whole_tasks) {
  const auto recorded = record(trace::fork_detail::beat, [] { EXPECT_EQ(fib(27), 196418u); });
  expect_whole(recorded, 1);
}

// A function that does not fork cannot hear a beat; its thread gets a signal.
TEST_P(recorded_forks, a_fork_beside_a_long_function_is_a_task) {
  const auto recorded = record(trace::fork_detail::beat, [] {
    // Long enough for many beats, also where threads wait for processors.
    for (int i = 0; i != 5; ++i) join([] { burn(30 * k_ns_per_ms); }, named("the other", [] { burn(k_ns_per_us); }));
  });
  expect_whole(recorded, 1);
  std::size_t found = 0;
  for (const auto& [number, task] : stories_of(recorded)) found += task.name == "the other" ? 1u : 0u;
  EXPECT_GE(found, 1u);
}

TEST_P(recorded_forks, scopes_and_loops_inside_joins_keep_their_parents) {
  const auto recorded = record(trace::fork_detail::every, [] {
    join(
        [] {
          scope([](auto& s) {
            for (int i = 0; i != 3; ++i) s.spawn([] { (void)fib(4); });
          });
        },
        [] {
          std::vector<int> all(1000, 1);
          for_each(all, [](int& x) { x += static_cast<int>(fib(5)); });
        });
  });
  EXPECT_EQ(recorded.check(), "");
  for (const auto& [number, task] : stories_of(recorded)) {
    EXPECT_EQ(task.spawns, 1) << number;
    EXPECT_EQ(task.starts, 1) << number;
    EXPECT_EQ(task.ends, 1) << number;
    if (task.joins != 0) {
      EXPECT_EQ(task.joined_by, task.parent) << number;
    }
  }
}

TEST_P(recorded_forks, an_exception_ends_the_task_it_leaves) {
  const auto recorded = record(trace::fork_detail::every, [] {
    const auto fail = [] { join([] { throw 1; }, [] { (void)fib(3); }); };
    EXPECT_THROW(fail(), int);
    const auto fail_late = [] { join([] { (void)fib(3); }, [] { throw 2; }); };
    EXPECT_THROW(fail_late(), int);
  });
  expect_whole(recorded, 1);
}

TEST_P(recorded_forks, nothing_is_recorded_before_the_start_and_after_the_stop) {
  trace::session session{{.workers = GetParam(), .forks = trace::fork_detail::every}};
  runtime rt{{.workers = GetParam(), .trace = &session}};
  EXPECT_EQ(rt.run([] { return fib(12); }), 144u);
  EXPECT_EQ(session.collect().event_count(), 0u);
  session.start();
  EXPECT_EQ(rt.run([] { return fib(12); }), 144u);
  session.stop();
  EXPECT_GT(session.collect().event_count(), 0u);
  EXPECT_EQ(rt.run([] { return fib(12); }), 144u);
  EXPECT_EQ(session.collect().event_count(), 0u);
}

INSTANTIATE_TEST_SUITE_P(workers, recorded_forks, ::testing::Values(1u, 2u, 4u));

// ---- loops on one worker --------------------------------------------------------------------------------------------

// What the recording says of a loop's parallelism, whatever the machine did meanwhile: every element leaves an event,
// the times of the recording are replaced by the number of elements before, and of the tasks with these times work and
// span are taken. No beat comes: on one worker loops do not depend on them. By Graham's bound a recording with a
// parallelism of 20 is predicted to be at least 5.6 times as fast on 8 workers.
class loop_on_one_worker {
 public:
  explicit loop_on_one_worker(trace::fork_detail detail)
      : session_{{.workers = 1, .ring_events = std::size_t{1} << 18, .forks = detail, .beat_ns = k_ns_per_s}} {}

  void element(time_ns span_ns) {
    burn(span_ns);
    session_.of_worker(worker_id{0}).counter(trace::name_id::none(), 1);
  }
  template <class F>
  [[nodiscard]] double parallelism_of(F function) {
    {
      runtime rt{{.workers = 1, .trace = &session_}};
      session_.start();
      rt.run(function);
    }
    session_.stop();
    trace::recording recorded = session_.collect();
    EXPECT_EQ(recorded.dropped_count(), 0u);
    recorded.usage.clear();
    for (event& e : recorded.outside) e.time_ns = 0;
    time_ns elements = 0;
    for (event& e : recorded.workers[0]) {
      if (e.kind == event_kind::counter) ++elements;
      e.time_ns = elements * k_ns_per_us;
    }
    const auto tasks = sim::recorded_tasks::from(recorded);
    EXPECT_EQ(tasks.work_ns(), elements * k_ns_per_us);
    return static_cast<double>(tasks.work_ns()) / static_cast<double>(tasks.span_ns());
  }

 private:
  trace::session session_;
};

class recorded_loops : public ::testing::TestWithParam<trace::fork_detail> {
 protected:
  loop_on_one_worker one{GetParam()};
};

TEST_P(recorded_loops, many_elements_are_many_tasks) {
  EXPECT_GE(one.parallelism_of([&] { for_index(4000, [&](std::size_t) { one.element(20 * k_ns_per_us); }); }), 20);
}

TEST_P(recorded_loops, elements_of_a_list_are_many_tasks) {
  std::list<int> all(4000);
  EXPECT_GE(one.parallelism_of([&] { for_each(all, [&](int&) { one.element(20 * k_ns_per_us); }); }), 20);
}

TEST_P(recorded_loops, few_costly_elements_are_a_task_each) {
  EXPECT_GE(one.parallelism_of([&] { for_index(30, [&](std::size_t) { one.element(k_ns_per_ms); }); }), 20);
}

// The call site was cheap before: what is left of the loop turns out to be worth a division later.
TEST_P(recorded_loops, elements_of_a_call_site_that_was_cheap_are_many_tasks) {
  EXPECT_GE(one.parallelism_of([&] {
    for (const time_ns span_ns : {time_ns{0}, 20 * k_ns_per_us}) {
      for_index(span_ns == 0 ? 40 : 4000, [&](std::size_t) {
        if (span_ns != 0) one.element(span_ns);
      });
    }
  }),
            20);
}

TEST_P(recorded_loops, elements_of_a_partition_are_many_tasks) {
  std::vector<int> all(4000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_GE(one.parallelism_of([&] {
    (void)partition(all, [&](int x) {
      one.element(20 * k_ns_per_us);
      return x % 3 == 0;
    });
  }),
            20);
}

TEST_P(recorded_loops, elements_of_loops_inside_a_loop_are_many_tasks) {
  EXPECT_GE(one.parallelism_of([&] {
    for_index(10, [&](std::size_t) { for_index(10, [&](std::size_t) { one.element(k_ns_per_ms / 2); }); });
  }),
            20);
}

INSTANTIATE_TEST_SUITE_P(details, recorded_loops,
                         ::testing::Values(trace::fork_detail::beat, trace::fork_detail::every));

// Ten elements that are not run.
struct idle_range : detail::range_frame {
  explicit idle_range(std::size_t least) : range_frame{{0, 10}, 1, least} {}

  static constexpr latent_kind k_kind{nullptr, [](const latent_frame&) noexcept -> const char* { return "idle"; },
                                      [](latent_frame&, index_range) noexcept { return std::exception_ptr{}; }};
};

// A loop that looked too short to be divided when it was recorded, and turns out to be long, is divided then. With one
// worker: a request of another one would pass the range by while it looks too short.
TEST(recorded_loop, is_found_when_it_turns_out_to_be_long) {
  const auto recorded = record_on(
      1, trace::fork_detail::every,
      [] {
        latent_stack& stack = detail::latent_stack_here();
        idle_range range{11};
        stack.fork_limit.store(latent_stack::k_heartbeat, std::memory_order_relaxed);
        range.fork(stack, idle_range::k_kind);
        EXPECT_FALSE(range.is_passed());
        range.set_least(2);
        stack.fork_limit.store(latent_stack::k_heartbeat, std::memory_order_relaxed);
        (void)detail::loop_slow_path(stack, true);
        EXPECT_TRUE(range.is_passed());
        ASSERT_TRUE(range.unlink(detail::leaving::normally));
        const auto part = range.settle();
        EXPECT_TRUE(part.is_left);
        EXPECT_EQ(part.what.begin, 5u);
        EXPECT_EQ(part.what.end, 10u);
        EXPECT_FALSE(range.has_parts());
      },
      k_ns_per_s);
  std::size_t found = 0;
  for (const auto& [number, task] : stories_of(recorded)) found += task.name == "idle" ? 1u : 0u;
  EXPECT_EQ(found, 1u);
}

std::string fact_of(const trace::recording& from, std::string_view key) {
  for (const auto& [name, value] : from.about.extra) {
    if (name == key) return value;
  }
  return "";
}

// A recording that leaves forks out says whether there were any.
TEST_P(recorded_forks, that_are_left_out_are_told) {
  const auto forked = record(trace::fork_detail::stolen, [] { EXPECT_EQ(fib(15), 610u); });
  EXPECT_EQ(fact_of(forked, trace::k_has_forks_key), "yes");
  const auto looped =
      record(trace::fork_detail::stolen, [] { for_index(1000, [](std::size_t) { burn(10 * k_ns_per_us); }); });
  EXPECT_EQ(fact_of(looped, trace::k_has_forks_key), "yes");
  const auto serial = record(trace::fork_detail::stolen, [] { burn(k_ns_per_us); });
  EXPECT_EQ(fact_of(serial, trace::k_has_forks_key), "no");
}

// A fork is told of also where the first ones came before the recording began.
TEST_P(recorded_forks, that_are_left_out_are_told_if_the_recording_began_late) {
  trace::session session{{.workers = GetParam(), .forks = trace::fork_detail::stolen}};
  runtime rt{{.workers = GetParam(), .trace = &session}};
  EXPECT_EQ(rt.run([] { return fib(12); }), 144u);
  session.start();
  EXPECT_EQ(rt.run([] { return fib(12); }), 144u);
  session.stop();
  EXPECT_EQ(fact_of(session.collect(), trace::k_has_forks_key), "yes");
}

TEST(label, a_type_is_told_by_the_function_it_was_written_in) {
  EXPECT_EQ(trace::readable_label("const char* filch::v0::detail::type_label() [with F = main()::<lambda()>]"), "main");
  EXPECT_EQ(trace::readable_label(
                "const char* filch::v0::detail::type_label() [with F = a::b<int>::work(int) [with T = x]::<lambda()>]"),
            "a::b::work");
  EXPECT_EQ(trace::readable_label("const char *filch::detail::type_label() [F = (lambda at src/a.cpp:12:5)]"),
            "a.cpp:12");
  EXPECT_EQ(trace::readable_label("parse <all>"), "parse <all>");
  EXPECT_STREQ(detail::label_of(named("x", [] {})), "x");
}

}  // namespace
