#include "program.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <tuple>

#include "child.hpp"
#include "errors.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

using json = nlohmann::json;

constexpr double k_about_limit_s = 20;

// What a program says about itself, or what it does instead.
struct about {
  bench_program program{};
  std::string problem{};
};

about query(const std::filesystem::path& path) {
  const child_end end = child{{path.string(), "--about"}}.finish(k_about_limit_s);
  if (end.is_too_slow) return {.problem = "--about takes longer than " + fixed(k_about_limit_s, 0) + " s"};
  if (!end.problem.empty()) return {.problem = "--about " + end.problem};
  try {
    const json answer = json::parse(end.output);
    return {.program = {.path = path,
                        .runtime = answer.at("runtime"),
                        .language = answer.at("language"),
                        .compiler = answer.at("compiler"),
                        .flags = answer.at("flags"),
                        .has_serial = answer.at("has_serial"),
                        .takes_turns = answer.value("takes_turns", false),
                        .workloads = answer.at("workloads")}};
  } catch (const json::exception&) {
    return {.problem = "--about " + not_as_it_should(end.output)};
  }
}

// The last word says how often, or "turns".
std::vector<std::string> words_of(const bench_job& what, const std::string& last) {
  return {what.program->path.string(), what.workload, std::to_string(what.size), std::to_string(what.threads), last};
}

bool says_ready(const std::string& line) {
  const json answer = json::parse(line, nullptr, false);
  return answer.is_object() && answer.contains("ready");
}

std::optional<bench_sample> read_sample(const std::string& line) {
  try {
    const json answer = json::parse(line);
    for (const char* const key : {"ns", "cpu_ns"}) {
      if (!answer.at(key).is_number_unsigned()) return std::nullopt;
    }
    return bench_sample{answer.at("ns"), answer.at("cpu_ns"), answer.at("checksum"),
                        answer.value("bytes", std::uint64_t{0})};
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

bool is_program(const std::filesystem::directory_entry& entry) {
  return entry.is_regular_file() && ::access(entry.path().c_str(), X_OK) == 0;
}

std::string why_missing(const std::filesystem::path& folder, const known_peer& peer) {
  std::string why;
  std::getline(std::ifstream{folder / (std::string{peer.program} + ".left_out")}, why);
  if (!why.empty()) return why;
  return "its program "s + std::string{peer.program} +
         " was not built (Debian packages: " + std::string{peer.packages} + ")";
}

// C++ is compiled by the compiler of each folder; of another language one program is enough.
std::vector<missing_peer> missing_of(const std::vector<std::filesystem::path>& folders,
                                     std::span<const known_peer> peers) {
  std::vector<missing_peer> all;
  for (const known_peer& peer : peers) {
    const auto is_here = [&peer](const std::filesystem::path& folder) {
      return std::filesystem::exists(folder / peer.program);
    };
    if (!peer.is_cpp && std::ranges::any_of(folders, is_here)) continue;
    for (const std::filesystem::path& folder : folders) {
      if (is_here(folder)) continue;
      const std::string where = peer.is_cpp && folders.size() > 1 ? " in " + folder.string() : "";
      all.push_back({std::string{peer.runtime} + where, why_missing(folder, peer)});
      if (!peer.is_cpp) break;
    }
  }
  return all;
}

}  // namespace

bool bench_program::has(std::string_view workload) const {
  return std::ranges::find(workloads, workload) != workloads.end();
}

found_programs find_programs(const std::vector<std::filesystem::path>& folders, const wanted_programs& wanted) {
  found_programs all;
  std::vector<bench_program>& found = all.programs;
  const auto is_known = [&found](const bench_program& one) {
    return std::ranges::any_of(found, [&one](const bench_program& each) {
      return std::tie(each.runtime, each.compiler, each.flags) == std::tie(one.runtime, one.compiler, one.flags);
    });
  };
  for (std::size_t place = 0; place != folders.size(); ++place) {
    const std::filesystem::path& folder = folders[place];
    if (!std::filesystem::is_directory(folder)) {
      throw failure("no benchmark programs: there is no folder "s + folder.string() +
                    ". In a build tree with FILCH_BUILD_BENCH=ON build the target "s + std::string{wanted.targets} +
                    "; --programs names another folder");
    }
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
      const std::string name = entry.path().filename();
      if (!is_program(entry) || (!wanted.with_peers && name != k_serial_runtime && name != k_own_runtime)) continue;
      about answer = query(entry.path());
      answer.program.folder = place;
      if (!answer.problem.empty()) all.unusable.push_back({entry.path(), std::move(answer.problem)});
      else if (!is_known(answer.program)) found.push_back(std::move(answer.program));
    }
  }
  const auto rank = [](const bench_program& each) {
    const int place = each.runtime == k_serial_runtime ? 0 : each.runtime == k_own_runtime ? 1 : 2;
    return std::tuple{place, each.language != "C++", each.runtime, each.folder};
  };
  std::ranges::sort(found, {}, rank);
  std::ranges::sort(all.unusable, {}, &unusable_program::path);
  all.missing = missing_of(folders, wanted.peers);
  const auto has = [&found](std::string_view runtime) {
    return std::ranges::find(found, runtime, &bench_program::runtime) != found.end();
  };
  if ((wanted.with_serial && !has(k_serial_runtime)) || !has(k_own_runtime)) {
    std::string text = "no benchmark programs for "s + (wanted.with_serial ? "serial code and " : "") + "filch in " +
                       folders.front().string() + ": build the target " + std::string{wanted.targets};
    for (const unusable_program& each : all.unusable) text += "\n  " + each.path.string() + " " + each.problem;
    throw failure(text);
  }
  return all;
}

job_outcome run_job(const bench_job& what, std::uint32_t repetitions, double limit_s) {
  const child_end end = child{words_of(what, std::to_string(repetitions))}.finish(limit_s);
  job_outcome made{.is_too_slow = end.is_too_slow, .problem = end.problem};
  if (made.has_failed()) return made;
  std::istringstream lines{end.output};
  for (std::string line; std::getline(lines, line);) {
    std::optional<bench_sample> sample = read_sample(line);
    if (!sample) return {.problem = not_as_it_should(line)};
    made.samples.push_back(std::move(*sample));
  }
  if (made.samples.size() != repetitions) {
    return {.problem = "printed "s + count_text(made.samples.size(), "repetition") + " instead of " +
                       std::to_string(repetitions)};
  }
  for (const bench_sample& each : made.samples) {
    if (each.checksum == made.samples.front().checksum) continue;
    return {.problem = "computes " + made.samples.front().checksum + " and " + each.checksum + " in two repetitions"};
  }
  return made;
}

turn_taker::turn_taker(const bench_job& what, double limit_s)
    : process_{std::make_unique<child>(words_of(what, "turns"), child::input::lines)}, limit_s_{limit_s} {
  const std::string line = next_line();
  if (!last_.has_failed() && !says_ready(line)) last_.problem = not_as_it_should(line);
  if (last_.has_failed()) process_.reset();
}

turn_taker::~turn_taker() = default;

const job_outcome& turn_taker::take_turn() {
  if (process_ == nullptr) return last_;
  process_->give_line();
  const std::string line = next_line();
  if (!last_.has_failed()) {
    if (std::optional<bench_sample> sample = read_sample(line)) last_.samples.push_back(std::move(*sample));
    else last_.problem = not_as_it_should(line);
  }
  if (last_.has_failed()) process_.reset();
  return last_;
}

std::string turn_taker::next_line() {
  child_end end = process_->next_line(limit_s_);
  process_->stop();
  last_ = {.is_too_slow = end.is_too_slow, .problem = std::move(end.problem)};
  return std::move(end.output);
}

}  // namespace filch::tool
