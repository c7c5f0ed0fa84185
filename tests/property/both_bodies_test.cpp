// One brain, two bodies: threads and simulated workers ask the same policy object the same questions and do what it
// says.
//
// Property: a worker's decisions are those of a policy::search with the worker's seed that sees what the worker saw.
// Oracle: a judge that owns such a search and follows a recording. It tells the search how the worker's acts went, as
// the recording shows them, and each act that the search then asks for must be the next one that was recorded: the same
// victim, the same moment to sleep. Threads and simulation are judged by the same code, and judges with another seed,
// policy or distance must object to both.
// Method: recordings of both with policies at random, among those that do not look at queue sizes, which no recording
// holds.
//
// The acts are those of a run without joins: a task that ends is followed by a search. A step of the own phase leaves
// no event; it found a task exactly if the next event starts one, and which of the own queues had it makes no
// difference to the search. A wait of threads may show as a short sleep. A sleep that was called off, because there was
// work, leaves no event.
#include <filch/base/random.hpp>
#include <filch/filch.hpp>
#include <filch/policy/search.hpp>
#include <filch/sim/machine_model.hpp>
#include <filch/sim/replay.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>
#include <filch/topology/placement.hpp>
#include <filch/trace/session.hpp>

#include <gtest/gtest.h>
#include <support/test_seed.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace filch;
using trace::event;
using trace::event_kind;

struct run_facts {
  policy::search_options policy;
  std::uint64_t seed = 0;
  sim::machine_model machine;    // for its distances
  bool may_sleep_waits = false;  // threads only
};

struct no_view {
  [[nodiscard]] std::uint32_t size_hint(worker_id) const { return 0; }
  [[nodiscard]] bool bands_in_use() const { return false; }
};

// Follows one worker. Empty: all was as the search says; else what was not.
class judge {
 public:
  judge(const run_facts& facts, worker_id self, const std::vector<event>& list)
      : may_sleep_waits_{facts.may_sleep_waits},
        search_{facts.policy, self, facts.machine.workers,
                [&facts](worker_id a, worker_id b) { return facts.machine.distance(a, b); },
                random_stream{facts.seed}.split(self.value)} {
    for (const event& one : list) {
      switch (one.kind) {
        case event_kind::start:
        case event_kind::steal_attempt:
        case event_kind::steal_success:
        case event_kind::steal_lost:
        case event_kind::steal_empty:
        case event_kind::park:
        case event_kind::wake:
          acts_.push_back(one);
          break;
        default:
          break;
      }
    }
  }

  [[nodiscard]] std::string verdict() {
    search_.begin();
    while (at_ != acts_.size()) {
      const policy::step step = search_.next(no_view{});
      if (std::string wrong = follow(step); !wrong.empty()) {
        return "act " + std::to_string(at_) + " of " + std::to_string(acts_.size()) + ": " + wrong;
      }
    }
    return "";
  }

  [[nodiscard]] std::uint64_t victims() const { return victims_; }
  [[nodiscard]] std::uint64_t sleeps() const { return sleeps_; }

 private:
  [[nodiscard]] bool is_next(event_kind kind) const { return at_ != acts_.size() && acts_[at_].kind == kind; }

  std::string follow(const policy::step& step) {
    switch (step.kind) {
      case policy::step_kind::inbox:
      case policy::step_kind::local:
      case policy::step_kind::injector:
        search_.report(is_next(event_kind::start) ? policy::outcome::found : policy::outcome::empty);
        if (is_next(event_kind::start)) run_task();
        return "";
      case policy::step_kind::victim:
        return follow_visit(step);
      case policy::step_kind::wait:
        if (!is_next(event_kind::park)) return "";
        return may_sleep_waits_ ? follow_sleep() : "the search waits, the worker sleeps";
      case policy::step_kind::park: {
        std::string wrong;
        if (is_next(event_kind::park)) wrong = follow_sleep();
        search_.woken();
        return wrong;
      }
    }
    return "no such step";
  }

  void run_task() {
    ++at_;
    search_.begin();
  }

  std::string follow_visit(const policy::step& step) {
    const std::string expected = "the search visits worker " + std::to_string(step.victim.value);
    if (!is_next(event_kind::steal_attempt)) return expected + ", the worker does " + name_of_next();
    if (acts_[at_].detail != step.victim.value) {
      return expected + ", the worker visits " + std::to_string(acts_[at_].detail);
    }
    ++victims_;
    if (++at_ == acts_.size()) return "";
    const event_kind how = acts_[at_++].kind;
    if (how == event_kind::steal_success) {
      search_.report(policy::outcome::found);
      if (at_ == acts_.size()) return "";
      if (!is_next(event_kind::start)) return "a stolen task does not start, the worker does " + name_of_next();
      run_task();
      return "";
    }
    if (how != event_kind::steal_empty && how != event_kind::steal_lost) return "a visit without an outcome";
    search_.report(how == event_kind::steal_lost ? policy::outcome::lost : policy::outcome::empty);
    return "";
  }

  std::string follow_sleep() {
    ++sleeps_;
    if (++at_ == acts_.size()) return "";
    if (!is_next(event_kind::wake)) return "asleep, the worker does " + name_of_next();
    ++at_;
    return "";
  }

  [[nodiscard]] std::string name_of_next() const {
    return at_ == acts_.size() ? "nothing" : std::string{trace::name_of(acts_[at_].kind)};
  }

  bool may_sleep_waits_;
  policy::search search_;
  std::vector<event> acts_;
  std::size_t at_ = 0;
  std::uint64_t victims_ = 0;
  std::uint64_t sleeps_ = 0;
};

struct judgement {
  std::string wrong;  // of the first worker with something wrong
  std::uint64_t victims = 0;
  std::uint64_t sleeps = 0;
};

judgement judge_all(const run_facts& facts, const trace::recording& seen) {
  judgement out;
  EXPECT_EQ(seen.dropped_count(), 0u);
  for (std::uint32_t w = 0; w != facts.machine.workers; ++w) {
    judge one{facts, worker_id{w}, seen.workers[w]};
    const std::string verdict = one.verdict();
    if (out.wrong.empty() && !verdict.empty()) out.wrong = "worker " + std::to_string(w) + ", " + verdict;
    out.victims += one.victims();
    out.sleeps += one.sleeps();
  }
  return out;
}

// ---- the two bodies -------------------------------------------------------------------------------------------------

// Three nodes on two packages, so that there are near and far victims.
topology::machine some_machine() {
  return topology::machine::synthetic({.packages = 2, .nodes_per_package = 2, .cores_per_node = 2});
}

run_facts random_facts(random_stream& random) {
  run_facts facts;
  const policy::victims victims[] = {policy::victims::random, policy::victims::random_probe,
                                     policy::victims::round_robin, policy::victims::nearest,
                                     policy::victims::last_victim};
  facts.policy.victims = victims[random.below(5)];
  facts.policy.steal = random.below(2) == 0 ? policy::steal::one : policy::steal::half;
  facts.policy.order = static_cast<policy::order>(random.below(2));
  const policy::idle idles[] = {policy::idle::eco,
                                policy::idle::balanced,
                                {.attempts_per_cycle = 3, .initial_ns = 1000, .factor = 3, .cap_ns = 9000, .cycles = 4},
                                policy::idle::poll(100 * k_ns_per_us)};
  facts.policy.idle = idles[random.below(4)];
  facts.policy.fairness_interval = 1 + static_cast<std::uint32_t>(random.below(10));
  facts.policy.retry_lost = random.below(2) == 0;
  facts.seed = random.bits();
  const auto workers = 2 + static_cast<std::uint32_t>(random.below(5));
  const topology::machine machine = some_machine();
  const auto cpus = topology::assign_workers(machine, machine.cpus(), workers);
  facts.machine = sim::machine_model::of(machine, cpus, {});
  return facts;
}

trace::recording simulated(const run_facts& facts) {
  sim::machine_model machine = facts.machine;
  machine.costs = {.spawn_ns = 20, .pop_ns = 5, .injector_ns = 9, .park_ns = 50, .wake_ns = 500};
  machine.costs.steal = {{60, 20, 30}};
  machine.costs.steal_exposure_ns = 40;
  sim::branching_tasks load{{.roots = 60,
                             .every_ns = 3000,
                             .root_least_ns = 500,
                             .root_most_ns = 5000,
                             .child_least_ns = 100,
                             .child_most_ns = 3000},
                            facts.seed};
  trace::recording seen;
  EXPECT_TRUE(sim::simulate(machine, facts.policy, load, {.seed = facts.seed, .record = &seen}).is_complete);
  return seen;
}

void work(unsigned rounds) {
  volatile unsigned sink = 0;
  for (unsigned i = 0; i != rounds; ++i) sink = sink + i;
}

trace::recording on_threads(const run_facts& facts) {
  trace::session session{{.workers = facts.machine.workers, .ring_events = std::size_t{1} << 18}};
  session.start();
  {
    options of{.workers = facts.machine.workers, .seed = facts.seed, .machine = some_machine(), .trace = &session};
    of.victims = facts.policy.victims;
    of.steal = facts.policy.steal;
    of.order = facts.policy.order;
    of.idle = facts.policy.idle;
    of.fairness_interval = facts.policy.fairness_interval;
    of.retry_lost = facts.policy.retry_lost;
    runtime rt{of};
    std::atomic<unsigned> left{60 * 4};
    for (unsigned i = 0; i != 60; ++i) {
      rt.spawn([&rt, &left, i] {
        for (unsigned child = 0; child != 3; ++child) {
          rt.spawn([&left, child] {
            work(200 * child);
            left.fetch_sub(1, std::memory_order_relaxed);  // statistic
          });
        }
        work(100 * (i % 7));
        left.fetch_sub(1, std::memory_order_relaxed);  // statistic
      });
      if (i % 10 == 0) work(20'000);
    }
    rt.shutdown();
    EXPECT_EQ(left.load(std::memory_order_relaxed), 0u);  // statistic
  }
  session.stop();
  return session.collect();
}

// ---- the tests ------------------------------------------------------------------------------------------------------

// `least`: so many looks at victims and objections of strangers there must be for the agreement to mean something.
struct enough {
  std::uint64_t victims;
  int strangers;
};

void judge_many(int runs, bool may_sleep_waits, enough least,
                const std::function<trace::recording(const run_facts&)>& body) {
  random_stream random{filch_test::test_seed()};
  std::uint64_t victims = 0;
  std::uint64_t sleeps = 0;
  int strangers = 0;
  for (int i = 0; i != runs; ++i) {
    run_facts facts = random_facts(random);
    facts.may_sleep_waits = may_sleep_waits;
    SCOPED_TRACE(std::to_string(i) + ": " + policy::describe(facts.policy));
    const trace::recording seen = body(facts);
    const judgement right = judge_all(facts, seen);
    ASSERT_EQ(right.wrong, "");
    victims += right.victims;
    sleeps += right.sleeps;
    run_facts other = facts;
    other.seed += 1;
    strangers += judge_all(other, seen).wrong.empty() ? 0 : 1;
  }
  EXPECT_GE(victims, least.victims);
  EXPECT_GT(sleeps, 0u);
  EXPECT_GE(strangers, least.strangers);
}

TEST(both_bodies, simulated_workers_do_what_the_search_says) {
  // round_robin draws nothing, and two workers have one victim each: not every stranger is found out.
  judge_many(300, false, {.victims = 6000, .strangers = 75}, simulated);
}

TEST(both_bodies, threads_do_what_the_search_says) {
  // How much is stolen is up to the machine: on a busy one a single worker may do nearly all.
  judge_many(25, true, {.victims = 25, .strangers = 1}, on_threads);
}

// A judge who does not know how the bodies were set up objects, so agreement means something.
TEST(both_bodies, a_judge_with_another_policy_objects) {
  random_stream random{filch_test::test_seed()};
  run_facts facts = random_facts(random);
  facts.policy.victims = policy::victims::nearest;
  facts.policy.idle = policy::idle::balanced;
  const topology::machine machine = some_machine();
  facts.machine = sim::machine_model::of(machine, topology::assign_workers(machine, machine.cpus(), 6), {});
  for (const bool is_simulated : {true, false}) {
    facts.may_sleep_waits = !is_simulated;
    const trace::recording seen = is_simulated ? simulated(facts) : on_threads(facts);
    EXPECT_EQ(judge_all(facts, seen).wrong, "");
    run_facts other = facts;
    other.policy.victims = policy::victims::round_robin;
    EXPECT_NE(judge_all(other, seen).wrong, "");
    other = facts;
    other.machine = sim::machine_model::free(6);
    EXPECT_NE(judge_all(other, seen).wrong, "");
    other = facts;
    other.policy.idle.cycles = 3;
    if (is_simulated) {
      EXPECT_NE(judge_all(other, seen).wrong, "");
    }
  }
}

// ---- recordings of threads in the simulator -------------------------------------------------------------------------

int fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = filch::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

// Tasks of a recording of threads are the simulator's tasks: as many as started, with the work that they did.
TEST(both_bodies, what_threads_recorded_can_be_replayed) {
  trace::session session{{.workers = 3, .ring_events = std::size_t{1} << 18}};
  session.start();
  {
    runtime rt{{.workers = 3, .trace = &session}};
    for (int i = 0; i != 20; ++i) {
      rt.spawn([&rt] {
        for (int child = 0; child != 3; ++child) rt.spawn([] { work(500); });
        EXPECT_EQ(fib(12), 144);
      });
    }
    EXPECT_EQ(rt.run([] { return fib(15); }), 610);
    rt.shutdown();
  }
  session.stop();
  const trace::recording seen = session.collect();
  ASSERT_EQ(seen.dropped_count(), 0u);
  std::uint64_t started = 0;
  for (const auto& list : seen.workers) {
    for (const event& one : list) started += one.kind == event_kind::start ? 1 : 0;
  }
  const sim::recorded_tasks tasks = sim::recorded_tasks::from(seen);
  EXPECT_EQ(tasks.size(), started);
  EXPECT_GE(tasks.size(), 81u);
  for (const std::uint32_t workers : {1u, 3u, 16u}) {
    sim::replay again{tasks};
    const sim::run_result result = sim::simulate(sim::machine_model::free(workers), {}, again);
    EXPECT_TRUE(result.is_complete);
    EXPECT_EQ(result.tasks, tasks.size());
    EXPECT_EQ(result.total_use().work_ns, tasks.work_ns());
    EXPECT_GE(result.makespan_ns, tasks.span_ns());
  }
}

}  // namespace
