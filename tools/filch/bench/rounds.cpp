#include "rounds.hpp"

#include <algorithm>
#include <filch/base/units.hpp>
#include <map>
#include <optional>

#include "conditions.hpp"
#include "medians.hpp"
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
  double least_ns = 0;  // in turns: of all rounds until now
  bool is_disturbed = false;

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

std::string job_text(const measurement_kind& kind, const bench_program& program, std::uint32_t threads) {
  return std::string{kind.name} + ", " + program.runtime +
         (threads == 0 ? ", serial" : ", "s + count_text(threads, "thread"));
}

// The rows [from, to) of one kind.
struct kind_rows {
  std::size_t from;
  std::size_t to;
  bool is_in_turns;
};

// In turns there are more rounds while those of one measurement took less. guess
constexpr time_ns k_more_rounds_ns = 10 * k_ns_per_s;
// A turn is disturbed if the host took more of all CPUs' time. Linux counts it in ticks of 10 ms: one is too much for a
// turn of less than 250 ms on two CPUs, and none is always little enough. guess
constexpr double k_disturbing_share = 0.02;

class measuring {
 public:
  measuring(const std::vector<bench_program>& programs, const bench_plan& plan, const bench_progress& progress)
      : programs_{programs}, plan_{plan}, progress_{progress} {
    for (const measurement_kind& kind : plan.kinds) {
      const std::size_t from = rows_.size();
      for (const bench_program& program : programs) {
        if (!program.has(kind.workload)) continue;
        for (const std::uint32_t threads : plan.threads) {
          if (program.runtime == k_serial_runtime && !has_copies(threads)) continue;
          rows_.push_back({.kind = kind, .program = &program, .threads = threads, .size = size_of(kind, program)});
        }
      }
      const auto takes_turns = [this](const bench_row& row) { return both_take_turns(row); };
      const bool all_do = std::all_of(rows_.begin() + static_cast<std::ptrdiff_t>(from), rows_.end(), takes_turns);
      if (from != rows_.size()) kinds_.push_back({from, rows_.size(), all_do});
    }
  }

  measured_rounds run() && {
    std::string ended_in;
    try {
      for (const kind_rows& each : kinds_) {
        if (each.is_in_turns) run_in_turns(each);
      }
      run_processes();
    } catch (const asked_to_end&) {
      ended_in = running_;
    }
    return {.rows = std::move(rows_), .rounds_done = rounds_done_.value_or(0), .ended_in = std::move(ended_in)};
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

  // The row's program and its serial code.
  [[nodiscard]] bool both_take_turns(const bench_row& row) const {
    const bench_program* const serial = serial_of(programs_, *row.program);
    return !plan_.is_async && row.program->takes_turns && (serial == nullptr || serial->takes_turns);
  }

  // All rounds of one kind.
  void run_in_turns(const kind_rows& kind) {
    for (std::size_t i = kind.from; i != kind.to; ++i) {
      if (const bench_program* const serial = serial_of(programs_, *rows_[i].program)) start(rows_[i], *serial, 0);
      start(rows_[i], *rows_[i].program, rows_[i].threads);
    }
    const time_ns began_ns = monotonic_now_ns();
    std::uint32_t round = 0;
    const auto run_round = [&] {
      done_.clear();
      run_kind(kind.from, kind.to, round++);
    };
    while (round < plan_.rounds || (round < plan_.most_rounds && monotonic_now_ns() - began_ns < k_more_rounds_ns)) {
      run_round();
    }
    const std::uint32_t wanted = round;
    while (round < 2 * wanted && is_short_of_undisturbed(kind, wanted)) run_round();
    takers_.clear();
    least_ns_.clear();
    rounds_done_ = std::min(round, rounds_done_.value_or(round));
    progress_.keep(rows_, *rounds_done_);
  }

  // Has a row with fewer than the wanted undisturbed ratios.
  [[nodiscard]] bool is_short_of_undisturbed(const kind_rows& kind, std::uint32_t wanted) const {
    const auto is_short = [wanted](const bench_row& row) {
      return row.is_measured() && std::ranges::count(row.is_disturbed, false) < wanted;
    };
    return std::any_of(rows_.begin() + static_cast<std::ptrdiff_t>(kind.from),
                       rows_.begin() + static_cast<std::ptrdiff_t>(kind.to), is_short);
  }

  void start(const bench_row& row, const bench_program& program, std::uint32_t threads) {
    const job_key key{&program, row.kind.workload, row.size, threads};
    if (takers_.contains(key)) return;
    running_ = "the start of " + job_text(row.kind, program, threads);
    progress_.say(running_);
    takers_.try_emplace(key, bench_job{&program, std::string{row.kind.workload}, row.size, threads}, plan_.limit_s);
  }

  // All rounds of the other kinds.
  void run_processes() {
    if (std::ranges::all_of(kinds_, &kind_rows::is_in_turns)) return;
    const std::uint32_t most = rounds_done_.value_or(plan_.rounds);
    rounds_done_ = 0;
    for (std::uint32_t round = 0; round != plan_.rounds; ++round) {
      done_.clear();
      for (const kind_rows& each : kinds_) {
        if (each.is_in_turns) continue;
        run_kind(each.from, each.to, round);
        progress_.keep(rows_, *rounds_done_);
      }
      rounds_done_ = std::min(round + 1, most);
    }
  }

  // One round of the rows [from, to) of one kind.
  void run_kind(std::size_t from, std::size_t to, std::uint32_t round) {
    const std::size_t count = to - from;
    for (std::size_t i = 0; i != count; ++i) {
      const std::size_t place = (i + round) % count;
      bench_row& row = rows_[from + (round % 2 == 0 ? place : count - 1 - place)];
      if (row.is_too_slow || !row.problem.empty()) continue;
      if (plan_.is_async) run_shape(row, round);
      else run_beside_serial(row, round);
      if (row.is_too_slow || !row.problem.empty()) {
        takers_.erase(job_key{row.program, row.kind.workload, row.size, row.threads});
      }
    }
    for (std::size_t i = from; i != to; ++i) {
      if (plan_.is_async) compare_shapes(rows_[i], round);
      else compare_with_own(rows_[i]);
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
    if (takers_.empty()) return;
    row.is_disturbed.push_back(own.is_disturbed || serial.is_disturbed);
    row.least_ratio = own.least_ns / serial.least_ns;
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
    const auto taker = takers_.find(key);
    const bool is_in_turns = taker != takers_.end();
    running_ = "round "s + std::to_string(round + 1) + (is_in_turns ? "" : " of " + std::to_string(plan_.rounds)) +
               ": " + job_text(kind, program, threads);
    // In turns once in a round: a terminal that draws it takes time from the running program.
    if (!is_in_turns || done_.empty()) progress_.say(running_);
    const std::uint32_t repetitions = kind.repetitions == 0 ? plan_.repetitions : kind.repetitions;
    const std::optional<host_watch> host = is_in_turns ? std::optional<host_watch>{std::in_place} : std::nullopt;
    const job_outcome outcome =
        is_in_turns ? taker->second.take_turn()
                    : run_job({&program, std::string{kind.workload}, size, threads}, repetitions, plan_.limit_s);
    measured_job made{.problem = outcome.problem, .is_disturbed = host && host->share() > k_disturbing_share};
    std::vector<double> ns;
    std::vector<double> cpu_ns;
    for (const bench_sample& each : outcome.samples) {
      cpu_ns.push_back(static_cast<double>(each.cpu_ns));
      made.bytes = std::max(made.bytes, static_cast<double>(each.bytes));
      ns.push_back(std::max(1.0, static_cast<double>(plan_.clock == bench_clock::cpu ? each.cpu_ns : each.ns)));
      made.checksum = each.checksum;
    }
    if (!ns.empty()) made.ns = median(std::move(ns));
    if (is_in_turns && made.ns) {
      double& least_ns = least_ns_.try_emplace(key, *made.ns).first->second;
      least_ns = std::min(least_ns, *made.ns);
      made.least_ns = least_ns;
    }
    if (!cpu_ns.empty()) made.cpu_ns = median(std::move(cpu_ns));
    return done_.emplace(key, std::move(made)).first->second;
  }

  const std::vector<bench_program>& programs_;
  const bench_plan& plan_;
  const bench_progress& progress_;
  std::string running_;
  std::vector<bench_row> rows_;
  std::vector<kind_rows> kinds_;
  std::optional<std::uint32_t> rounds_done_;  // of each kind that is over; none: none is
  std::map<job_key, measured_job> done_;      // of this round
  // Of the kind that is measured in turns.
  std::map<job_key, turn_taker> takers_;
  std::map<job_key, double> least_ns_;
};

}  // namespace

measured_rounds measure_rounds(const std::vector<bench_program>& programs, const bench_plan& plan,
                               const bench_progress& progress) {
  return measuring{programs, plan, progress}.run();
}

}  // namespace filch::tool
