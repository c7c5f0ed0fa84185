#include "contrasts.hpp"

#include <algorithm>
#include <cmath>

namespace filch::tool {
namespace {

using scenario::document;

template <policy::victims How>
void choose_victims(document& in) {
  in.policy.victims = How;
}

template <sim::join_mode How>
void choose_join(document& in) {
  set_join(in, How);
}

template <time_ns Grain>
void choose_grain(document& in) {
  set_grain(in, Grain);
}

void as_it_is(document&) {}

// Tasks pinned to one worker may be stolen from it.
void let_steal(document& in) {
  for (sim::task_group& each : std::get<scenario::tasks_load>(in.workload).groups) {
    if (each.where.what == sim::target::kind::pinned) each.where = sim::target::at(each.where.worker);
  }
}

void forget_priorities(document& in) {
  for (sim::task_group& each : std::get<scenario::tasks_load>(in.workload).groups) {
    each.band = policy::priority::normal;
  }
}

void back_off(document& in) {
  in.policy.idle = {
      .initial_ns = k_ns_per_s / 20, .factor = 2, .cap_ns = k_ns_per_s / 2, .cycles = policy::idle::k_forever};
}

void sleep_until_woken(document& in) {
  in.policy.idle = policy::idle::eco;
  in.deaf_waits = false;
}

const std::vector<figure> k_usual{figure::time, figure::stolen, figure::efficiency, figure::failed_looks};
const std::vector<figure> k_waits{figure::time,   figure::wait,  figure::wait_99,
                                  figure::stolen, figure::parks, figure::failed_looks};

const std::vector<contrast>& all_contrasts() {
  static const std::vector<contrast> k_all{
      {"adaptive",
       "--victims",
       {{"largest", choose_victims<policy::victims::largest>}, {"random", choose_victims<policy::victims::random>}},
       k_usual,
       "Stealing from the longest queue takes fewer steals but saves no time."},
      {"affinity",
       "",
       {{"pinned to their worker", as_it_is}, {"may be stolen", let_steal}},
       k_waits,
       "A steal finds cold caches, which cost more than a task's own work, and still shortens the longest waits."},
      {"backoff",
       "--idle",
       {{"look every 0.1 s", as_it_is},
        {"back off, 0.05 to 0.5 s", back_off},
        {"sleep until woken", sleep_until_woken}},
       {figure::time, figure::wait, figure::wait_99, figure::failed_looks, figure::parks},
       "Backing off saves looks but makes tasks wait; sleeping until woken saves looks without the waits."},
      {"bursts",
       "--victims",
       {{"random", choose_victims<policy::victims::random>},
        {"best_of_two", choose_victims<policy::victims::best_of_two>},
        {"largest", choose_victims<policy::victims::largest>}},
       k_usual,
       "A thief that looks at more queues steals less often, and the run is no shorter."},
      {"granularity",
       "--grain",
       {{"0.1 s", choose_grain<k_ns_per_s / 10>},
        {"0.5 s", choose_grain<k_ns_per_s / 2>},
        {"2 s", choose_grain<2 * k_ns_per_s>}},
       k_usual,
       "Large tasks leave workers idle at the end; small ones would cost something only on a machine with costs."},
      {"herd",
       "--wake",
       {{"wake one", as_it_is}, {"wake all", [](document& in) { in.policy.wake = policy::wake::all; }}},
       k_waits,
       "Waking all wakes a dozen for work that one can do; tasks start a little sooner only because nothing else wants "
       "the CPUs."},
      {"joining",
       "--join",
       {{"continuation", choose_join<sim::join_mode::continuation>},
        {"helping", choose_join<sim::join_mode::helping>},
        {"blocking", choose_join<sim::join_mode::blocking>}},
       {figure::time, figure::stolen, figure::efficiency, figure::wait},
       "A worker inside a blocking join runs no other task; when all workers are, none is left to run the children.\n"
       "The times are those of the runs that end, which are the small ones."},
      {"numa",
       "--victims",
       {{"random", choose_victims<policy::victims::random>}, {"nearest", choose_victims<policy::victims::nearest>}},
       k_usual,
       "Near victims first: more steals, but cheaper ones, and the stolen work finds its data closer."},
      {"priorities",
       "",
       {{"with priorities", as_it_is}, {"all alike", forget_priorities}},
       {figure::time, figure::wait, figure::wait_99, figure::wait_high, figure::wait_low},
       "Urgent tasks pass the slow ones in the queues, which wait a little longer for it."},
      {"share-nothing",
       "",
       {{"no stealing", as_it_is}, {"stealing", let_steal}},
       k_waits,
       "Without stealing the busiest core decides how long its requests wait, while the others sleep."},
      {"steal-half",
       "--steal",
       {{"one", as_it_is}, {"half", [](document& in) { in.policy.steal = policy::steal::half; }}},
       k_usual,
       "A thief that takes half becomes a victim for others; otherwise all thieves return to one queue."}};
  return k_all;
}

time_ns scaled(time_ns span_ns, double factor) {
  return std::max<time_ns>(1, static_cast<time_ns>(std::llround(static_cast<double>(span_ns) * factor)));
}

double mean_ns(const sim::lengths& of) {
  return of.what == sim::lengths::kind::uniform ? (static_cast<double>(of.low_ns) + static_cast<double>(of.high_ns)) / 2
                                                : static_cast<double>(of.low_ns);
}

bool can_be_cut(const sim::task_group& group) {
  return group.length.what != sim::lengths::kind::listed && group.arrives.what == sim::arrival_times::kind::at_once &&
         mean_ns(group.length) > 0;
}

}  // namespace

const contrast* find_contrast(std::string_view scenario) {
  for (const contrast& each : all_contrasts()) {
    if (each.scenario == scenario) return &each;
  }
  return nullptr;
}

bool set_join(document& in, sim::join_mode how) {
  if (auto* const branching = std::get_if<scenario::branching_load>(&in.workload)) {
    if (!branching->options.join) return false;
    branching->options.join = how;
    return true;
  }
  if (auto* const tree = std::get_if<scenario::tree_load>(&in.workload)) {
    tree->options.join = how;
    return true;
  }
  if (auto* const trace = std::get_if<scenario::trace_load>(&in.workload)) {
    trace->join = how;
    return true;
  }
  return false;
}

bool set_grain(document& in, time_ns grain_ns) {
  if (auto* const divisible = std::get_if<scenario::divisible_tasks_load>(&in.workload)) {
    divisible->options.grain_ns = grain_ns;
    return true;
  }
  auto* const tasks = std::get_if<scenario::tasks_load>(&in.workload);
  if (tasks == nullptr || !std::ranges::all_of(tasks->groups, can_be_cut)) return false;
  for (sim::task_group& each : tasks->groups) {
    const double factor = static_cast<double>(grain_ns) / mean_ns(each.length);
    each.count =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(static_cast<double>(each.count) / factor)));
    each.length.low_ns = scaled(each.length.low_ns, factor);
    each.length.high_ns = scaled(each.length.high_ns, factor);
  }
  return true;
}

}  // namespace filch::tool
