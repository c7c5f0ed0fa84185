// A fault to be found: a worker without work looks at one of the others at random, and then not again for a long time.
//
// filch's threads do not do that, whatever the policy: before a worker sleeps it makes sure that there is nothing to
// run. So this run is simulated, with workers that look again only when their wait is over. Its recording goes where
// FILCH_TRACE says.
#include <cstdio>
#include <cstdlib>
#include <filch/filch.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/trace/binary.hpp>
#include <fstream>
#include <utility>

// One task makes a hundred others.
class hundred_tiles final : public filch::sim::workload {
 public:
  bool next_arrival(filch::sim::arrival& out) override {
    out = {};
    return !std::exchange(has_come_, true);
  }
  filch::sim::next_step resume(filch::sim::task& self, filch::sim::task_context& with) override {
    if (self.words[0] == 1)
      return self.stage == 0 ? filch::sim::next_step::work(k_tile_ns) : filch::sim::next_step::end();
    if (self.stage != 0) return filch::sim::next_step::end();
    for (int i = 0; i != 100; ++i) with.spawn(1);
    return filch::sim::next_step::join();
  }

 private:
  static constexpr filch::time_ns k_tile_ns = 2 * filch::k_ns_per_ms;
  bool has_come_ = false;
};

int main() {
  constexpr filch::time_ns nap_ns = 100 * filch::k_ns_per_ms;
  const filch::policy::search_options policy{
      .victims = filch::victims::random_probe,
      .idle = {.attempts_per_cycle = 1, .initial_ns = nap_ns, .cap_ns = nap_ns, .cycles = filch::idle::k_forever}};
  hundred_tiles load;
  filch::trace::recording seen;
  const auto result =
      filch::sim::simulate(filch::sim::machine_model::free(8), policy, load, {.deaf_waits = true, .record = &seen});
  seen.about.policy = describe(policy);
  std::printf("%llu tasks of 2 ms on 8 workers: %lld ms\n", static_cast<unsigned long long>(result.tasks),
              static_cast<long long>(result.makespan_ns / filch::k_ns_per_ms));
  const char* const file = std::getenv("FILCH_TRACE");
  if (file == nullptr) return 0;
  std::ofstream out{file, std::ios::binary};
  if (const auto problem = filch::trace::write_binary(seen, out)) {
    std::fprintf(stderr, "%s: %s\n", file, problem->c_str());
    return 1;
  }
}
