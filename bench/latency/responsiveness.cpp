// How soon a task starts that comes to an idle runtime, and what an idle runtime costs.
#include "program.hpp"

#include <filch/park/parker.hpp>
#include <filch/runtime/runtime.hpp>

#include <chrono>
#include <thread>

namespace filch_bench {
namespace {

using filch::monotonic_now_ns;
using filch::time_ns;

constexpr std::uint64_t k_warm_up = 100;

// Lets `start` begin something every millisecond, which stores into its argument how late it began. `finish` returns
// when the last one is done.
template <class Start, class Finish>
metrics once_per_ms(std::uint64_t count, const Start& start, const Finish& finish) {
  std::vector<time_ns> late_ns(count + k_warm_up);
  time_ns cpu_ns = 0;
  for (std::uint64_t i = 0; i != late_ns.size(); ++i) {
    if (i == k_warm_up) cpu_ns = process_cpu_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    start(late_ns[i]);
  }
  finish();
  cpu_ns = process_cpu_ns() - cpu_ns;
  late_ns.erase(late_ns.begin(), late_ns.begin() + k_warm_up);
  return {{"median_ns", quantile(late_ns, 0.5)},
          {"p99_ns", quantile(late_ns, 0.99)},
          {"cpu_ns", static_cast<double>(cpu_ns) / static_cast<double>(count)}};
}

// From a thread that is no worker to two workers that have nothing else to do, from just before the submission to the
// first instruction of the task.
metrics submit_to_start(const filch::policy::idle& idle, std::uint64_t count) {
  filch::runtime rt{{.workers = 2, .idle = idle}};
  const auto start = [&](time_ns& late) {
    const time_ns before_ns = monotonic_now_ns();
    (void)rt.submit([&late, before_ns] { late = monotonic_now_ns() - before_ns; });
  };
  return once_per_ms(count, start, [&] { rt.wait_idle(); });
}

// From a task that ends after its submission.
metrics spawn_to_start(std::uint64_t count) {
  filch::runtime rt{{.workers = 2}};
  const auto start = [&](time_ns& late) {
    rt.spawn([&rt, &late] {
      const time_ns before_ns = monotonic_now_ns();
      rt.spawn([&late, before_ns] { late = monotonic_now_ns() - before_ns; });
    });
  };
  return once_per_ms(count, start, [&] { rt.wait_idle(); });
}

// What no runtime can go below: one thread wakes another, and that is all.
metrics wake_to_start(std::uint64_t count) {
  filch::park::parker<> place;
  filch::park::parker<> finished;
  time_ns before_ns = 0;
  time_ns* late = nullptr;
  std::thread sleeper{[&] {
    while (place.park() == filch::park::park_outcome::notified && late != nullptr) {
      *late = monotonic_now_ns() - before_ns;
      finished.unpark();
    }
  }};
  finished.unpark();
  const auto start = [&](time_ns& target) {
    (void)finished.park();  // has happened long ago, unless the machine is busy
    late = &target;
    before_ns = monotonic_now_ns();
    place.unpark();
  };
  const metrics result = once_per_ms(count, start, [&] { (void)finished.park(); });
  late = nullptr;
  place.unpark();
  sleeper.join();
  return result;
}

// The CPU time that two workers use in so many seconds after their last task.
metrics idle_cost(const filch::policy::idle& idle, std::uint64_t seconds) {
  constexpr int k_tasks_before = 1000;
  filch::runtime rt{{.workers = 2, .idle = idle}};
  for (int i = 0; i != k_tasks_before; ++i) rt.spawn([] {});
  rt.wait_idle();
  const time_ns before_ns = process_cpu_ns();
  std::this_thread::sleep_for(std::chrono::seconds{seconds});
  return {{"cpu_ns", static_cast<double>(process_cpu_ns() - before_ns)}};
}

}  // namespace

void add_responsiveness(std::vector<measurement>& all) {
  using filch::policy::idle;
  const std::pair<std::string, const idle*> presets[] = {
      {"filch", &idle::balanced}, {"filch_eco", &idle::eco}, {"filch_latency", &idle::latency}};
  for (const auto& [name, preset] : presets) {
    all.push_back({"submit_to_start/" + name, [preset](std::uint64_t n) { return submit_to_start(*preset, n); }});
  }
  all.push_back({"submit_to_start/bare_futex", wake_to_start});
  all.push_back({"spawn_to_start/filch", spawn_to_start});
  for (const auto& [name, preset] : presets) {
    all.push_back({"idle/" + name, [preset](std::uint64_t seconds) { return idle_cost(*preset, seconds); }});
  }
}

}  // namespace filch_bench
