#include "program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filch/base/units.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <tuple>

#include "ending.hpp"
#include "errors.hpp"
#include "text.hpp"

extern char** environ;

namespace filch::tool {
namespace {

using json = nlohmann::json;

// More than any program prints.
constexpr std::size_t k_max_output = 1 << 20;
// So often a waiting command looks whether it was asked to end.
constexpr time_ns k_look_ns = 100'000'000;

// What a child did until its end.
struct child_end {
  std::string output{};
  bool is_too_slow = false;
  std::string problem{};  // empty: it ended as it should
};

// The beginning of what a program printed, for a message: one line of plain characters.
std::string shown(std::string_view text) {
  std::string out{text.substr(0, 60)};
  for (char& each : out) each = each >= ' ' && each <= '~' ? each : '?';
  return "\"" + out + "\"" + (text.size() > 60 ? " …" : "");
}

// A child process whose standard output can be read. Standard error stays ours.
class child {
 public:
  explicit child(const std::vector<std::string>& words) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw failure("no pipe to "s + words[0] + ": " + std::strerror(errno));
    output_ = ends[0];
    std::vector<char*> list;
    for (const std::string& each : words) list.push_back(const_cast<char*>(each.c_str()));
    list.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t defaults;
    ::sigemptyset(&defaults);
    ::sigaddset(&defaults, SIGPIPE);  // the command ignores it
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t id = 0;
    const int error = ::posix_spawn(&id, list[0], &actions, &attributes, list.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (error != 0) {
      start_problem_ = "cannot be started: "s + std::strerror(error);
      return;
    }
    id_ = id;
    // Where memory runs out, the program ends and not the command that can tell.
    std::ofstream{"/proc/" + std::to_string(id_) + "/oom_score_adj"} << "1000";
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    if (id_ != 0) {
      ::kill(id_, SIGKILL);
      int status = 0;
      while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
      }
    }
    ::close(output_);
  }

  // Waits for its end, or ends it after so long. Throws asked_to_end.
  child_end finish(double limit_s) {
    if (id_ == 0) return {.problem = start_problem_};
    const time_ns until_ns = monotonic_now_ns() + static_cast<time_ns>(limit_s * static_cast<double>(k_ns_per_s));
    child_end made;
    while (const auto part = read_some(until_ns)) {
      made.output += *part;
      if (made.output.size() > k_max_output) {
        made.problem = "printed more than "s + std::to_string(k_max_output) + " bytes: " + shown(made.output);
        return made;
      }
    }
    const std::optional<int> status = wait(until_ns);
    if (!status) {
      made.is_too_slow = true;
    } else if (WIFSIGNALED(*status)) {
      made.problem = "was ended by " + signal_text(WTERMSIG(*status));
      if (WTERMSIG(*status) == SIGKILL) made.problem += ", perhaps for lack of memory";
    } else if (WEXITSTATUS(*status) != 0) {
      made.problem = "failed with exit code " + std::to_string(WEXITSTATUS(*status));
    }
    return made;
  }

 private:
  static void look_for_signals() {
    if (asked_to_end_by() != 0) throw asked_to_end{};
  }

  // None at the end of the output and at the end of the time.
  std::optional<std::string> read_some(time_ns until_ns) const {
    for (;;) {
      look_for_signals();
      const time_ns left_ns = until_ns - monotonic_now_ns();
      if (left_ns <= 0) return std::nullopt;
      pollfd wanted{output_, POLLIN, 0};
      const int ready = ::poll(&wanted, 1, static_cast<int>(std::min(left_ns, k_look_ns) / 1'000'000) + 1);
      if (ready <= 0) continue;  // nothing yet, or a signal
      std::array<char, 4096> part{};
      const ssize_t count = ::read(output_, part.data(), part.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return std::nullopt;
      return std::string{part.data(), static_cast<std::size_t>(count)};
    }
  }

  // How it ended; none if it does not in time. A program may close its output and go on.
  std::optional<int> wait(time_ns until_ns) {
    for (;;) {
      int status = 0;
      if (::waitpid(id_, &status, WNOHANG) == id_) {
        id_ = 0;
        return status;
      }
      look_for_signals();
      if (monotonic_now_ns() >= until_ns) return std::nullopt;
      ::usleep(500);
    }
  }

  std::string start_problem_;
  pid_t id_ = 0;  // 0: it does not run
  int output_ = -1;
};

constexpr double k_about_limit_s = 20;

// What a program says about itself, or what it does instead.
struct about {
  bench_program program{};
  std::string problem{};
};

about ask(const std::filesystem::path& path) {
  const child_end end = child{{path.string(), "--about"}}.finish(k_about_limit_s);
  if (end.is_too_slow) return {.problem = "--about takes longer than " + fixed(k_about_limit_s, 0) + " s"};
  if (!end.problem.empty()) return {.problem = "--about " + end.problem};
  try {
    const json told = json::parse(end.output);
    return {.program = {.path = path,
                        .runtime = told.at("runtime"),
                        .language = told.at("language"),
                        .compiler = told.at("compiler"),
                        .flags = told.at("flags"),
                        .has_serial = told.at("has_serial"),
                        .workloads = told.at("workloads")}};
  } catch (const json::exception&) {
    return {.problem = "--about prints something else than it should: " + shown(end.output)};
  }
}

std::optional<bench_sample> read_sample(const std::string& line) {
  try {
    const json told = json::parse(line);
    for (const char* const key : {"ns", "cpu_ns"}) {
      if (!told.at(key).is_number_unsigned()) return std::nullopt;
    }
    return bench_sample{told.at("ns"), told.at("cpu_ns"), told.at("checksum"), told.value("bytes", std::uint64_t{0})};
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
  return "its program "s + std::string{peer.program} + " was not built (Debian packages: " +
         std::string{peer.packages} + ")";
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
      about told = ask(entry.path());
      told.program.folder = place;
      if (!told.problem.empty())
        all.unusable.push_back({entry.path(), std::move(told.problem)});
      else if (!is_known(told.program))
        found.push_back(std::move(told.program));
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
  const child_end end = child{{what.program->path.string(), what.workload, std::to_string(what.size),
                               std::to_string(what.threads), std::to_string(repetitions)}}
                            .finish(limit_s);
  job_outcome made{.is_too_slow = end.is_too_slow, .problem = end.problem};
  if (made.is_too_slow || !made.problem.empty()) return made;
  std::istringstream lines{end.output};
  for (std::string line; std::getline(lines, line);) {
    std::optional<bench_sample> sample = read_sample(line);
    if (!sample) return {.problem = "prints something else than it should: " + shown(line)};
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

}  // namespace filch::tool
