// One search, two bodies, with joins and loops: threads and simulated workers that share on request ask the same policy
// object and do what it says.
//
// Property, oracle and method are those of both_bodies_test.cpp, for runs in which tasks wait: a task that ends or is
// suspended is followed by a search, unless its worker goes on with a task that waited for it, which needs none. A
// worker that finds its own offer while it waits or sleeps begins its search anew.
#include <filch/base/random.hpp>
#include <filch/filch.hpp>
#include <filch/policy/search.hpp>
#include <filch/sim/sharing_model.hpp>
#include <filch/trace/session.hpp>

#include <gtest/gtest.h>
#include <support/test_seed.hpp>

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
  std::uint32_t workers = 2;
};

struct no_view {
  [[nodiscard]] std::uint32_t size_hint(worker_id) const { return 0; }
  [[nodiscard]] bool bands_in_use() const { return false; }
};

// Follows one worker. Empty: all was as the search says; else what was not.
class judge {
 public:
  judge(const run_facts& facts, worker_id self, const std::vector<event>& list)
      : search_{facts.policy, self, facts.workers, policy::equal_distances{},
                random_stream{facts.seed}.split(self.value)} {
    for (const event& one : list) {
      switch (one.kind) {
        case event_kind::start:
        case event_kind::end:
        case event_kind::suspend:
        case event_kind::resume:
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

 private:
  [[nodiscard]] bool is_next(event_kind kind) const { return at_ != acts_.size() && acts_[at_].kind == kind; }
  [[nodiscard]] bool runs_next() const { return is_next(event_kind::start) || is_next(event_kind::resume); }

  std::string follow(const policy::step& step) {
    switch (step.kind) {
      case policy::step_kind::inbox:
      case policy::step_kind::local:
      case policy::step_kind::injector:
        search_.report(runs_next() ? policy::outcome::found : policy::outcome::empty);
        if (runs_next()) run_until_search();
        return "";
      case policy::step_kind::victim:
        return follow_visit(step);
      case policy::step_kind::wait:
        has_waited_ = true;
        if (is_next(event_kind::park)) follow_sleep();  // a wait of threads may show as a short sleep
        return "";
      case policy::step_kind::park:
        has_waited_ = true;
        if (is_next(event_kind::park)) follow_sleep();
        search_.woken();
        return "";
    }
    return "no such step";
  }

  // What runs now, and whatever follows it without a search.
  void run_until_search() {
    has_waited_ = false;
    ++at_;
    while (at_ != acts_.size()) {
      const event_kind kind = acts_[at_].kind;
      const bool has_stopped = kind == event_kind::end || kind == event_kind::suspend;
      if (!has_stopped && kind != event_kind::start && kind != event_kind::resume) break;
      ++at_;
      if (has_stopped && !is_next(event_kind::resume) && !is_next(event_kind::suspend) && !is_next(event_kind::end))
        break;
    }
    search_.begin();
  }

  std::string follow_visit(const policy::step& step) {
    // Its own offer, found behind a wait: the search began anew, in the own queues.
    if (has_waited_ && runs_next()) {
      has_waited_ = false;
      search_.begin();
      return "";
    }
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
      if (!runs_next()) return "stolen work does not run, the worker does " + name_of_next();
      run_until_search();
      return "";
    }
    if (how != event_kind::steal_empty && how != event_kind::steal_lost) return "a visit without an outcome";
    search_.report(how == event_kind::steal_lost ? policy::outcome::lost : policy::outcome::empty);
    return "";
  }

  void follow_sleep() {
    ++at_;
    if (is_next(event_kind::wake)) ++at_;
  }

  [[nodiscard]] std::string name_of_next() const {
    return at_ == acts_.size() ? "nothing" : std::string{trace::name_of(acts_[at_].kind)};
  }

  policy::search search_;
  std::vector<event> acts_;
  std::size_t at_ = 0;
  bool has_waited_ = false;  // since the last search that found something
  std::uint64_t victims_ = 0;
};

std::string judge_all(const run_facts& facts, const trace::recording& seen, std::uint64_t& victims) {
  EXPECT_EQ(seen.dropped_count(), 0u);
  std::string wrong;
  for (std::uint32_t w = 0; w != facts.workers; ++w) {
    judge one{facts, worker_id{w}, seen.workers[w]};
    const std::string verdict = one.verdict();
    if (wrong.empty() && !verdict.empty()) wrong = "worker " + std::to_string(w) + ", " + verdict;
    victims += one.victims();
  }
  return wrong;
}

run_facts random_facts(random_stream& random) {
  run_facts facts;
  const policy::victims victims[] = {policy::victims::random, policy::victims::random_probe,
                                     policy::victims::last_victim};
  facts.policy.victims = victims[random.below(3)];
  const policy::idle idles[] = {policy::idle::eco, policy::idle::balanced, policy::idle::latency};
  facts.policy.idle = idles[random.below(3)];
  facts.policy.fairness_interval = 1 + static_cast<std::uint32_t>(random.below(10));
  facts.seed = random.bits();
  facts.workers = 3 + static_cast<std::uint32_t>(random.below(4));
  return facts;
}

trace::recording simulated(const run_facts& facts) {
  sim::machine_model machine = sim::machine_model::free(facts.workers);
  machine.costs = {.resume_ns = 100, .notify_ns = 900, .park_ns = 500, .wake_ns = 9000, .notice_ns = 300};
  machine.costs.steal = {{400, 40, 60}};
  sim::sharing_program program;
  const auto tree = program.add_tree(7, 2000);
  const auto loop = program.add_loop(100'000, 300'000);
  for (int i = 0; i != 5; ++i) {
    program.add_phase(tree);
    program.add_phase(program.add_join(loop, program.add_loop(10, tree)), 20'000);
  }
  trace::recording seen;
  EXPECT_TRUE(
      sim::simulate_sharing(machine, facts.policy, {}, program, {.seed = facts.seed, .record = &seen}).run.is_complete);
  return seen;
}

int fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = filch::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

trace::recording on_threads(const run_facts& facts) {
  trace::session session{{.workers = facts.workers, .ring_events = std::size_t{1} << 18}};
  session.start();
  {
    options of{.workers = facts.workers, .seed = facts.seed, .trace = &session};
    of.victims = facts.policy.victims;
    of.idle = facts.policy.idle;
    of.fairness_interval = facts.policy.fairness_interval;
    runtime rt{of};
    for (int i = 0; i != 5; ++i) {
      EXPECT_EQ(rt.run([] { return fib(16); }), 987);
      rt.run([] {
        std::vector<double> numbers(300'000, 1.0);
        filch::for_each(numbers, [](double& x) { x = x * 1.5 + 0.5; });
        EXPECT_EQ(numbers.back(), 2.0);
      });
    }
    rt.shutdown();
  }
  session.stop();
  return session.collect();
}

void judge_many(int runs, std::uint64_t least_victims, int least_strangers,
                const std::function<trace::recording(const run_facts&)>& body) {
  random_stream random{filch_test::test_seed()};
  std::uint64_t victims = 0;
  int strangers = 0;
  for (int i = 0; i != runs; ++i) {
    const run_facts facts = random_facts(random);
    SCOPED_TRACE(std::to_string(i) + ": " + policy::describe(facts.policy));
    const trace::recording seen = body(facts);
    ASSERT_EQ(judge_all(facts, seen, victims), "");
    run_facts other = facts;
    other.seed += 1;
    std::uint64_t ignored = 0;
    strangers += judge_all(other, seen, ignored).empty() ? 0 : 1;
  }
  EXPECT_GE(victims, least_victims);
  EXPECT_GE(strangers, least_strangers);
}

TEST(sharing_bodies, simulated_workers_that_share_on_request_do_what_the_search_says) {
  judge_many(60, 6000, 55, simulated);
}

TEST(sharing_bodies, threads_that_join_and_loop_do_what_the_search_says) { judge_many(12, 12, 1, on_threads); }

}  // namespace
