// Ten tasks of 0.5 to 2 s, each given to a random one of three workers.
#include <nlohmann/json.hpp>
#include <ostream>

#include "text.hpp"
#include "workload.hpp"

namespace filch::tool {
namespace {

constexpr std::uint64_t k_tasks = 10;

plan make_plan(std::uint64_t seed, double time_scale) {
  plan made;
  random_stream random{seed};
  for (std::uint64_t i = 0; i != k_tasks; ++i) {
    made.roots.push_back({.name = numbered("T", i + 1), .cpu_ns = scaled_ns(random.uniform(0.5, 2.0), time_scale)});
  }
  return made;
}

std::vector<measurement> run(context& in) {
  const executed_plan done = run_and_report(in, k_basic.name, make_plan(in.runtime.seed, in.time_scale), in.json);
  return {measure("basic", done)};
}

}  // namespace

constinit const workload k_basic{.name = "basic",
                                 .help = "10 tasks of 0.5 to 2 s, each put to a random one of 3 workers",
                                 .has_durations = true,
                                 .set_defaults =
                                     [](filch::options& of) {
                                       of.workers = 3;
                                       of.placement = placement::random;
                                     },
                                 .run = run};

}  // namespace filch::tool
