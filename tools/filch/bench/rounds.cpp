#include "rounds.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "text.hpp"

namespace filch::tool {
namespace {

// A run that is shared by all rows that need it: the same program, size and threads.
using job_key = std::tuple<const bench_program*, std::string, std::uint64_t, std::uint32_t>;

struct measured_job {
  std::optional<double> ns{};  // none: too slow, or it failed
  std::string problem{};
  double cpu_ns = 0;
  double bytes = 0;
  std::string checksum{};

  // What of it counts for this kind, per operation.
  [[nodiscard]] double value(const measurement_kind& kind, std::uint64_t size) const {
    const double whole = kind.metric == bench_metric::time ? *ns : kind.metric == bench_metric::memory ? bytes : cpu_ns;
    return whole / static_cast<double>(kind.operations == nullptr ? size : kind.operations(size));
  }
};

// Null: there is none.
const bench_program* serial_of(const std::vector<bench_program>& programs, const bench_program& whose) {
  if (whose.has_serial || whose.runtime == k_serial_runtime) return &whose;
  for (const bench_program& each : programs) {
    if (each.runtime == k_serial_runtime && each.compiler == whose.compiler) return &each;
  }
  return nullptr;
}

// filch by the same compiler, or the first there is.
const bench_program* own_of(const std::vector<bench_program>& programs, const bench_program& whose) {
  const bench_program* first = nullptr;
  for (const bench_program& each : programs) {
    if (each.runtime != k_own_runtime) continue;
    if (each.compiler == whose.compiler) return &each;
    if (first == nullptr) first = &each;
  }
  return first;
}

class measuring {
 public:
  measuring(const std::vector<bench_program>& programs, const bench_plan& plan, const bench_progress& tell)
      : programs_{programs}, plan_{plan}, tell_{tell} {
    for (const measurement_kind& kind : plan.kinds) {
      for (const bench_program& program : programs) {
        if (!program.has(kind.workload)) continue;
        for (const std::uint32_t threads : plan.threads) {
          if (program.runtime == k_serial_runtime && !has_copies(threads)) continue;
          rows_.push_back({.kind = kind, .program = &program, .threads = threads, .size = size_of(kind, program)});
        }
      }
    }
  }

  measured_rounds run() && {
    std::uint32_t done = 0;
    try {
      for (; done != plan_.rounds; ++done) run_round(done);
    } catch (const asked_to_end&) {
      return {.rows = std::move(rows_), .rounds_done = done, .ended_in = running_};
    }
    return {.rows = std::move(rows_), .rounds_done = done};
  }

 private:
  // Each copy has data of its own.
  [[nodiscard]] bool has_copies(std::uint32_t threads) const {
    constexpr std::uint32_t k_most = 16;  // guess: then they need 4 GB
    return threads > 1 && threads <= k_most && !plan_.is_async && plan_.clock == bench_clock::wall;
  }
  [[nodiscard]] std::uint64_t size_of(const measurement_kind& kind, const bench_program& program) const {
    if (plan_.is_quick) return kind.quick_size;
    return takes_small_sizes(program.runtime) ? kind.small_size : kind.size;
  }

  void run_round(std::uint32_t round) {
    done_.clear();
    for (std::size_t from = 0; from != rows_.size();) {
      std::size_t to = from;
      while (to != rows_.size() && rows_[to].kind.name == rows_[from].kind.name) ++to;
      run_kind(from, to, round);
      tell_.keep(rows_, round);
      from = to;
    }
  }

  // One round of the rows [from, to) of one kind.
  void run_kind(std::size_t from, std::size_t to, std::uint32_t round) {
    const std::size_t count = to - from;
    for (std::size_t i = 0; i != count; ++i) {
      const std::size_t place = (i + round) % count;
      bench_row& row = rows_[from + (round % 2 == 0 ? place : count - 1 - place)];
      if (row.is_too_slow || !row.problem.empty()) continue;
      if (plan_.is_async)
        run_shape(row, round);
      else
        run_beside_serial(row, round);
    }
    for (std::size_t i = from; i != to; ++i) {
      if (plan_.is_async)
        compare_shapes(rows_[i], round);
      else
        compare_with_own(rows_[i]);
    }
  }

  void run_beside_serial(bench_row& row, std::uint32_t round) {
    const bench_program* const whose = serial_of(programs_, *row.program);
    if (whose == nullptr) {
      row.problem =
          "there is no serial code by " + row.program->compiler + ": build the target filch_workloads with it";
      return;
    }
    const measured_job& serial = get(row.kind, *whose, row.size, 0, round);
    if (!serial.problem.empty()) {
      row.problem = "its serial code " + serial.problem;
      return;
    }
    const measured_job& own = get(row.kind, *row.program, row.size, row.threads, round);
    row.problem = own.problem;
    row.is_too_slow = own.problem.empty() && (!serial.ns || !own.ns);
    if (row.is_too_slow || !row.problem.empty()) return;
    if (own.checksum != serial.checksum) {
      row.problem = "computes " + own.checksum + ", the serial code " + serial.checksum;
      return;
    }
    row.ns.push_back(*own.ns);
    row.ratios.push_back(*own.ns / *serial.ns);
  }

  void run_shape(bench_row& row, std::uint32_t round) {
    const measured_job& done = get(row.kind, *row.program, row.size, row.threads, round);
    row.problem = done.problem;
    row.is_too_slow = done.problem.empty() && !done.ns;
    if (row.is_too_slow || !row.problem.empty()) return;
    const std::string expected = std::to_string(row.kind.checksum(row.size));
    if (done.checksum != expected) {
      row.problem = "computes " + done.checksum + ", right is " + expected;
      return;
    }
    if (row.kind.metric == bench_metric::memory && done.bytes == 0) {
      row.problem = "does not say how much memory it held";
      return;
    }
    row.ns.push_back(done.value(row.kind, row.size));
  }

  // The peer's row has the same number of values as filch's: both are measured in every round, or not at all.
  void compare_shapes(bench_row& row, std::uint32_t round) {
    const bench_program* const own = own_of(programs_, *row.program);
    if (!row.is_measured() || own == nullptr || row.ns.size() != round + 1) return;
    const auto same = [&](const bench_row& each) {
      return each.program == own && each.kind.name == row.kind.name && each.threads == row.threads;
    };
    const auto at = std::ranges::find_if(rows_, same);
    if (at == rows_.end() || !at->is_measured()) return;
    row.ratios.push_back(at->ns.back() / row.ns.back());
  }

  void compare_with_own(bench_row& row) {
    const bench_program* const own = own_of(programs_, *row.program);
    const auto at = done_.find(job_key{own, row.kind.workload, row.size, row.threads});
    if (!row.is_measured() || own == row.program || at == done_.end() || !at->second.ns) return;
    row.to_own.push_back(row.ns.back() / *at->second.ns);
  }

  const measured_job& get(const measurement_kind& kind, const bench_program& program, std::uint64_t size,
                          std::uint32_t threads, std::uint32_t round) {
    const job_key key{&program, kind.workload, size, threads};
    if (const auto at = done_.find(key); at != done_.end()) return at->second;
    running_ = "round "s + std::to_string(round + 1) + " of " + std::to_string(plan_.rounds) + ": " +
               std::string{kind.name} + ", " + program.runtime +
               (threads == 0 ? ", serial" : ", "s + count_text(threads, "thread"));
    tell_.say(running_);
    job_outcome outcome = run_job({&program, std::string{kind.workload}, size, threads},
                                  kind.repetitions == 0 ? plan_.repetitions : kind.repetitions, plan_.limit_s);
    measured_job made{.problem = std::move(outcome.problem)};
    std::vector<double> ns;
    std::vector<double> cpu_ns;
    for (const bench_sample& each : outcome.samples) {
      cpu_ns.push_back(static_cast<double>(each.cpu_ns));
      made.bytes = std::max(made.bytes, static_cast<double>(each.bytes));
      ns.push_back(std::max(1.0, static_cast<double>(plan_.clock == bench_clock::cpu ? each.cpu_ns : each.ns)));
      made.checksum = each.checksum;
    }
    if (!ns.empty()) made.ns = median(std::move(ns));
    if (!cpu_ns.empty()) made.cpu_ns = median(std::move(cpu_ns));
    return done_.emplace(key, std::move(made)).first->second;
  }

  const std::vector<bench_program>& programs_;
  const bench_plan& plan_;
  const bench_progress& tell_;
  std::string running_;
  std::vector<bench_row> rows_;
  std::map<job_key, measured_job> done_;  // of this round
};

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

measured_rounds measure_rounds(const std::vector<bench_program>& programs, const bench_plan& plan,
                               const bench_progress& tell) {
  return measuring{programs, plan, tell}.run();
}

}  // namespace filch::tool
