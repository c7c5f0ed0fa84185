// Five roots of 1 to 3 s, one every half second; in the middle of its work a task spawns one to three children of 0.3
// to 1 s with probability 0.3, and so do the children.
#include <nlohmann/json.hpp>
#include <ostream>

#include "text.hpp"
#include "workload.hpp"

namespace filch::tool {
namespace {

constexpr std::uint64_t k_roots = 5;
constexpr double k_interval_s = 0.5;
constexpr double k_chance = 0.3;
constexpr std::uint64_t k_most_children = 3;

void add_children(planned_task& parent, random_stream random, double time_scale) {
  if (random.unit() >= k_chance) return;
  const std::uint64_t count = 1 + random.below(k_most_children);
  for (std::uint64_t i = 0; i != count; ++i) {
    parent.children.push_back(
        {.name = parent.name + "." + std::to_string(i), .cpu_ns = scaled_ns(random.uniform(0.3, 1.0), time_scale)});
    add_children(parent.children.back(), random.split(i), time_scale);
  }
}

plan make_plan(std::uint64_t seed, double time_scale) {
  plan made;
  random_stream random{seed};
  for (std::uint64_t i = 0; i != k_roots; ++i) {
    made.roots.push_back({.name = numbered("T", i + 1),
                          .cpu_ns = scaled_ns(random.uniform(1.0, 3.0), time_scale),
                          .arrival_ns = scaled_ns(k_interval_s * static_cast<double>(i), time_scale)});
    add_children(made.roots.back(), random.split(i), time_scale);
  }
  return made;
}

std::vector<measurement> run(context& in) {
  const executed_plan done = run_and_report(in, k_spawning.name, make_plan(in.runtime.seed, in.time_scale), in.json);
  return {measure("spawning", done)};
}

}  // namespace

constinit const workload k_spawning{
    .name = "spawning",
    .help = "5 tasks that arrive every 0.5 s; 3 in 10 tasks spawn 1 to 3 children, and so on",
    .has_durations = true,
    .set_defaults =
        [](filch::options& of) {
          of.workers = 4;
          of.placement = placement::random;
        },
    .run = run};

}  // namespace filch::tool
