// Closed forms of the theory of work stealing: what a simulation should come to, or stay below.
//
// Work T1 is the sum of all task lengths, span T∞ the longest chain of them, P the number of workers.
#pragma once

#include <filch/base/units.hpp>
#include <filch/policy/steal.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace filch::inline v0::sim::theory {

// Graham (1966): the longest that a schedule takes in which no worker idles while a task is ready, rounded down: (T1 −
// T∞)/P + T∞.
[[nodiscard]] time_ns greedy_most_ns(time_ns work_ns, time_ns span_ns, std::uint32_t workers);
// What no schedule beats: the larger of T∞ and T1/P, rounded up.
[[nodiscard]] time_ns least_ns(time_ns work_ns, time_ns span_ns, std::uint32_t workers);

// What Cilkview (He, Leiserson, Leiserson 2010) expects of work stealing when a steal costs something: T1/P + 1.7·(1 −
// 1/P) times the burdened span, the span with the cost of a steal at every spawn and join.
[[nodiscard]] time_ns burdened_ns(time_ns work_ns, time_ns burdened_span_ns, std::uint32_t workers);

// All unit tasks start on one worker, and a thief takes one at a time from a uniformly random victim, `steal_cost` per
// look: tasks per unit of time, 1 + (P − 1)/(1 + (P − 1)·cost). Never more than 1 + 1/cost.
[[nodiscard]] double single_source_throughput(std::uint32_t workers, double steal_cost);

// Many servers with Poisson arrivals of rate `load` each and exponential service of mean 1.
// A server that becomes empty looks at one random other and takes one task if that has at least two
// (Mitzenmacher 1998, in the limit of many servers).
struct mean_field {
  double at_least_two = 0;  // fraction of servers with two or more tasks
  double ratio = 0;         // … and by this factor fewer with each further task
  double response = 0;      // mean time from arrival to end
};
[[nodiscard]] mean_field steal_on_empty(double load);
// The same, but idle servers look again and again, at this rate: mean response.
[[nodiscard]] double probing_response(double load, double probe_rate);
// One queue for all `servers` (Erlang C): mean response, which no stealing beats.
[[nodiscard]] double shared_queue_response(double load, std::uint32_t servers);

// Servers that steal, in general. A server looks at one random other when it becomes empty, and at rate `probe_rate`
// for as long as it is. If that has at least `threshold` tasks, the one in service counted, it gives some away.
struct stealing {
  double load = 0.9;
  policy::steal steal = policy::steal::one;
  std::uint32_t threshold = 2;
  bool on_empty = true;
  double probe_rate = 0;
};
// Throws std::invalid_argument, which names the option, its value and what is allowed.
void require_valid(const stealing& how);
// How many of `tasks` a thief gets: never the one in service, and of a half rounded down.
[[nodiscard]] std::size_t stolen(policy::steal how, std::size_t tasks);
// Mean response in the limit of many servers: the steady state of the differential equations, by iteration. With s_j
// the fraction of servers with at least j tasks and a the rate of looks, a steal of half adds
// a·(s_max(T,2j) + s_max(T,2j−1) − s_max(T,j)) to the change of s_j. Nothing: the iteration came to no end.
[[nodiscard]] std::optional<double> stealing_response(const stealing& how);

// A load that can be cut anywhere, half of it stolen at a time, with this time between a request and its answer
// (Gast, Khatiri, Trystram and Wagner, 2018): time in all, about W/P + factor · latency · log2(W/latency).
[[nodiscard]] double divisible_load_time(double work, std::uint32_t workers, double latency, double factor);

// How long such servers take from empty to 0.1 % below the mean number of tasks in their steady state, in the limit of
// many. Not longer than servers that do not steal.
[[nodiscard]] double settling_time(const stealing& how);
// The same of one queue for all `servers`, from the rate at which it forgets its past: 1/(servers · (1 − √load)²), or a
// service time where that is longer.
[[nodiscard]] double shared_queue_settling_time(double load, std::uint32_t servers);

// So many roots, each task with `mean_children` on average, less than 1: tasks in all.
[[nodiscard]] double branching_mean(double roots, double mean_children);
// … and their standard deviation, from the variance of the number of children.
[[nodiscard]] double branching_sd(double roots, double mean_children, double children_variance);
// The probability that the descendants of all roots die out, when a task has children with `probability`, and then 1 to
// `most_children`, each number equally likely: the least fixed point of the generating function, to the power of roots.
[[nodiscard]] double branching_end_probability(double roots, double probability, std::uint32_t most_children);

// The most successful steals on a complete tree with work-first forks: Σ (arity − 1)^i · C(height, i), i from 1 to P.
[[nodiscard]] double tree_steals_most(std::uint32_t arity, std::uint32_t height, std::uint32_t workers);

}  // namespace filch::inline v0::sim::theory
