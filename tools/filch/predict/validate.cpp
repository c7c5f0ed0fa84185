#include "validate.hpp"

#include <time.h>

#include <algorithm>
#include <filch/runtime/runtime.hpp>
#include <filch/trace/session.hpp>

#include "../errors.hpp"
#include "../kernel.hpp"
#include "../text.hpp"
#include "forecast.hpp"
#include "quantile.hpp"

namespace filch::tool {
namespace {

constexpr validated_case k_cases[] = {
    {"fib", "fib", "", 37, 27, false},
    {"nqueens", "nqueens", "", 12, 8, false},
    {"uts-T1", "uts", "T1", 0, 6, false},
    {"uts-T3", "uts", "T3", 0, 100, false, std::size_t{1} << 20},
    {"mergesort", "mergesort", "", 2'000'000, 100'000, false},
    {"matmul", "matmul", "", 768, 128, false},
    {"mandelbrot", "mandelbrot", "", 400, 60, false},
    {"tree-sum", "tree-sum", "", 4'000'000, 200'000, true},
};

// A forecast for a few workers from one recording with heartbeats of 50 µs is small; these seeds make its mean steady.
constexpr std::uint32_t k_seeds = 5;

time_ns process_cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<time_ns>(now.tv_sec) * k_ns_per_s + static_cast<time_ns>(now.tv_nsec);
}

struct one_run {
  time_ns wall_ns = 0;
  time_ns cpu_ns = 0;
  trace::recording recording;
};

// The runtime's threads are there before the time begins.
one_run run_once(const kernel& what, std::uint32_t workers, std::size_t ring_events, bool is_recorded,
                 std::uint64_t expected) {
  trace::session session{{.workers = workers,
                          .ring_events = ring_events,
                          .about = {.source = "threads", .version = FILCH_VERSION},
                          .forks = trace::fork_detail::beat}};
  one_run out;
  if (what.prepare) what.prepare();
  filch::options chosen{.workers = workers};
  if (is_recorded) chosen.trace = &session;
  runtime rt{chosen};
  (void)rt.submit([] {}).get();
  if (is_recorded) session.start();
  const time_ns cpu_ns = process_cpu_ns();
  const time_ns began_ns = monotonic_now_ns();
  const std::uint64_t returned = rt.submit([&what] { return what.parallel(); }, {.name = "kernel"}).get();
  out.wall_ns = std::max<time_ns>(1, monotonic_now_ns() - began_ns);
  out.cpu_ns = process_cpu_ns() - cpu_ns;
  rt.wait_idle();
  if (is_recorded) {
    session.stop();
    out.recording = session.collect();
  }
  const std::uint64_t result = what.result ? what.result() : returned;
  if (result != expected) {
    throw failure(what.title + " gives " + std::to_string(result) + " on the runtime instead of " +
                  std::to_string(expected) + ", as the serial code says");
  }
  return out;
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

// What the rounds of one kernel at one number of workers gave.
struct row_rounds {
  std::vector<double> predicted_s;
  std::vector<double> measured_s;
  std::vector<double> inflation;
};

class validator {
 public:
  validator(const validation_options& how, const std::function<void(const std::string&)>& say) : how_{how}, say_{say} {}

  validation run() {
    for (const validated_case* each : how_.cases) validate_case(*each);
    out_.cpu_share = shares_.empty() ? 1 : median(shares_);
    return std::move(out_);
  }

 private:
  void validate_case(const validated_case& of) {
    const kernel what = make_kernel(of.kernel, how_.is_quick ? of.quick_size : of.size, std::string{of.tree});
    if (what.prepare) what.prepare();
    const std::uint64_t returned = what.serial();
    const std::uint64_t expected = what.result ? what.result() : returned;
    std::vector<row_rounds> rounds(how_.workers.size());
    std::vector<double> tasks;
    std::vector<double> span_s;
    for (std::uint32_t round = 0; round != how_.rounds; ++round) {
      say_(std::string{of.name} + ", round " + std::to_string(round + 1) + " of " + std::to_string(how_.rounds));
      const one_run recorded = run_once(what, 1, of.ring_events, true, expected);
      const sim::recorded_tasks alone = sim::recorded_tasks::from(recorded.recording);
      if (alone.gaps != 0) {
        throw failure(std::string{of.name} + ": the recording lost " + std::to_string(alone.gaps) + " events");
      }
      for (std::size_t i = 0; i != how_.workers.size(); ++i) {
        const std::uint32_t workers = how_.workers[i];
        double inflation = 1;
        if (of.is_memory_bound && workers > 1) {
          const one_run together = run_once(what, workers, of.ring_events, true, expected);
          inflation = static_cast<double>(sim::recorded_tasks::from(together.recording).work_ns()) /
                      static_cast<double>(alone.work_ns());
        }
        const one_run measured = run_once(what, workers, of.ring_events, false, expected);
        if (workers == 1)
          shares_.push_back(static_cast<double>(measured.cpu_ns) / static_cast<double>(measured.wall_ns));
        rounds[i].measured_s.push_back(static_cast<double>(measured.wall_ns) * 1e-9);
        rounds[i].inflation.push_back(inflation);
        rounds[i].predicted_s.push_back(predict_s(recorded.recording, alone, workers, inflation));
      }
      tasks.push_back(static_cast<double>(alone.size()));
      span_s.push_back(static_cast<double>(alone.span_ns()) * 1e-9);
    }
    for (std::size_t i = 0; i != how_.workers.size(); ++i) {
      out_.rows.push_back({.workload = std::string{of.name},
                           .is_memory_bound = of.is_memory_bound,
                           .workers = how_.workers[i],
                           .predicted_s = median(rounds[i].predicted_s),
                           .measured_s = median(rounds[i].measured_s),
                           .measured_low_s = quantile(rounds[i].measured_s, 0.25),
                           .measured_high_s = quantile(rounds[i].measured_s, 0.75),
                           .inflation = median(rounds[i].inflation),
                           .tasks = static_cast<std::uint64_t>(median(tasks)),
                           .span_s = median(span_s)});
    }
  }

  [[nodiscard]] double predict_s(const trace::recording& from, const sim::recorded_tasks& tasks, std::uint32_t workers,
                                 double inflation) const {
    forecast_options how{.workers = {workers}, .machine = how_.machine, .policy = filch::options{}.search()};
    how.seeds = k_seeds;
    how.between_tasks_ns = look_at(from).between_tasks_ns;
    if (inflation != 1) how.inflation = {{workers, inflation}};
    return forecast_of(tasks, how).points.front().mean_ns * 1e-9;
  }

  const validation_options& how_;
  const std::function<void(const std::string&)>& say_;
  validation out_;
  std::vector<double> shares_;
};

}  // namespace

std::span<const validated_case> validated_cases() { return k_cases; }

validation validate(const validation_options& how, const std::function<void(const std::string&)>& say) {
  return validator{how, say}.run();
}

}  // namespace filch::tool
