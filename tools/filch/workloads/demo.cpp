// Twenty equal jobs of half a second, all in worker 0's queue, or dealt out in turn.
#include <nlohmann/json.hpp>
#include <ostream>

#include "text.hpp"
#include "workload.hpp"

namespace filch::tool {
namespace {

constexpr std::uint32_t k_jobs = 20;
constexpr double k_job_s = 0.5;

std::vector<measurement> run(context& in) {
  const std::uint32_t workers = worker_count(in.runtime);
  plan what;
  for (std::uint32_t i = 0; i != k_jobs; ++i) {
    what.roots.push_back({.name = numbered("job ", i + 1),
                          .cpu_ns = scaled_ns(k_job_s, in.time_scale),
                          .home = worker_id{in.round_robin ? i % workers : 0}});
  }
  in.json["round_robin"] = in.round_robin;
  const executed_plan done = run_and_report(in, k_demo.name, std::move(what), in.json);
  if (in.is_detailed) in.out << "All " << done.tasks << " jobs were done, each exactly once.\n";
  return {measure("demo", done)};
}

}  // namespace

constinit const workload k_demo{
    .name = "demo",
    .help = "20 jobs of 0.5 s, all in worker 0's queue, or dealt out in turn (--round-robin)",
    .has_durations = true,
    .set_defaults = [](filch::options& of) { of.workers = 4; },
    .run = run};

}  // namespace filch::tool
