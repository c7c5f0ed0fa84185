#include "program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filch/base/units.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <tuple>

#include "errors.hpp"
#include "text.hpp"

extern char** environ;

namespace filch::tool {
namespace {

using json = nlohmann::json;

// A child process whose standard output can be read. Standard error stays ours.
class child {
 public:
  explicit child(const std::vector<std::string>& words) : name_{words.front()} {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw failure("no pipe to "s + name_ + ": " + std::strerror(errno));
    std::vector<char*> list;
    for (const std::string& each : words) list.push_back(const_cast<char*>(each.c_str()));
    list.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = ::posix_spawn(&id_, list[0], &actions, nullptr, list.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_ = ends[0];
    if (error != 0) {
      ::close(output_);
      throw failure(name_ + " cannot be started: " + std::strerror(error));
    }
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    if (id_ != 0) {
      ::kill(id_, SIGKILL);
      (void)wait();
    }
    ::close(output_);
  }

  // Everything that it prints until its end; none when that takes longer. Throws when it fails.
  std::optional<std::string> read_all(double limit_s) {
    const time_ns until_ns = monotonic_now_ns() + static_cast<time_ns>(limit_s * static_cast<double>(k_ns_per_s));
    std::string text;
    for (;;) {
      const time_ns left_ns = until_ns - monotonic_now_ns();
      pollfd wanted{output_, POLLIN, 0};
      const int ready = left_ns <= 0 ? 0 : ::poll(&wanted, 1, static_cast<int>(left_ns / 1'000'000) + 1);
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return std::nullopt;
      std::array<char, 4096> part{};
      const ssize_t count = ::read(output_, part.data(), part.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      text.append(part.data(), static_cast<std::size_t>(count));
    }
    const int status = wait();
    if (status != 0) {
      throw failure(name_ + (WIFEXITED(status) ? " failed with exit code "s + std::to_string(WEXITSTATUS(status))
                                               : " was ended by signal "s + std::to_string(WTERMSIG(status))));
    }
    return text;
  }

 private:
  int wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return status;
  }

  std::string name_;
  pid_t id_ = 0;
  int output_ = -1;
};

constexpr double k_about_limit_s = 20;

bench_program ask(const std::filesystem::path& path) {
  const std::string text = child{{path.string(), "--about"}}.read_all(k_about_limit_s).value_or("");
  try {
    const json told = json::parse(text);
    return {.path = path,
            .runtime = told.at("runtime"),
            .language = told.at("language"),
            .compiler = told.at("compiler"),
            .flags = told.at("flags"),
            .has_serial = told.at("has_serial"),
            .workloads = told.at("workloads")};
  } catch (const json::exception& problem) {
    throw failure(path.string() + " --about: " + problem.what());
  }
}

bool is_program(const std::filesystem::directory_entry& entry) {
  return entry.is_regular_file() && ::access(entry.path().c_str(), X_OK) == 0;
}

}  // namespace

bool bench_program::has(std::string_view workload) const {
  return std::ranges::find(workloads, workload) != workloads.end();
}

std::vector<bench_program> find_programs(const std::vector<std::filesystem::path>& folders,
                                         const wanted_programs& wanted) {
  std::vector<bench_program> found;
  const auto is_known = [&found](const bench_program& one) {
    return std::ranges::any_of(found, [&one](const bench_program& each) {
      return std::tie(each.runtime, each.compiler, each.flags) == std::tie(one.runtime, one.compiler, one.flags);
    });
  };
  for (const auto& folder : folders) {
    if (!std::filesystem::is_directory(folder)) {
      throw failure("no benchmark programs: there is no folder "s + folder.string() +
                    ". In a build tree with FILCH_BUILD_BENCH=ON build the target "s + std::string{wanted.targets} +
                    "; --programs names another folder");
    }
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
      const std::string name = entry.path().filename();
      if (!is_program(entry) || (!wanted.with_peers && name != k_serial_runtime && name != k_own_runtime)) continue;
      bench_program told = ask(entry.path());
      if (!is_known(told)) found.push_back(std::move(told));
    }
  }
  const auto rank = [](const bench_program& each) {
    const int place = each.runtime == k_serial_runtime ? 0 : each.runtime == k_own_runtime ? 1 : 2;
    return std::tuple{place, each.language != "C++", each.runtime, each.compiler};
  };
  std::ranges::sort(found, {}, rank);
  const auto has = [&found](std::string_view runtime) {
    return std::ranges::find(found, runtime, &bench_program::runtime) != found.end();
  };
  if ((wanted.with_serial && !has(k_serial_runtime)) || !has(k_own_runtime)) {
    throw failure("no benchmark programs for "s + (wanted.with_serial ? "serial code and " : "") + "filch in " +
                  folders.front().string() + ": build the target " + std::string{wanted.targets});
  }
  return found;
}

std::vector<bench_sample> run_job(const bench_job& what, std::uint32_t repetitions, double limit_s) {
  child started{{what.program->path.string(), what.workload, std::to_string(what.size), std::to_string(what.threads),
                 std::to_string(repetitions)}};
  const std::optional<std::string> text = started.read_all(limit_s);
  std::vector<bench_sample> samples;
  if (!text) return samples;
  std::istringstream lines{*text};
  try {
    for (std::string line; std::getline(lines, line);) {
      const json told = json::parse(line);
      samples.push_back({told.at("ns"), told.at("cpu_ns"), told.at("checksum"), told.value("bytes", std::uint64_t{0})});
    }
  } catch (const json::exception& problem) {
    throw failure(what.program->path.string() + " " + what.workload + ": " + problem.what());
  }
  if (samples.size() != repetitions) {
    throw failure(what.program->path.string() + " " + what.workload + ": " + std::to_string(samples.size()) +
                  " repetitions instead of " + std::to_string(repetitions));
  }
  return samples;
}

}  // namespace filch::tool
