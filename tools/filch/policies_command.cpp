// filch policies: every name that the options take, with one line about it.
#include <array>
#include <filch/policy/demand.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "commands.hpp"
#include "output.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

// The meanings of the names of an enumeration or a kind of value, in the order of names<T>::all.
template <class T>
using explanations = std::array<std::string_view, policy::names<T>::all.size()>;

constexpr explanations<victims> k_victims{
    "each other worker once, in a random order",
    "independent random draws; the same victim may come twice in a row",
    "by number, beginning after the last one visited",
    "the longest queue first, as far as the size hints know",
    "two random candidates, and of them the one with the longer queue",
    "by distance in the machine: the same core, the same cache, the same node, the rest",
    "the victim of the last successful steal, then the others in a random order",
};
constexpr explanations<steal> k_steal{
    "one task",
    "half of the victim's tasks, rounded up",
    "up to N tasks, for example fixed:4",
};
constexpr explanations<order> k_order{
    "the newest first: it is still in the cache, and memory stays small",
    "the oldest first: fairer to tasks that wait",
};
constexpr explanations<wake> k_wake{
    "any sleeper",
    "the sleeping worker nearest to the work",
    "the worker that went to sleep last: its caches are warm, and the others stay asleep",
    "all sleeping workers",
};
constexpr explanations<placement> k_placement{
    "one shared queue for all workers",
    "the queue of a random worker",
    "the workers' queues in turn",
    "the shortest queue, as far as the size hints know",
    "the queue of that worker, for example given:0",
};
constexpr explanations<deques> k_deques{
    "the owner's end needs no lock, and a thief one compare-and-swap",
    "one lock per queue: the baseline to compare with",
};
constexpr explanations<pinning> k_pinning{
    "the system decides where a worker runs",
    "the same, but a worker without work leaves a CPU on which another worker runs",
    "one CPU each, every core before any second hardware thread",
    "one CPU each, neighbours first",
};

// "7 looks with 47 µs of waits between them, then sleep", from the preset itself.
std::string explain(const idle& preset) {
  const auto waits_ns = static_cast<double>(policy::total_wait_ns(preset));
  return count_text(preset.cycles, "look") + " at all victims" +
         (waits_ns > 0 ? " with " + duration_text(waits_ns * 1e-9) + " of waits between them" : ""s) + ", then sleep" +
         (preset.linger_ns != 0
              ? "; after a steal it lingers for " + duration_text(static_cast<double>(preset.linger_ns) * 1e-9)
              : ""s);
}

struct family {
  std::string_view option;
  std::string_view about;
  std::span<const std::string_view> names;
  std::vector<std::string> explained;
  std::string chosen;  // by default
};

template <class T>
family family_of(std::string_view option, std::string_view about, const explanations<T>& explained, const T& chosen) {
  return {option,
          about,
          policy::names<T>::all,
          {explained.begin(), explained.end()},
          std::string{policy::to_string(chosen)}};
}

family idle_family() {
  return {"--idle",
          "how long a worker searches before it sleeps",
          policy::names<idle>::all,
          {explain(idle::eco), explain(idle::balanced), explain(idle::latency)},
          policy::to_string(filch::options{}.idle)};
}

std::vector<family> families() {
  const filch::options by_default;
  return {
      family_of<victims>("--victims", "which victims a thief visits, in which order", k_victims, by_default.victims),
      family_of<steal>("--steal", "how many tasks a thief takes", k_steal, by_default.steal),
      family_of<order>("--order", "which of its own tasks a worker runs first", k_order, by_default.order),
      idle_family(),
      family_of<wake>("--wake", "which worker a submission wakes", k_wake, by_default.wake),
      family_of<placement>("--placement", "where a task submitted from outside goes", k_placement,
                           by_default.placement),
      family_of<deques>("--deques", "the kind of the workers' queues", k_deques, by_default.deques),
      family_of<pinning>("--pin", "where the workers' threads run", k_pinning, by_default.pinning)};
}

}  // namespace

void policies_command(const policies_arguments& given) {
  if (given.json) {
    nlohmann::ordered_json out;
    for (const family& each : families()) {
      auto& one = out[std::string{each.option.substr(2)}];
      one["about"] = each.about;
      one["default"] = each.chosen;
      for (std::size_t i = 0; i != each.names.size(); ++i) one["names"][std::string{each.names[i]}] = each.explained[i];
    }
    std::cout << json_text(out) << "\n";
    return;
  }
  std::cout << "The choices of `filch run` and of filch::options; * marks a runtime's default.\n";
  for (const family& each : families()) {
    std::cout << "\n" << each.option << ": " << each.about << "\n";
    for (std::size_t i = 0; i != each.names.size(); ++i) {
      std::cout << (each.names[i] == each.chosen ? "  * " : "    ") << padded_right(each.names[i], 15)
                << each.explained[i] << "\n";
    }
  }
  std::cout
      << "\n--idle also takes fields: attempts=0,initial=500ns,factor=2,cap=1us,cycles=2,linger=50us is balanced; "
         "cycles=forever never sleeps.\n"
      << "\n--demand of `filch sim` says how work is shared on request, as fields; by default\n    "
      << policy::describe(policy::demand{})
      << "\n    notify, wake, transfer, migrate: what waking a sleeper takes the waker and the sleeper, an offer its "
         "way to "
         "a\n    thief and back, and a coroutine's frame its way. throttle=off wakes sleepers for tiny children too; "
         "join_first=off\n    lets forks answer all requests; one_place=off lets all workers work beside an external "
         "thread that computes;\n    sleepers are woken for offers until as many as searchers look for work.\n";
}

}  // namespace filch::tool
