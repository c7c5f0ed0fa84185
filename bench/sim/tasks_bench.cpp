// Simulated tasks per second: a list of random lengths, a list that starts on one worker, and a tree of forks and
// joins.
#include <filch/base/random.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/sim/workloads.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>

namespace {

using namespace filch;

constexpr policy::search_options k_random{.victims = policy::victims::random};

// Tasks of 1 to 2 µs; `on_one` puts all of them on worker 0.
sim::task_list make_list(std::uint32_t workers, std::size_t tasks, bool on_one) {
  random_stream random{7};
  sim::task_list list;
  list.reserve(tasks);
  for (std::size_t i = 0; i != tasks; ++i) {
    const auto work_ns = static_cast<time_ns>(1000 + random.below(1000));
    const auto worker = on_one ? 0 : static_cast<std::uint32_t>(random.below(workers));
    list.add(work_ns, sim::target::at(worker_id{worker}));
  }
  return list;
}

void run_list(benchmark::State& state, bool on_one) {
  const auto tasks = static_cast<std::size_t>(state.range(1));
  const auto workers = static_cast<std::uint32_t>(state.range(0));
  const auto machine = sim::machine_model::free(workers);
  const sim::task_list list = make_list(workers, tasks, on_one);
  for (auto _ : state) {
    state.PauseTiming();
    sim::task_list copy = list;
    state.ResumeTiming();
    benchmark::DoNotOptimize(sim::simulate(machine, k_random, copy).makespan_ns);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(tasks));
}

void task_list_spread(benchmark::State& state) { run_list(state, false); }
BENCHMARK(task_list_spread)->ArgsProduct({{4, 64, 1024}, {100'000, 1'000'000}})->Unit(benchmark::kMillisecond);

void task_list_on_one_worker(benchmark::State& state) { run_list(state, true); }
BENCHMARK(task_list_on_one_worker)->ArgsProduct({{4, 64, 1024}, {100'000}})->Unit(benchmark::kMillisecond);

void fork_join(benchmark::State& state) {
  const auto machine = sim::machine_model::free(static_cast<std::uint32_t>(state.range(0)));
  std::uint64_t tasks = 0;
  for (auto _ : state) {
    sim::fork_join_tree tree{{.depth = 18, .before_ns = 20, .after_ns = 20, .leaf_ns = 1000}};
    tasks += sim::simulate(machine, k_random, tree).tasks;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(tasks));
}
BENCHMARK(fork_join)->Arg(4)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace
