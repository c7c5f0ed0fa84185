// The simulated body asks the rules of policy::demand, and does nothing of its own beside them.
//
// Property: every answer that a rule has given follows from what went into the questions before, and nothing else.
// Oracle: a judge with rules of its own that follows the list of questions, from whichever body: it asks its rules the
// same with what went in, and must get what came out. Judges with other costs must object.
// Method: the questions of random runs. Threads can be judged by the same code, once their body writes the list.
#include <filch/base/random.hpp>
#include <filch/policy/demand.hpp>
#include <filch/sim/sharing_model.hpp>

#include <gtest/gtest.h>
#include <support/test_seed.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace filch;
using sim::rule_call;
using asked = rule_call::rule_asked;

constexpr std::size_t k_questions = static_cast<std::size_t>(asked::linger) + 1;

class rules_judge {
 public:
  explicit rules_judge(const policy::demand& rules) : rules_{rules}, monitor_{rules} {}

  // The first answer that is another one than its own, or empty.
  std::string follow(const std::vector<rule_call>& calls) {
    for (std::size_t i = 0; i != calls.size(); ++i) {
      const time_ns own = answer(calls[i]);
      if (own != calls[i].out) {
        return "question " + std::to_string(i) + " of kind " + std::to_string(static_cast<int>(calls[i].what)) +
               ": the answer was " + std::to_string(calls[i].out) + ", the rule says " + std::to_string(own);
      }
    }
    return "";
  }

 private:
  struct point {
    policy::wake_throttle throttle;
    policy::request_pace requests;
    policy::join_answers answers;
    policy::visit_pace visits;
  };

  time_ns answer(const rule_call& call) {
    point& of = points_[call.who];
    const auto& in = call.in;
    switch (call.what) {
      case asked::throttle_after:
        of.throttle = of.throttle.after(in[0], in[1], rules_);
        return of.throttle.streak();
      case asked::may_wake:
        return of.throttle.may_wake(in[0]);
      case asked::may_request:
        return of.requests.may_request(in[0], rules_);
      case asked::request_judged:
        of.requests.judge(in[0] != 0, in[1], rules_);
        return 0;
      case asked::request_taken:
        return of.requests.take(in[0]);
      case asked::request_target:
        return of.answers.request(in[0] != 0, in[1] != 0, rules_) == policy::join_answers::target::join;
      case asked::join_answered:
        of.answers = of.answers.after(in[0] != 0);
        return of.answers.count();
      case asked::joins_given_up:
        of.answers = {};
        return 0;
      case asked::may_visit:
        return of.visits.may_begin(in[0]);
      case asked::visit_after:
        of.visits = of.visits.after(in[0] != 0, in[1], rules_);
        return of.visits.pause_ns();
      case asked::visits_open:
        of.visits = {};
        return 0;
      default:
        return answer_without_state(call);
    }
  }

  time_ns answer_without_state(const rule_call& call) {
    const auto& in = call.in;
    switch (call.what) {
      case asked::monitor_called:
        monitor_ = policy::monitor_pace{rules_};
        return monitor_.pause_ns();
      case asked::monitor_after:
        monitor_.after(in[0] != 0, in[1], in[2], rules_);
        return monitor_.pause_ns();
      case asked::is_aged:
        return rules_.is_aged(in[0]);
      case asked::wakes_for_offer:
        return policy::demand::wakes_for_offer(in[0] != 0, in[1] != 0, in[2] != 0) == policy::demand::waker::monitor;
      case asked::is_searched:
        return rules_.is_searched(static_cast<std::size_t>(in[0]));
      case asked::place_sleeper:
        return rules_.has_place_for_sleeper(static_cast<std::size_t>(in[0]), in[1] != 0);
      case asked::place_awake:
        return rules_.has_place_awake(static_cast<std::size_t>(in[0]), in[1] != 0);
      default:
        return rules_.linger_ns(in[0], in[1], in[2] != 0);
    }
  }

  policy::demand rules_;
  policy::monitor_pace monitor_;
  std::map<std::uint32_t, point> points_;
};

struct judged_run {
  policy::demand rules;
  std::vector<rule_call> calls;
};

judged_run some_run(random_stream& random) {
  judged_run out;
  out.rules = {.notify_ns = 1000 + static_cast<time_ns>(random.below(5000)),
               .wake_ns = 5000 + static_cast<time_ns>(random.below(20'000)),
               .transfer_ns = 500 + static_cast<time_ns>(random.below(2000))};
  out.rules.searchers = 1 + static_cast<std::uint32_t>(random.below(4));
  out.rules.throttle = random.below(4) != 0;
  out.rules.join_first = random.below(4) != 0;
  out.rules.one_place = random.below(4) != 0;
  sim::machine_model machine = sim::machine_model::free(2 + static_cast<std::uint32_t>(random.below(7)));
  machine.costs = {.resume_ns = 900,
                   .notify_ns = 1400,
                   .park_ns = 800,
                   .wake_ns = 14'000,
                   .notice_ns = 900,
                   .fork_ns = 2,
                   .join_ns = 2,
                   .look_ns = 20,
                   .offer_ns = 200,
                   .visit_ns = 1500};
  machine.costs.steal = {{400, 40, 60}};
  sim::sharing_program program;
  const auto tiny = program.add_tree(9, 10 + static_cast<time_ns>(random.below(60)));
  const auto tree = program.add_tree(6, static_cast<time_ns>(random.below(20'000)));
  const auto loop = program.add_loop(10'000, static_cast<time_ns>(random.below(400'000)));
  const auto both = program.add_join(program.add_loop(12, tree), loop);
  for (int i = 0; i != 6; ++i) {
    program.add_phase(tiny);
    program.add_phase(both, static_cast<time_ns>(random.below(100'000)));
  }
  const sim::sharing_result result =
      sim::simulate_sharing(machine, {}, out.rules, program,
                            {.seed = random.bits(), .is_called_outside = random.below(2) == 0, .rules = &out.calls});
  EXPECT_TRUE(result.run.is_complete);
  return out;
}

TEST(sharing_rules, the_simulated_body_does_what_the_rules_say) {
  random_stream random{filch_test::test_seed()};
  std::array<std::uint64_t, k_questions> questions{};
  int strangers = 0;
  constexpr int k_runs = 60;
  for (int i = 0; i != k_runs; ++i) {
    const judged_run one = some_run(random);
    ASSERT_EQ(rules_judge{one.rules}.follow(one.calls), "") << policy::describe(one.rules);
    for (const rule_call& each : one.calls) ++questions[static_cast<std::size_t>(each.what)];
    policy::demand other = one.rules;
    other.notify_ns /= 3;
    other.transfer_ns *= 3;
    other.wake_ns += 1;
    strangers += rules_judge{other}.follow(one.calls).empty() ? 0 : 1;
  }
  for (std::size_t what = 0; what != k_questions; ++what) {
    if (static_cast<asked>(what) == asked::joins_given_up) continue;  // a few runs of a hundred come to that
    EXPECT_GT(questions[what], 0u) << "of kind " << what;
  }
  EXPECT_GE(strangers, k_runs * 3 / 4) << "judges with other costs object";
}

// One answer that is not the rule's is found.
TEST(sharing_rules, a_body_that_does_something_else_is_found_out) {
  random_stream random{filch_test::test_seed()};
  judged_run one = some_run(random);
  for (const asked what : {asked::may_wake, asked::may_request, asked::request_target, asked::place_awake}) {
    std::vector<rule_call> changed = one.calls;
    for (rule_call& each : changed) {
      if (each.what != what) continue;
      each.out = each.out == 0 ? 1 : 0;
      break;
    }
    EXPECT_NE(rules_judge{one.rules}.follow(changed), "");
  }
}

}  // namespace
