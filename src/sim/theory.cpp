#include <filch/sim/theory.hpp>

#include <filch/base/assert.hpp>

#include <algorithm>
#include <cmath>

namespace filch::inline v0::sim::theory {

time_ns greedy_most_ns(time_ns work_ns, time_ns span_ns, std::uint32_t workers) {
  FILCH_ASSERT(workers >= 1 && span_ns <= work_ns, workers, span_ns, work_ns);
  return (work_ns - span_ns) / workers + span_ns;
}

time_ns least_ns(time_ns work_ns, time_ns span_ns, std::uint32_t workers) {
  FILCH_ASSERT(workers >= 1, workers);
  return std::max(span_ns, work_ns / workers + (work_ns % workers != 0 ? 1 : 0));
}

time_ns burdened_ns(time_ns work_ns, time_ns burdened_span_ns, std::uint32_t workers) {
  FILCH_ASSERT(workers >= 1 && work_ns >= 0 && burdened_span_ns >= 0, workers, work_ns, burdened_span_ns);
  const double share = 1.0 / workers;
  return std::llround(share * static_cast<double>(work_ns) + 1.7 * (1 - share) * static_cast<double>(burdened_span_ns));
}

double single_source_throughput(std::uint32_t workers, double steal_cost) {
  FILCH_ASSERT(workers >= 1 && steal_cost >= 0, workers, steal_cost);
  const double thieves = workers - 1.0;
  return 1 + thieves / (1 + thieves * steal_cost);
}

mean_field steal_on_empty(double load) {
  FILCH_ASSERT(load > 0 && load < 1, load);
  mean_field out;
  out.at_least_two = (1 + load - std::sqrt(1 + 2 * load - 3 * load * load)) / 2;
  out.ratio = load / (1 + load - out.at_least_two);
  out.response = 1 + out.at_least_two / (load * (1 - out.ratio));
  return out;
}

double probing_response(double load, double probe_rate) {
  FILCH_ASSERT(load > 0 && load < 1 && probe_rate >= 0, load, probe_rate);
  return (1 + probe_rate * (1 - load)) / ((1 - load) * (1 + probe_rate));
}

// The probability of waiting comes from Erlang's loss formula, which a recursion gives without large numbers.
double shared_queue_response(double load, std::uint32_t servers) {
  FILCH_ASSERT(load > 0 && load < 1 && servers >= 1, load, servers);
  const double offered = load * servers;
  double loss = 1;
  for (std::uint32_t i = 1; i <= servers; ++i) loss = offered * loss / (i + offered * loss);
  const double waits = loss / (1 - load + load * loss);
  return 1 + waits / (servers * (1 - load));
}

double shared_queue_settling_time(double load, std::uint32_t servers) {
  FILCH_ASSERT(load > 0 && load < 1 && servers >= 1, load, servers);
  const double away = 1 - std::sqrt(load);
  return std::log(1000.0) * std::max(1.0, 1 / (servers * away * away));
}

double divisible_load_time(double work, std::uint32_t workers, double latency, double factor) {
  FILCH_ASSERT(work > 0 && workers >= 1 && latency > 0 && latency < work, work, workers, latency);
  return work / workers + factor * latency * std::log2(work / latency);
}

double branching_mean(double roots, double mean_children) {
  FILCH_ASSERT(mean_children >= 0 && mean_children < 1, mean_children);
  return roots / (1 - mean_children);
}

double branching_sd(double roots, double mean_children, double children_variance) {
  FILCH_ASSERT(mean_children >= 0 && mean_children < 1, mean_children);
  const double left = 1 - mean_children;
  return std::sqrt(roots * children_variance / (left * left * left));
}

double branching_end_probability(double roots, double probability, std::uint32_t most_children) {
  FILCH_ASSERT(probability >= 0 && probability <= 1 && most_children >= 1, probability, most_children);
  if (probability * (1.0 + most_children) / 2 <= 1) return most_children == 1 && probability == 1 ? 0 : 1;
  // The children's powers are s + s² + … + sᵏ = s·(1 − sᵏ)/(1 − s), and the iteration from 0 rises to the fixed point.
  double ends = 0;
  for (int round = 0; round != 100'000; ++round) {
    const double powers = ends * (1 - std::pow(ends, most_children)) / (1 - ends);
    const double next = 1 - probability + probability * powers / most_children;
    if (next - ends < 1e-15) break;
    ends = next;
  }
  return std::pow(ends, roots);
}

double tree_steals_most(std::uint32_t arity, std::uint32_t height, std::uint32_t workers) {
  FILCH_ASSERT(arity >= 1, arity);
  double sum = 0;
  double term = 1;
  for (std::uint32_t i = 1; i <= workers && i <= height; ++i) {
    term *= (arity - 1.0) * (height - i + 1.0) / i;
    sum += term;
  }
  return sum;
}

}  // namespace filch::inline v0::sim::theory
