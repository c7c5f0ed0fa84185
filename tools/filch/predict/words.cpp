#include "words.hpp"

#include <algorithm>
#include <iostream>
#include <output_file.hpp>
#include <set>
#include <stdexcept>

#include "../option_reading.hpp"

namespace filch::tool {
namespace {

constexpr std::uint32_t k_longest_range = 16;

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> out{""};
  for (const char each : text) {
    if (each == ',') {
      out.emplace_back();
    } else {
      out.back().push_back(each);
    }
  }
  return out;
}

bool is_round(std::uint32_t number) {
  while (number % 2 == 0) number /= 2;
  return number == 1 || number == 3;
}

}  // namespace

std::vector<std::uint32_t> read_workers(const std::string& text, const std::string& option, std::uint32_t most) {
  const auto complain = [&] {
    refuse(option, text, "whole numbers from 1 to " + std::to_string(most) + ", such as 1,2,8 or 1..64");
  };
  const auto number = [&](const std::string& of) {
    const auto value = number_of<std::uint32_t>(of);
    if (!value || *value < 1 || *value > most) complain();
    return *value;
  };
  std::set<std::uint32_t> out;
  for (const std::string& part : parts_of(text)) {
    const std::size_t dots = part.find("..");
    if (dots == std::string::npos) {
      out.insert(number(part));
      continue;
    }
    const std::uint32_t low = number(part.substr(0, dots));
    const std::uint32_t high = number(part.substr(dots + 2));
    if (low > high) complain();
    for (std::uint32_t i = low; i <= high; ++i) {
      if (high - low < k_longest_range || i == low || i == high || is_round(i)) out.insert(i);
    }
  }
  return {out.begin(), out.end()};
}

scenario::machine_description read_machine_name(const std::string& name, const std::string& option) {
  const bool is_file = name.ends_with(".json") || name.find('/') != std::string::npos;
  if (!is_file) {
    const std::vector<std::string_view> known = scenario::machine_names();
    if (std::ranges::find(known, name) == known.end()) {
      throw bad_usage(policy::unknown_name(option, name, known) + ", or a file that ends in .json");
    }
  }
  try {
    return scenario::find_machine(name);
  } catch (const scenario::error& problem) {
    throw failure(problem.what());
  }
}

std::vector<inflation_point> read_inflation(const std::optional<std::string>& text) {
  std::vector<inflation_point> out;
  if (!text) return out;
  for (const std::string& part : parts_of(*text)) {
    const std::size_t at = part.find('=');
    const std::uint32_t workers = number_of<std::uint32_t>(part.substr(0, at)).value_or(0);
    const double factor = at == std::string::npos ? 0 : number_of<double>(part.substr(at + 1)).value_or(0);
    const bool is_rising = out.empty() || workers > out.back().workers;
    if (workers < 2 || workers > 65534 || !(factor >= 0.1 && factor <= 1000) || !is_rising) {
      refuse(
          "--inflation", *text,
          "pairs of a number of workers from 2 to 65534, rising, and a factor from 0.1 to 1000, such as 2=1.1,8=1.6");
    }
    out.push_back({workers, factor});
  }
  return out;
}

sim::change read_change(const std::string& text) {
  try {
    return sim::change::from(text);
  } catch (const std::invalid_argument& problem) {
    throw bad_usage("--what-if = "s + problem.what());
  }
}

void require_json_name(const std::vector<std::string>& given) {
  if (given.empty() || given.front().empty()) return;
  if (given.front().ends_with(".json")) return output_file::require(given.front());
  refuse("--json", given.front(), "a name that ends in .json, or none");
}

std::string write_json(const std::string& text, const std::string& file) {
  if (file.empty()) {
    std::cout << text;
    return "";
  }
  output_file out{file};
  out.stream() << text;
  out.finish();
  return "Wrote "s + file + ".\n";
}

}  // namespace filch::tool
