// filch calibrate.
#include <iostream>
#include <output_file.hpp>
#include <nlohmann/json.hpp>

#include "../option_reading.hpp"
#include "calibrate.hpp"
#include "commands.hpp"
#include "../output.hpp"

namespace filch::tool {
namespace {

constexpr std::uint32_t k_least_rounds = 7;
constexpr std::uint32_t k_most_rounds = 1000;

std::string figure_text(const measured_cost& of, double value) {
  return fixed(value, value < 100 ? 1 : 0) + (of.unit == "%" ? " %" : "");
}

std::string table_of(const calibration& found) {
  text_table table{{"cost", "median", "quartiles", "in ns unless stated otherwise"}};
  table.end_with_text();
  for (const measured_cost& each : found.costs) {
    table.add({each.name, figure_text(each, each.median),
               figure_text(each, each.low) + " – " + figure_text(each, each.high), each.meaning});
  }
  return table.text();
}

std::string warning_of(const calibration& found) {
  if (!found.is_disturbed()) return "";
  return "Warning: this machine is busy. Computing threads had a CPU for only " + fixed(100 * found.cpu_share, 0) +
         " % of their time; wake_ns, notice_ns, resume_ns and the steals are larger than on a quiet machine.\n";
}

nlohmann::ordered_json json_of(const calibration& found) {
  nlohmann::ordered_json out{
      {"rounds", found.rounds}, {"cpu_share", found.cpu_share}, {"is_busy", found.is_disturbed()}};
  for (const measured_cost& each : found.costs) {
    out["costs"].push_back({{"cost", each.name},
                            {"median", each.median},
                            {"low", each.low},
                            {"high", each.high},
                            {"unit", each.unit},
                            {"meaning", each.meaning}});
  }
  return out;
}

}  // namespace

void calibrate_command(const calibrate_arguments& given) {
  std::uint32_t rounds = k_least_rounds;
  read_number<std::uint32_t>(given.rounds, "--rounds", k_least_rounds, k_most_rounds, rounds);
  if (given.out_file && !given.out_file->ends_with(".json"))
    refuse("--out", *given.out_file, "a name that ends in .json");
  if (given.out_file) output_file::require(*given.out_file);
  const calibration found = calibrate(rounds, [&](const std::string&) {});
  std::string wrote;
  if (given.out_file) {
    output_file out{*given.out_file};
    scenario::write_machine(out.stream(), found.machine);
    out.finish();
    wrote = "Wrote "s + *given.out_file + ": --machine " + *given.out_file + " of sim, compare, sweep and predict.\n";
  }
  if (given.json) {
    std::cout << json_text(json_of(found)) << "\n";
    return;
  }
  std::cout << found.machine.title << "\n" << table_of(found) << warning_of(found) << wrote;
}

}  // namespace filch::tool
