// filch record: runs any program that uses filch, and records it.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filch/trace/binary.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <output_file.hpp>
#include <sstream>
#include <system_error>
#include <trace/spill.hpp>
#include <tuple>
#include <vector>

#include "commands.hpp"
#include "errors.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> k_details{"beat", "every", "stolen"};

std::string system_text(int error) { return std::generic_category().message(error); }

// A pattern as the runtime reads it: "%p" is the number of the process, "%%" is "%".
std::string expanded(const std::string& pattern, pid_t process) {
  std::string out;
  for (std::size_t i = 0; i != pattern.size(); ++i) {
    const char next = i + 1 != pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] == '%' && next == 'p') {
      out += std::to_string(process);
      ++i;
    } else {
      if (pattern[i] == '%' && next == '%') ++i;
      out += pattern[i];
    }
  }
  return out;
}

// The pattern for the program, which may change its folder. The name of this one is no pattern.
std::string absolute_pattern(const std::string& pattern) {
  if (fs::path{pattern}.is_absolute()) return pattern;
  std::string out;
  for (const char each : fs::current_path().string()) out.append(each == '%' ? 2 : 1, each);
  return out + "/" + pattern;
}

// The name for the n-th runtime of a process.
std::string file_of(const record_arguments& given, pid_t process, std::uint64_t number) {
  const std::string first = expanded(given.file, process);
  return number == 1 ? first : trace::with_number(first, number);
}

// No other run has this one.
std::string new_run() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::to_string(::getpid()) + "-" + std::to_string(now / std::chrono::nanoseconds{1});
}

// So few bytes tell nothing but recordings.
constexpr std::size_t k_recording_bytes = 8;
bool is_recording(std::string_view begins) { return is_written_by_filch(begins.substr(0, k_recording_bytes)); }

// ---- the recordings of a run ----------------------------------------------------------------------------------------

struct recorded_file {
  std::string file;
  pid_t process = 0;
};

std::string value_of(const trace::recording_metadata& about, std::string_view key) {
  const auto found = std::ranges::find(about.extra, key, [](const auto& each) { return std::string_view{each.first}; });
  return found == about.extra.end() ? ""s : found->second;
}

// Nothing: it is no recording.
std::optional<trace::recording_metadata> metadata_of(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  std::string begins(k_telling_bytes, '\0');
  in.read(begins.data(), static_cast<std::streamsize>(begins.size()));
  begins.resize(static_cast<std::size_t>(in.gcount()));
  if (!is_recording(begins)) return std::nullopt;
  std::istringstream head{begins};
  trace::read_result result = trace::read_binary(head);
  if (!result.is_usable) {
    in.clear();
    in.seekg(0);
    result = trace::read_binary(in);
  }
  return result.is_usable ? std::optional{std::move(result.value.about)} : std::nullopt;
}

// Of all processes, under whatever names: a process chooses another name where another has written. The files of the
// program itself come first.
std::vector<recorded_file> files_of(const record_arguments& given, const std::string& run, pid_t child) {
  const fs::path pattern{given.file};
  const std::string stem = pattern.stem().string();
  const std::string begins = stem.substr(0, stem.find('%'));
  const fs::path folder = expanded(pattern.parent_path().string(), child);
  std::vector<recorded_file> out;
  std::error_code problem;
  for (auto at = fs::directory_iterator{folder.empty() ? "." : folder, problem};
       !problem && at != fs::directory_iterator{}; at.increment(problem)) {
    const std::string each = at->path().filename().string();
    if (!each.starts_with(begins) || !at->is_regular_file(problem)) continue;
    const std::string file = (folder / each).string();
    const auto about = metadata_of(file);
    if (about && value_of(*about, trace::k_run_key) == run) {
      out.push_back({file, std::atoi(value_of(*about, "process").c_str())});
    }
  }
  std::ranges::sort(out, {}, [child](const recorded_file& each) {
    return std::tuple{each.process != child, each.process, each.file.size(), each.file};
  });
  return out;
}

// Before the program runs: a file that is no recording must not be replaced, and one that cannot be read again is
// useless.
void require_recordable(const std::string& file) {
  struct stat found{};
  if (file.empty()) throw bad_usage("record: -o = \"\": allowed is the name of a file");
  if (file.find('%') != std::string::npos) return;
  const bool is_there = ::stat(file.c_str(), &found) == 0;
  if (is_there && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) {
    throw failure("record: " + file + " is no file: a recording there could not be read again");
  }
  output_file::require_in_place(file);
  if (!is_there || found.st_size == 0) return;
  std::array<char, k_recording_bytes> begins{};
  std::ifstream{file, std::ios::binary}.read(begins.data(), begins.size());
  if (!is_recording({begins.data(), begins.size()})) {
    throw failure("record: " + file + " exists and is no recording. Remove it, or choose another name");
  }
}

// The words as exec() takes them.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& each : words) out.push_back(each.data());
  out.push_back(nullptr);
  return out;
}

// Starts the program; a pipe that is closed by a successful exec() tells why it could not be.
pid_t start_program(const record_arguments& given, const std::string& run) {
  std::vector<std::string> words = given.words;
  const std::vector<char*> pointers = pointers_to(words);
  const std::string file = absolute_pattern(given.file);
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw failure("record: no pipe: "s + system_text(errno));
  const pid_t child = ::fork();
  if (child < 0) throw failure("record: no process: "s + system_text(errno));
  if (child == 0) {
    ::setenv("FILCH_TRACE", file.c_str(), 1);
    ::setenv("FILCH_TRACE_RUN", run.c_str(), 1);
    if (!given.detail.empty()) ::setenv("FILCH_TRACE_DETAIL", given.detail.c_str(), 1);
    if (given.beat_us) ::setenv("FILCH_TRACE_BEAT_US", std::to_string(*given.beat_us).c_str(), 1);
    ::execvp(pointers.front(), pointers.data());
    const int error = errno;
    (void)!::write(pipe[1], &error, sizeof error);
    ::_exit(127);
  }
  ::close(pipe[1]);
  int error = 0;
  const bool has_failed = ::read(pipe[0], &error, sizeof error) == static_cast<ssize_t>(sizeof error);
  ::close(pipe[0]);
  if (has_failed) {
    (void)::waitpid(child, nullptr, 0);
    throw failure("record: "s + given.words.front() + " cannot be run: " + system_text(error));
  }
  return child;
}

// Its exit code; 128 and the number of the signal that ended it.
int wait_for_program(pid_t child) {
  // An interrupt is meant for the program, which receives the signal as well.
  const auto on_interrupt = std::signal(SIGINT, SIG_IGN);
  const auto on_quit = std::signal(SIGQUIT, SIG_IGN);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGQUIT, on_quit);
  if (WIFSIGNALED(status)) {
    std::cerr << "filch: the program was ended by signal " << WTERMSIG(status) << "\n";
    return 128 + WTERMSIG(status);
  }
  return WEXITSTATUS(status);
}

// Is it whole?
bool report_recording(const recorded_file& written, pid_t child) {
  const std::string& file = written.file;
  std::ifstream in{file, std::ios::binary};
  const trace::read_result result = trace::read_binary(in);
  if (!result.is_usable) throw failure(file + ": " + result.error->text());
  const trace::recording& what = result.value;
  std::uint64_t tasks = 0;
  for (const auto& list : what.workers) {
    for (const trace::event& e : list) tasks += e.kind == trace::event_kind::start ? 1u : 0u;
  }
  std::cerr << "filch: recorded " << file;
  if (written.process != child) std::cerr << " of process " << written.process;
  std::cerr << ": " << count_text(tasks, "task") << ", " << count_text(what.event_count(), "event") << " of "
            << count_text(what.about.workers, "worker") << ", "
            << magnitude_text(static_cast<double>(fs::file_size(file))) << "B";
  if (what.dropped_count() != 0) std::cerr << "; " << count_text(what.dropped_count(), "event") << " were dropped";
  else if (!result.error) std::cerr << "; nothing was dropped";
  std::cerr << "\n";
  if (result.error) {
    std::cerr << "filch: " << file << " ends early (" << result.error->text() << "); the part before is complete\n";
  }
  return !result.error;
}

}  // namespace

void record_command(const record_arguments& given) {
  if (given.words.empty()) {
    throw bad_usage("record: no program. Write its name and its arguments after --: filch record -- ./program 10");
  }
  if (!given.detail.empty() && std::ranges::find(k_details, given.detail) == k_details.end()) {
    throw bad_usage("record: --detail = \"" + given.detail + "\": allowed are beat, every and stolen");
  }
  require_recordable(given.file);
  const std::string run = new_run();
  const pid_t child = start_program(given, run);
  const int code = wait_for_program(child);
  const std::vector<recorded_file> files = files_of(given, run, child);
  bool are_whole = true;
  for (const recorded_file& each : files) are_whole = report_recording(each, child) && are_whole;
  // A file that a user may take for a recording of this run.
  const auto is_named = [&](const std::string& name) {
    return std::ranges::any_of(files, [&](const recorded_file& each) { return fs::path{each.file} == fs::path{name}; });
  };
  std::uint64_t number = 1;
  while (is_named(file_of(given, child, number))) ++number;
  const std::string next = file_of(given, child, number);
  if (fs::exists(next)) std::cerr << "filch: " << next << " is not part of this run\n";
  if (files.empty()) {
    std::cerr << "filch: nothing was recorded: the program started no filch runtime, or could not write "
              << file_of(given, child, 1) << "\n";
    throw program_ended{code != 0 ? code : k_exit_failure};
  }
  std::cerr << "filch: next: filch analyze " << files.front().file << "\n";
  if (code != 0 || !are_whole) throw program_ended{code != 0 ? code : k_exit_failure};
}

}  // namespace filch::tool
