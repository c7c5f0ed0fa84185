#include "figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "observed.hpp"
#include "outlook.hpp"

namespace filch::tool {
namespace {

constexpr double k_none = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<std::string_view, k_figures> k_names{"time",  "stolen", "steal_rate", "efficiency", "failed_looks",
                                                          "parks", "wait",   "wait_99",    "wait_high",  "wait_low"};
constexpr std::array<std::string_view, k_figures> k_titles{"time",          "stolen",   "steal rate %", "efficiency %",
                                                           "looks in vain", "parks",    "wait",         "99 % wait",
                                                           "high waits",    "low waits"};

double seconds(time_ns span_ns) { return static_cast<double>(span_ns) / static_cast<double>(k_ns_per_s); }

double mean_of(const std::vector<double>& values) {
  if (values.empty()) return k_none;
  double sum = 0;
  for (const double each : values) sum += each;
  return sum / static_cast<double>(values.size());
}

// The smallest value that so large a share of all do not exceed.
double quantile_of(std::vector<double> values, double share) {
  if (values.empty()) return k_none;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()))) - 1;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(rank));
  return values[rank];
}

void note_waits(const observed_workload& seen, run_figures& into) {
  std::vector<double> all;
  std::vector<double> high;
  std::vector<double> low;
  for (const observed_task& each : seen.tasks()) {
    if (!each.has_started()) continue;
    const double wait_s = seconds(each.wait_ns());
    all.push_back(wait_s);
    if (each.band == policy::priority::high) high.push_back(wait_s);
    if (each.band == policy::priority::low) low.push_back(wait_s);
  }
  into[figure::wait] = mean_of(all);
  into[figure::wait_99] = quantile_of(all, 0.99);
  into[figure::wait_high] = mean_of(high);
  into[figure::wait_low] = mean_of(low);
}

}  // namespace

std::span<const std::string_view> figure_names() { return k_names; }

std::string_view figure_title(figure which) { return k_titles[static_cast<std::size_t>(which)]; }

bool is_time(figure which) { return which == figure::time || which >= figure::wait; }

bool more_is_better(figure which) { return which == figure::efficiency; }

namespace {

run_figures run_figures_of(const sim::run_result& result, std::uint32_t workers) {
  const trace::count_values total = result.total_counts();
  const auto stolen = static_cast<double>(total[trace::count::stolen_by_me]);
  const double all_s = seconds(result.makespan_ns) * workers;
  run_figures out{.tasks = result.tasks, .end = result.end};
  out[figure::time] = seconds(result.makespan_ns);
  out[figure::stolen] = stolen;
  out[figure::steal_rate] = result.tasks == 0 ? 0 : 100 * stolen / static_cast<double>(result.tasks);
  out[figure::efficiency] =
      all_s == 0 ? k_none : 100 * seconds(result.total_use().work_ns + result.outside.work_ns) / all_s;
  out[figure::failed_looks] = static_cast<double>(total[trace::count::steal_failures]);
  out[figure::parks] = static_cast<double>(total[trace::count::parks]);
  return out;
}

// Nothing arrives where work is shared on request, so there are no waits.
run_figures figures_of_shared(const scenario::document& what, std::uint64_t seed) {
  run_figures out = run_figures_of(scenario::run(what, seed), what.worker_count());
  for (const figure which : {figure::wait, figure::wait_99, figure::wait_high, figure::wait_low}) out[which] = k_none;
  return out;
}

}  // namespace

run_figures figures_of(const scenario::document& what, std::uint64_t seed) {
  if (std::holds_alternative<scenario::sharing_load>(what.workload)) return figures_of_shared(what, seed);
  const auto load = scenario::make_workload(what, seed);
  observed_workload seen{*load};
  const sim::machine_model machine = scenario::make_machine(what);
  const sim::run_result result = sim::simulate(machine, what.policy, seen, scenario::make_options(what, seed));
  run_figures out = run_figures_of(result, machine.workers);
  note_waits(seen, out);
  return out;
}

std::vector<double> figure_table::values(figure which) const {
  std::vector<double> out;
  for (const run_figures& each : runs) {
    if (each.end == sim::run_end::complete && !std::isnan(each[which])) out.push_back(each[which]);
  }
  return out;
}

std::uint32_t figure_table::incomplete() const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(runs, [](const run_figures& each) { return each.end != sim::run_end::complete; }));
}

std::uint32_t figure_table::cut_off() const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(runs, [](const run_figures& each) { return is_cut_off(each.end); }));
}

std::uint32_t figure_table::stuck() const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(runs, [](const run_figures& each) { return each.end == sim::run_end::stuck; }));
}

time_unit unit_for(double seconds) {
  const double size = std::abs(seconds);
  if (size >= 0.5) return {1, "s"};
  if (size >= 0.5e-3) return {1e-3, "ms"};
  return {1e-6, "µs"};
}

}  // namespace filch::tool
