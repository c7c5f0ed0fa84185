// A load that begins in the wrong place: fifteen tasks of 1 to 2 s, twelve of them in worker 0's queue, the others
// anywhere. Thieves look at the longest queue first.
#include <nlohmann/json.hpp>
#include <ostream>

#include "text.hpp"
#include "workload.hpp"

namespace filch::tool {
namespace {

constexpr std::uint32_t k_tasks = 15;
constexpr std::uint32_t k_on_first = 12;

plan make_plan(std::uint64_t seed, std::uint32_t workers, double time_scale) {
  plan made;
  random_stream random{seed};
  for (std::uint32_t i = 0; i != k_tasks; ++i) {
    const auto home = i < k_on_first ? 0u : static_cast<std::uint32_t>(random.below(workers));
    made.roots.push_back({.name = numbered("T", i + 1),
                          .cpu_ns = scaled_ns(random.uniform(1.0, 2.0), time_scale),
                          .home = worker_id{home}});
  }
  return made;
}

std::vector<measurement> run(context& in) {
  const std::uint32_t workers = worker_count(in.runtime);
  plan what = make_plan(in.runtime.seed, workers, in.time_scale);
  const auto load = what.load(workers);
  if (!in.placement_is_given) {
    in.json["initial_load"] = load;
    if (in.is_detailed) {
      in.out << "Initial load distribution:\n";
      for (std::size_t w = 0; w != load.size(); ++w) in.out << "Worker " << w << ": " << load[w] << " tasks\n";
      in.out << "\n";
    }
  }
  const executed_plan done = run_and_report(in, k_adaptive.name, std::move(what), in.json);
  return {measure("adaptive", done)};
}

}  // namespace

constinit const workload k_adaptive{
    .name = "adaptive",
    .alias = "imbalanced",
    .help = "15 tasks of 1 to 2 s, 12 of them in worker 0's queue; thieves go to the longest queue",
    .has_durations = true,
    .set_defaults =
        [](filch::options& of) {
          of.workers = 4;
          of.victims = victims::largest;
        },
    .run = run};

}  // namespace filch::tool
