// filch validate.
#include <algorithm>
#include <cmath>
#include <filch/topology/usable_cpus.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "../option_reading.hpp"
#include "calibrate.hpp"
#include "commands.hpp"
#include "../output.hpp"
#include "validate.hpp"
#include "words.hpp"

namespace filch::tool {
namespace {

constexpr std::uint32_t k_standard_rounds = 7;
constexpr std::uint32_t k_least_rounds = 3;
constexpr std::uint32_t k_most_workers = 1024;
constexpr double k_quiet_share = 0.95;

std::vector<const validated_case*> read_cases(const std::vector<std::string>& names) {
  std::vector<const validated_case*> out;
  std::vector<std::string_view> known;
  for (const validated_case& each : validated_cases()) known.push_back(each.name);
  for (const std::string& name : names) {
    const auto found = std::ranges::find(validated_cases(), name, &validated_case::name);
    if (found == validated_cases().end()) throw bad_usage(policy::unknown_name("validate: kernel", name, known));
    out.push_back(&*found);
  }
  if (names.empty()) {
    for (const validated_case& each : validated_cases()) out.push_back(&each);
  }
  return out;
}

validation_options resolve(const validate_arguments& given) {
  const auto cpus = static_cast<std::uint32_t>(topology::usable_cpus().cpus.size());
  validation_options out{.cases = read_cases(given.kernels), .workers = {}, .is_quick = given.quick};
  if (given.workers) {
    out.workers = read_workers(*given.workers, "--workers", k_most_workers);
  } else {
    const std::set<std::uint32_t> standard{1, std::min(2u, cpus), cpus};
    out.workers.assign(standard.begin(), standard.end());
  }
  out.rounds = given.quick ? k_least_rounds : k_standard_rounds;
  read_number<std::uint32_t>(given.rounds, "--rounds", k_least_rounds, 1000, out.rounds);
  require_json_name(given.json);
  if (given.machine) out.machine = read_machine_name(*given.machine, "--machine");
  return out;
}

struct errors {
  std::size_t rows = 0;
  double median = 0;
  double worst = 0;
};

errors errors_of(const validation& found, bool is_memory_bound, std::uint32_t cpus) {
  std::vector<double> all;
  for (const validation_row& each : found.rows) {
    if (each.is_memory_bound == is_memory_bound && each.workers <= cpus) all.push_back(std::abs(each.error()));
  }
  if (all.empty()) return {};
  std::ranges::sort(all);
  const std::size_t half = all.size() / 2;
  return {all.size(), all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2, all.back()};
}

std::string percent(double part) { return fixed(100 * part, 1) + " %"; }

std::string table_of(const validation& found, bool is_memory_bound) {
  std::vector<std::string> head{"workload", "workers", "predicted", "measured", "quartiles", "error", "tasks", "span"};
  if (is_memory_bound) head.emplace_back("inflation");
  text_table table{head};
  for (const validation_row& each : found.rows) {
    if (each.is_memory_bound != is_memory_bound) continue;
    std::vector<std::string> row{each.workload,
                                 std::to_string(each.workers),
                                 duration_text(each.predicted_s),
                                 duration_text(each.measured_s),
                                 duration_text(each.measured_low_s) + " – " + duration_text(each.measured_high_s),
                                 percent(each.error()),
                                 std::to_string(each.tasks),
                                 duration_text(each.span_s)};
    if (is_memory_bound) row.push_back(fixed(each.inflation, 2));
    table.add(std::move(row));
  }
  return table.text();
}

std::string summary_of(const errors& of, const char* what) {
  if (of.rows == 0) return "";
  return std::string{what} + ": median error " + percent(of.median) + ", worst " + percent(of.worst) + " over " +
         count_text(of.rows, "row") + " with no more workers than CPUs\n";
}

nlohmann::ordered_json json_of(const validation_options& how, const validation& found, std::uint32_t cpus) {
  nlohmann::ordered_json out{{"written_by", "filch " FILCH_VERSION},
                             {"rounds", how.rounds},
                             {"cpus", cpus},
                             {"cpu_share", found.cpu_share},
                             {"is_busy", found.cpu_share < k_quiet_share},
                             {"is_quick", how.is_quick},
                             {"machine", how.machine.title.empty() ? how.machine.name : how.machine.title}};
  for (const bool is_memory_bound : {false, true}) {
    const errors of = errors_of(found, is_memory_bound, cpus);
    out[is_memory_bound ? "memory" : "compute"] = {
        {"rows", of.rows}, {"median_error", of.median}, {"worst_error", of.worst}};
  }
  out["rows"] = nlohmann::ordered_json::array();
  for (const validation_row& each : found.rows) {
    out["rows"].push_back({{"workload", each.workload},
                           {"kind", each.is_memory_bound ? "memory" : "compute"},
                           {"workers", each.workers},
                           {"predicted_s", each.predicted_s},
                           {"measured_s", each.measured_s},
                           {"measured_low_s", each.measured_low_s},
                           {"measured_high_s", each.measured_high_s},
                           {"error", each.error()},
                           {"inflation", each.inflation},
                           {"tasks", each.tasks},
                           {"span_s", each.span_s}});
  }
  return out;
}

}  // namespace

void validate_command(const validate_arguments& given) {
  validation_options how = resolve(given);
  const auto cpus = static_cast<std::uint32_t>(topology::usable_cpus().cpus.size());
  if (!given.machine) how.machine = calibrate(k_standard_rounds, [](const std::string&) {}).machine;
  const validation found = validate(how, [](const std::string&) {});
  std::string wrote;
  if (!given.json.empty()) {
    wrote = write_json(json_text(json_of(how, found, cpus)) + "\n", given.json.front());
    if (given.json.front().empty()) return;
  }
  const auto has = [&](bool is_memory_bound) {
    return std::ranges::any_of(found.rows, [=](const auto& each) { return each.is_memory_bound == is_memory_bound; });
  };
  std::cout << "Recorded with 1 worker, predicted, and measured: medians of " << count_text(how.rounds, "round")
            << " on " << count_text(cpus, "CPU")
            << "; machine: " << (how.machine.title.empty() ? how.machine.name : how.machine.title) << "\n";
  if (has(false)) std::cout << "\nBound by computing\n" << table_of(found, false);
  if (has(true))
    std::cout << "\nBound by memory; the measured inflation of work is an input\n" << table_of(found, true);
  std::cout << "\n"
            << summary_of(errors_of(found, false, cpus), "Computing")
            << summary_of(errors_of(found, true, cpus), "Memory");
  if (found.cpu_share < k_quiet_share) {
    std::cout << "Warning: this machine is busy. A worker had its CPU for only " << percent(found.cpu_share)
              << " of its time; the measured times, and the errors with them, say little.\n";
  }
  std::cout << wrote;
}

}  // namespace filch::tool
