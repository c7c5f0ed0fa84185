// The rules of policy::demand as the simulated body asks them: each question is passed on, and written down if wanted.
//
// A point is what the rules know of one worker or external thread, as its owner and others change it.
#pragma once

#include <filch/policy/demand.hpp>
#include <filch/sim/sharing_model.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace filch::inline v0::sim {

struct rule_state {
  policy::wake_throttle throttle{};
  policy::request_pace requests{};
  policy::join_answers answers{};
  policy::visit_pace visits{};
};

class asked_rules {
 public:
  using asked = rule_call::rule_asked;

  asked_rules(const policy::demand& rules, std::vector<rule_call>* log) : rules_{rules}, log_{log} {}

  [[nodiscard]] const policy::demand& rules() const { return rules_; }

  void child_over(std::uint32_t who, rule_state& of, time_ns lasted_ns, time_ns now_ns) {
    of.throttle = of.throttle.after(lasted_ns, now_ns, rules_);
    note({asked::throttle_after, who, {lasted_ns, now_ns}, of.throttle.streak()});
  }
  [[nodiscard]] bool may_wake(std::uint32_t who, const rule_state& of, time_ns now_ns) {
    return note({asked::may_wake, who, {now_ns}, of.throttle.may_wake(now_ns)}) != 0;
  }

  [[nodiscard]] bool may_request(std::uint32_t thief, rule_state& of, time_ns now_ns) {
    return note({asked::may_request, thief, {now_ns}, of.requests.may_request(now_ns, rules_)}) != 0;
  }
  void request_judged(std::uint32_t thief, rule_state& of, bool was_tiny, time_ns now_ns) {
    of.requests.judge(was_tiny, now_ns, rules_);
    (void)note({asked::request_judged, thief, {was_tiny, now_ns}});
  }
  [[nodiscard]] bool request_taken(std::uint32_t thief, rule_state& of, time_ns now_ns) {
    return note({asked::request_taken, thief, {now_ns}, of.requests.take(now_ns)}) != 0;
  }

  [[nodiscard]] bool goes_to_join(std::uint32_t who, const rule_state& of, bool can_visit, bool has_latent) {
    const bool is_join = of.answers.request(can_visit, has_latent, rules_) == policy::join_answers::target::join;
    return note({asked::request_target, who, {can_visit, has_latent}, is_join}) != 0;
  }
  void join_answered(std::uint32_t who, rule_state& of, bool has_offered) {
    of.answers = of.answers.after(has_offered);
    (void)note({asked::join_answered, who, {has_offered}, of.answers.count()});
  }

  [[nodiscard]] bool may_visit(std::uint32_t who, const rule_state& of, time_ns now_ns) {
    return note({asked::may_visit, who, {now_ns}, of.visits.may_begin(now_ns)}) != 0;
  }
  void visit_over(std::uint32_t who, rule_state& of, bool has_found, time_ns now_ns) {
    of.visits = of.visits.after(has_found, now_ns, rules_);
    (void)note({asked::visit_after, who, {has_found, now_ns}, of.visits.pause_ns()});
  }
  void open_visits(std::uint32_t who, rule_state& of) {
    of.visits = {};
    (void)note({asked::visits_open, who});
  }
  void give_up_joins(std::uint32_t who, rule_state& of) {
    of.answers = {};
    (void)note({asked::joins_given_up, who});
  }
  void monitor_called(policy::monitor_pace& pace) {
    pace = policy::monitor_pace{rules_};
    (void)note({asked::monitor_called, UINT32_MAX, {}, pace.pause_ns()});
  }
  void monitor_looked(policy::monitor_pace& pace, bool has_acted, time_ns due_ns, time_ns now_ns) {
    pace.after(has_acted, due_ns, now_ns, rules_);
    (void)note({asked::monitor_after, UINT32_MAX, {has_acted, due_ns, now_ns}, pace.pause_ns()});
  }

  [[nodiscard]] bool is_aged(std::uint32_t who, time_ns lain_ns) {
    return note({asked::is_aged, who, {lain_ns}, rules_.is_aged(lain_ns)}) != 0;
  }
  [[nodiscard]] bool monitor_wakes(std::uint32_t who, bool is_throttled, bool lingers_any, bool is_monitored) {
    const auto waker = policy::demand::wakes_for_offer(is_throttled, lingers_any, is_monitored);
    return note({asked::wakes_for_offer,
                 who,
                 {is_throttled, lingers_any, is_monitored},
                 waker == policy::demand::waker::monitor}) != 0;
  }
  [[nodiscard]] bool is_searched(std::size_t searching) {
    return note({asked::is_searched, UINT32_MAX, {static_cast<time_ns>(searching)}, rules_.is_searched(searching)}) !=
           0;
  }
  [[nodiscard]] bool has_place_for_sleeper(std::uint32_t who, std::size_t sleepers, bool computes_outside) {
    const bool has_place = rules_.has_place_for_sleeper(sleepers, computes_outside);
    return note({asked::place_sleeper, who, {static_cast<time_ns>(sleepers), computes_outside}, has_place}) != 0;
  }
  [[nodiscard]] bool has_place_awake(std::uint32_t who, std::size_t sleepers, bool computes_outside) {
    const bool has_place = rules_.has_place_awake(sleepers, computes_outside);
    return note({asked::place_awake, who, {static_cast<time_ns>(sleepers), computes_outside}, has_place}) != 0;
  }
  [[nodiscard]] time_ns linger_ns(std::uint32_t who, time_ns wanted_ns, time_ns since_theft_ns, bool has_cpu_each) {
    return note({asked::linger,
                 who,
                 {wanted_ns, since_theft_ns, has_cpu_each},
                 rules_.linger_ns(wanted_ns, since_theft_ns, has_cpu_each)});
  }

 private:
  // What the rule has answered.
  time_ns note(const rule_call& what) {
    if (log_ != nullptr) log_->push_back(what);
    return what.out;
  }

  const policy::demand rules_;
  std::vector<rule_call>* const log_;
};

}  // namespace filch::inline v0::sim
