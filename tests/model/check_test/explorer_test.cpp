// The strategies: replay, random, pct, bounds, weakening, paths.
#include "litmus.hpp"

#include <check/explorer.hpp>

#include <cstdlib>
#include <stdexcept>

namespace filch::check::litmus {
namespace {

constexpr unsigned k_publish_line = __LINE__ + 8;  // of flag.store below
constexpr unsigned k_observe_line = k_publish_line + 3;

// Correct as it stands; either order weakened makes the reader see old data.
void pass_message(context& c) {
  A::atomic<int> data{0}, flag{0};
  c.thread("writer", [&] {
    data.store(1, memory_order_relaxed);
    flag.store(1, memory_order_release);
  });
  c.thread("reader", [&] {
    if (flag.load(memory_order_acquire) == 0) return;
    const int seen = data.load(memory_order_relaxed);
    require(seen == 1, "the data is there", seen);
  });
  c.join_all();
}

std::string at_line(unsigned line, const char* how = "") { return "explorer_test.cpp:" + std::to_string(line) + how; }

options quiet(std::variant<exhaustive, random, pct, replay> mode, std::string weaken = {}) {
  return {.mode = std::move(mode), .weaken = std::move(weaken), .print_failure = false};
}

// ---- weakening ------------------------------------------------------------------------------------------------------

TEST(weakening, of_either_order_breaks_message_passing_and_counts_what_it_touched) {
  EXPECT_FALSE(run(quiet(exhaustive{}), pass_message).failed);
  for (const unsigned line : {k_publish_line, k_observe_line}) {
    const result r = run(quiet(exhaustive{}, at_line(line)), pass_message);
    EXPECT_EQ(r.kind, failure::assertion) << r.report;
    EXPECT_GT(r.weaken_changed, 0u);
    EXPECT_EQ(r.weaken_changed, r.weaken_matched);
  }
}

TEST(weakening, to_what_an_operation_already_is_matches_and_changes_nothing) {
  const result r = run(quiet(exhaustive{}, at_line(k_publish_line, ":release")), pass_message);
  EXPECT_FALSE(r.failed);
  EXPECT_GT(r.weaken_matched, 0u);
  EXPECT_EQ(r.weaken_changed, 0u);
}

TEST(weakening, of_a_line_that_is_never_executed_is_noticed) {
  const result r = run(quiet(exhaustive{}, "explorer_test.cpp:1:relaxed"), pass_message);
  EXPECT_FALSE(r.failed);
  EXPECT_EQ(r.weaken_matched, 0u);
  EXPECT_NE(r.report.find("no operation at that line"), std::string::npos);
  EXPECT_EQ(run(quiet(exhaustive{}, "rer_test.cpp:" + std::to_string(k_publish_line)), pass_message).weaken_matched, 0u)
      << "a file is named by whole path components";
}

TEST(weakening, that_is_not_understood_names_what_is_allowed) {
  for (const char* text : {"file.hpp", "file.hpp:0", "file.hpp:x", ":3", "file.hpp:3:stronger", "file.hpp:3;next"}) {
    EXPECT_THROW(static_cast<void>(weakening(text)), std::invalid_argument) << text;
  }
  try {
    static_cast<void>(weakening("file.hpp:3:stronger"));
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("file.hpp:3:stronger"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("acq_rel"), std::string::npos);
  }
}

TEST(weakening, takes_one_step_or_down_to_a_limit) {
  const auto here = std::source_location::current();
  const std::string line = at_line(here.line());
  const auto after = [&](const std::string& how, std::memory_order success, access kind) {
    weakening w(line + how);
    order_bits bits = bits_of(success, kind);
    w.apply(here, bits, nullptr);
    return bits;
  };
  EXPECT_EQ(after("", memory_order_seq_cst, access::update), k_acquire | k_release);
  EXPECT_EQ(after("", memory_order_seq_cst, access::load), k_acquire);
  EXPECT_EQ(after("", memory_order_seq_cst, access::store), k_release);
  EXPECT_EQ(after(":next", memory_order_acq_rel, access::update), k_acquire);
  EXPECT_EQ(after(":release", memory_order_acq_rel, access::update), k_release);
  EXPECT_EQ(after(":next", memory_order_release, access::store), k_relaxed);
  EXPECT_EQ(after(":acq_rel", memory_order_seq_cst, access::fence), k_acquire | k_release);
  EXPECT_EQ(after(":acq_rel", memory_order_acquire, access::load), k_acquire);

  weakening failure_only(line + ":failure-next");
  order_bits success = bits_of(memory_order_seq_cst, access::update);
  order_bits failure_bits = bits_of(memory_order_acquire, access::load);
  failure_only.apply(here, success, &failure_bits);
  EXPECT_EQ(success, k_acquire | k_release | k_seq_cst);
  EXPECT_EQ(failure_bits, k_relaxed);
}

// ---- replay ---------------------------------------------------------------------------------------------------------

TEST(replay, of_a_failing_path_gives_the_same_failure_and_schedule) {
  const std::string weaken = at_line(k_publish_line);
  const std::vector<std::variant<exhaustive, random, pct, replay>> modes = {exhaustive{}, random{.seed = 3},
                                                                            pct{.seed = 3, .depth = 2}};
  for (const auto& mode : modes) {
    const result first = run(quiet(mode, weaken), pass_message);
    ASSERT_TRUE(first.failed) << first.report;
    const result again = run(quiet(replay{first.path}, weaken), pass_message);
    EXPECT_EQ(again.executions, 1u);
    EXPECT_EQ(again.kind, first.kind);
    EXPECT_EQ(again.message, first.message);
    EXPECT_EQ(again.schedule, first.schedule);
    EXPECT_EQ(again.path, first.path);
  }
}

TEST(replay, by_seed_and_iteration_gives_the_same_failure) {
  const std::string weaken = at_line(k_publish_line);
  const result by_random = run(quiet(random{.seed = 9}, weaken), pass_message);
  ASSERT_TRUE(by_random.failed);
  const result random_again =
      run(quiet(random{.seed = 9, .iterations = 1, .first = by_random.iteration}, weaken), pass_message);
  EXPECT_EQ(random_again.schedule, by_random.schedule);
  const result by_pct = run(quiet(pct{.seed = 9, .depth = 2}, weaken), pass_message);
  ASSERT_TRUE(by_pct.failed);
  const result pct_again =
      run(quiet(pct{.seed = 9, .depth = 2, .iterations = 1, .first = by_pct.iteration}, weaken), pass_message);
  EXPECT_EQ(pct_again.schedule, by_pct.schedule);
}

TEST(replay, shows_thread_operation_location_value_order_and_place) {
  const result r = run(quiet(replay{"0"}), [](context& c) {
    A::atomic<int> x{0};
    name(&x, "bottom");
    c.thread("owner", [&] { x.fetch_add(2, memory_order_acq_rel); });
    c.join_all();
  });
  EXPECT_FALSE(r.failed);
  EXPECT_NE(r.schedule.find("owner"), std::string::npos) << r.schedule;
  EXPECT_NE(r.schedule.find("fetch_add"), std::string::npos) << r.schedule;
  EXPECT_NE(r.schedule.find("bottom 0 -> 2"), std::string::npos) << r.schedule;
  EXPECT_NE(r.schedule.find("acq_rel  explorer_test.cpp:"), std::string::npos) << r.schedule;
}

// Sets an environment variable for one scope.
class environment_variable {
 public:
  environment_variable(const char* variable, const std::string& value) : variable_{variable} {
    ::setenv(variable_, value.c_str(), 1);
  }
  environment_variable(const environment_variable&) = delete;
  environment_variable& operator=(const environment_variable&) = delete;
  ~environment_variable() { ::unsetenv(variable_); }

 private:
  const char* variable_;
};

TEST(environment, weakens_and_replays_the_run_that_is_named) {
  const environment_variable weaken("FILCH_CHECK_WEAKEN", at_line(k_publish_line));
  options how = quiet(exhaustive{});
  how.name = "mine";
  const result first = run(how, pass_message);
  ASSERT_TRUE(first.failed) << first.report;
  EXPECT_NE(first.report.find("FILCH_CHECK_REPLAY='mine@" + first.path + "'"), std::string::npos) << first.report;

  const environment_variable replays("FILCH_CHECK_REPLAY", "mine@" + first.path);
  ::testing::internal::CaptureStderr();
  const result again = run(how, pass_message);
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(again.executions, 1u);
  EXPECT_EQ(again.message, first.message);
  EXPECT_NE(printed.find(first.schedule), std::string::npos) << printed;
  how.name = "another";
  EXPECT_EQ(run(how, pass_message).executions, first.executions) << "explores as usual";
}

TEST(environment, replaces_the_seed_and_refuses_what_is_not_one) {
  {
    const environment_variable seed("FILCH_SEED", "77");
    const result r = run(quiet(random{.seed = 1, .iterations = 1}), pass_message);
    EXPECT_NE(r.report.find("seed 77"), std::string::npos) << r.report;
  }
  const environment_variable seed("FILCH_SEED", "many");
  EXPECT_THROW(static_cast<void>(run(quiet(random{}), pass_message)), std::invalid_argument);
}

TEST(path, text_is_read_back_as_it_was_written) {
  const std::vector<std::uint16_t> choices = {0, 1, 35, 36, 1000, 0, 0, 0, 0, 0, 2, 0, 0, 3};
  EXPECT_EQ(encode_path(choices), "01z[36][1000](5)2003");
  EXPECT_EQ(decode_path(encode_path(choices)), choices);
  EXPECT_EQ(encode_path({0, 0, 0}), "0");
  for (const char* bad : {"01!", "(", "(3", "[3)", "()"})
    EXPECT_THROW(static_cast<void>(decode_path(bad)), std::invalid_argument) << bad;
}

// ---- strategies -----------------------------------------------------------------------------------------------------

// Fails only if the watcher comes in between a = 1 and a = 0, is left before it reads b, and comes in again between
// b = 1 and b = 0: three switches in the right order, two of them at one place only.
void three_constraints(context& c) {
  A::atomic<int> a{0}, b{0}, noise{0};
  bool saw_a = false;
  bool saw_b = false;
  c.thread("writer", [&] {
    for (int i = 0; i != 5; ++i) noise.fetch_add(1, memory_order_seq_cst);
    a.store(1, memory_order_seq_cst);
    a.store(0, memory_order_seq_cst);
    for (int i = 0; i != 5; ++i) noise.fetch_add(1, memory_order_seq_cst);
    b.store(1, memory_order_seq_cst);
    b.store(0, memory_order_seq_cst);
  });
  c.thread("watcher", [&] {
    saw_a = a.load(memory_order_seq_cst) == 1;
    for (int i = 0; i != 5; ++i) noise.fetch_add(1, memory_order_seq_cst);
    saw_b = b.load(memory_order_seq_cst) == 1;
  });
  c.join_all();
  require(!(saw_a && saw_b), "both windows were hit");
}

TEST(pct, finds_a_bug_that_needs_three_ordered_switches) {
  const result r = run(quiet(pct{.seed = 1, .depth = 4, .iterations = 20'000}), three_constraints);
  EXPECT_EQ(r.kind, failure::assertion) << r.report;
}

TEST(exhaustive, finds_it_with_enough_preemptions_and_proves_its_absence_with_fewer) {
  const result none = run(quiet(exhaustive{.preemptions = 2}), three_constraints);
  EXPECT_FALSE(none.failed) << none.report;
  EXPECT_TRUE(none.exhausted);
  const result found = run(quiet(exhaustive{.preemptions = 3}), three_constraints);
  EXPECT_EQ(found.kind, failure::assertion) << found.report;
}

TEST(exhaustive, stops_at_its_limit_of_executions_and_says_so) {
  const result r = run(quiet(exhaustive{.preemptions = k_unbounded, .max_executions = 10}), three_constraints);
  EXPECT_EQ(r.executions, 10u);
  EXPECT_FALSE(r.exhausted);
}

// A thread that was spawned may run before the spawner's next operation, even if that is the spawner's first.
TEST(exhaustive, lets_a_spawned_thread_go_before_the_first_operation_of_its_spawner) {
  bool was_first = false;
  const result r = run(quiet(exhaustive{.preemptions = 1}), [&](context& c) {
    A::atomic<int> word{0};
    c.thread("spawned", [&] { word.store(1, memory_order_relaxed); });
    was_first = word.load(memory_order_relaxed) == 1 || was_first;
    c.join_all();
  });
  EXPECT_FALSE(r.failed) << r.report;
  EXPECT_TRUE(was_first);
}

TEST(exhaustive, counts_the_interleavings_of_independent_operations) {
  const result r = run(quiet(exhaustive{.preemptions = k_unbounded}), [](context& c) {
    A::atomic<int> x{0};
    for (int t = 0; t != 2; ++t) {
      c.thread("adds", [&] {
        for (int i = 0; i != 3; ++i) x.fetch_add(1, memory_order_relaxed);
      });
    }
    c.join_all();
  });
  EXPECT_EQ(r.executions, 20u) << "6 over 3";
}

TEST(random, differs_between_seeds_and_repeats_for_one) {
  const auto order_of = [](std::uint64_t seed) {
    std::vector<int> order;
    const result r = run(quiet(random{.seed = seed, .iterations = 20}), [&](context& c) {
      A::atomic<int> x{0};
      for (int t = 0; t != 3; ++t) {
        c.thread("adds", [&, t] {
          for (int i = 0; i != 3; ++i) x.fetch_add(1, memory_order_relaxed), order.push_back(t);
        });
      }
      c.join_all();
    });
    EXPECT_FALSE(r.failed) << r.report;
    return order;
  };
  EXPECT_EQ(order_of(1), order_of(1));
  EXPECT_NE(order_of(1), order_of(2));
}

TEST(choose, explores_every_alternative_of_the_test) {
  std::set<unsigned> seen;
  const result r = run(quiet(exhaustive{}), [&](context&) { seen.insert(choose(3) * 10 + choose(2)); });
  EXPECT_EQ(r.executions, 6u);
  EXPECT_EQ(seen, (std::set<unsigned>{0, 1, 10, 11, 20, 21}));
}

}  // namespace
}  // namespace filch::check::litmus
