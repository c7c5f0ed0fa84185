#include "rounds.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "errors.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

// A run that is shared by all rows that need it: the same program, size and threads.
using job_key = std::tuple<const bench_program*, std::string, std::uint64_t, std::uint32_t>;

struct measured_job {
  std::optional<double> ns;  // none: too slow
  double cpu_ns = 0;
  double bytes = 0;
  std::string checksum;

  // What of it counts for this kind, per operation.
  [[nodiscard]] double value(const measurement_kind& kind, std::uint64_t size) const {
    const double whole = kind.metric == bench_metric::time ? *ns : kind.metric == bench_metric::memory ? bytes : cpu_ns;
    return whole / static_cast<double>(kind.operations == nullptr ? size : kind.operations(size));
  }
};

const bench_program* serial_of(const std::vector<bench_program>& programs, const bench_program& whose) {
  if (whose.has_serial || whose.runtime == k_serial_runtime) return &whose;
  for (const bench_program& each : programs) {
    if (each.runtime == k_serial_runtime && each.compiler == whose.compiler) return &each;
  }
  throw failure("there is no serial code by "s + whose.compiler + ", with which " + whose.runtime +
                " could be compared: build the target filch_workloads with it");
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
  measuring(const std::vector<bench_program>& programs, const bench_plan& plan,
            const std::function<void(const std::string&)>& say)
      : programs_{programs}, plan_{plan}, say_{say} {
    for (const measurement_kind& kind : plan.kinds) {
      for (const bench_program& program : programs) {
        if (program.runtime == k_serial_runtime || !program.has(kind.workload)) continue;
        for (const std::uint32_t threads : plan.threads) {
          rows_.push_back({.kind = kind, .program = &program, .threads = threads, .size = size_of(kind, program)});
        }
      }
    }
  }

  std::vector<bench_row> run() && {
    for (std::uint32_t round = 0; round != plan_.rounds; ++round) {
      done_.clear();
      for (std::size_t from = 0; from != rows_.size();) {
        std::size_t to = from;
        while (to != rows_.size() && rows_[to].kind.name == rows_[from].kind.name) ++to;
        run_kind(from, to, round);
        from = to;
      }
    }
    return std::move(rows_);
  }

 private:
  [[nodiscard]] std::uint64_t size_of(const measurement_kind& kind, const bench_program& program) const {
    if (plan_.is_quick) return kind.quick_size;
    return takes_small_sizes(program.runtime) ? kind.small_size : kind.size;
  }

  // One round of the rows [from, to) of one kind.
  void run_kind(std::size_t from, std::size_t to, std::uint32_t round) {
    const std::size_t count = to - from;
    for (std::size_t i = 0; i != count; ++i) {
      const std::size_t place = (i + round) % count;
      bench_row& row = rows_[from + (round % 2 == 0 ? place : count - 1 - place)];
      if (row.is_too_slow) continue;
      if (plan_.is_async) {
        run_shape(row, round);
        continue;
      }
      const measured_job& serial = get(row.kind, *serial_of(programs_, *row.program), row.size, 0, round);
      const measured_job& own = get(row.kind, *row.program, row.size, row.threads, round);
      if (!serial.ns || !own.ns) {
        row.is_too_slow = true;
        continue;
      }
      if (own.checksum != serial.checksum) {
        throw failure(std::string{row.kind.name} + ": " + row.program->runtime + " computes " + own.checksum +
                      " with " + count_text(row.threads, "thread") + ", the serial code " + serial.checksum);
      }
      row.ns.push_back(*own.ns);
      row.ratios.push_back(*own.ns / *serial.ns);
    }
    for (std::size_t i = from; i != to; ++i) {
      if (plan_.is_async) compare_shapes(rows_[i], round);
      else compare_with_own(rows_[i]);
    }
  }

  void run_shape(bench_row& row, std::uint32_t round) {
    const measured_job& done = get(row.kind, *row.program, row.size, row.threads, round);
    if (!done.ns) {
      row.is_too_slow = true;
      return;
    }
    const std::string expected = std::to_string(row.kind.checksum(row.size));
    if (done.checksum != expected) {
      throw failure(std::string{row.kind.name} + ": " + row.program->runtime + " computes " + done.checksum + " with " +
                    count_text(row.threads, "thread") + ", right is " + expected);
    }
    row.ns.push_back(done.value(row.kind, row.size));
  }

  // The peer's row has the same number of values as filch's: both are measured in every round, or too slow.
  void compare_shapes(bench_row& row, std::uint32_t round) {
    const bench_program* const own = own_of(programs_, *row.program);
    if (row.is_too_slow || own == nullptr || row.ns.size() != round + 1) return;
    const auto same = [&](const bench_row& each) {
      return each.program == own && each.kind.name == row.kind.name && each.threads == row.threads;
    };
    const auto at = std::ranges::find_if(rows_, same);
    if (at == rows_.end() || at->is_too_slow) return;
    row.ratios.push_back(at->ns.back() / row.ns.back());
  }

  void compare_with_own(bench_row& row) {
    const bench_program* const own = own_of(programs_, *row.program);
    const auto at = done_.find(job_key{own, row.kind.workload, row.size, row.threads});
    if (row.is_too_slow || own == row.program || at == done_.end() || !at->second.ns) return;
    row.to_own.push_back(row.ns.back() / *at->second.ns);
  }

  const measured_job& get(const measurement_kind& kind, const bench_program& program, std::uint64_t size,
                          std::uint32_t threads, std::uint32_t round) {
    const job_key key{&program, kind.workload, size, threads};
    if (const auto at = done_.find(key); at != done_.end()) return at->second;
    say_("round "s + std::to_string(round + 1) + " of " + std::to_string(plan_.rounds) + ": " + std::string{kind.name} +
         ", " + program.runtime + (threads == 0 ? ", serial" : ", "s + count_text(threads, "thread")));
    const auto samples = run_job({&program, std::string{kind.workload}, size, threads},
                                 kind.repetitions == 0 ? plan_.repetitions : kind.repetitions, plan_.limit_s);
    measured_job made;
    std::vector<double> ns;
    std::vector<double> cpu_ns;
    for (const bench_sample& each : samples) {
      cpu_ns.push_back(static_cast<double>(each.cpu_ns));
      made.bytes = std::max(made.bytes, static_cast<double>(each.bytes));
      ns.push_back(std::max(1.0, static_cast<double>(plan_.clock == bench_clock::cpu ? each.cpu_ns : each.ns)));
      if (!made.checksum.empty() && made.checksum != each.checksum) {
        throw failure(std::string{kind.name} + ": " + program.runtime + " computes " + made.checksum + " and " +
                      each.checksum + " in two repetitions");
      }
      made.checksum = each.checksum;
    }
    if (!ns.empty()) made.ns = median(std::move(ns));
    if (!cpu_ns.empty()) made.cpu_ns = median(std::move(cpu_ns));
    return done_.emplace(key, std::move(made)).first->second;
  }

  const std::vector<bench_program>& programs_;
  const bench_plan& plan_;
  const std::function<void(const std::string&)>& say_;
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

std::vector<bench_row> measure_rounds(const std::vector<bench_program>& programs, const bench_plan& plan,
                                      const std::function<void(const std::string&)>& say) {
  return measuring{programs, plan, say}.run();
}

}  // namespace filch::tool
