// filch record: runs any program that uses filch, and records it.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filch/trace/binary.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <output_file.hpp>
#include <system_error>
#include <tuple>

#include "commands.hpp"
#include "errors.hpp"
#include "text.hpp"

namespace filch::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> k_details{"beat", "every", "stolen"};

std::string system_text(int error) { return std::generic_category().message(error); }

// The name for the n-th runtime of the program, as the runtime chooses it.
fs::path file_of(const record_arguments& given, pid_t process, int number) {
  std::string name;
  for (std::size_t i = 0; i != given.file.size(); ++i) {
    const char next = i + 1 != given.file.size() ? given.file[i + 1] : '\0';
    if (given.file[i] == '%' && next == 'p') {
      name += std::to_string(process);
      ++i;
    } else {
      if (given.file[i] == '%' && next == '%') ++i;
      name += given.file[i];
    }
  }
  fs::path file{name};
  if (number == 1) return file;
  const std::string ending = file.extension().string();
  return file.replace_extension("."s + std::to_string(number) + ending);
}

// What tells a file from the one that was there before: who writes to it changes its times.
using identity = std::tuple<dev_t, ino_t, off_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

std::optional<identity> identity_of(const fs::path& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0) return std::nullopt;
  return identity{found.st_dev,          found.st_ino,         found.st_size,        found.st_mtim.tv_sec,
                  found.st_mtim.tv_nsec, found.st_ctim.tv_sec, found.st_ctim.tv_nsec};
}

// The files that lie where the program will write its own. They stay until it does so.
class earlier_files {
 public:
  explicit earlier_files(const record_arguments& given) {
    const fs::path pattern{given.file};
    const std::string stem = pattern.stem().string();
    const std::string begins = stem.substr(0, stem.find('%'));
    std::error_code problem;
    const fs::path folder = pattern.has_parent_path() ? pattern.parent_path() : fs::path{"."};
    for (auto at = fs::directory_iterator{folder, problem}; !problem && at != fs::directory_iterator{};
         at.increment(problem)) {
      const std::string name = at->path().filename().string();
      const auto found = name.starts_with(begins) ? identity_of(at->path()) : std::nullopt;
      if (found) known_[name] = *found;
    }
  }

  // Has the program written it?
  [[nodiscard]] bool is_new(const fs::path& file) const {
    const auto found = identity_of(file);
    if (!found) return false;
    const auto before = known_.find(file.filename().string());
    return before == known_.end() || before->second != *found;
  }

 private:
  std::map<std::string, identity> known_;
};

// Before anything runs: what is no recording stays as it is, and what cannot be read again is of no use.
void require_recordable(const std::string& file) {
  struct stat found{};
  if (file.find('%') != std::string::npos) return;
  const bool is_there = ::stat(file.c_str(), &found) == 0;
  if (is_there && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) {
    throw failure("record: " + file + " is no file: what is recorded there cannot be read again");
  }
  output_file::require(file);
  if (!is_there || found.st_size == 0) return;
  std::array<char, 8> begins{};  // so few bytes tell nothing but recordings
  std::ifstream{file, std::ios::binary}.read(begins.data(), begins.size());
  if (!is_written_by_filch({begins.data(), begins.size()})) {
    throw failure("record: " + file + " is there already and is no recording. Remove it, or choose another name");
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
pid_t start_program(const record_arguments& given) {
  std::vector<std::string> words = given.words;
  const std::vector<char*> pointers = pointers_to(words);
  const std::string file = fs::absolute(given.file).string();
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw failure("record: no pipe: "s + system_text(errno));
  const pid_t child = ::fork();
  if (child < 0) throw failure("record: no process: "s + system_text(errno));
  if (child == 0) {
    ::setenv("FILCH_TRACE", file.c_str(), 1);
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
  // Whoever interrupts means the program, which gets the signal as well.
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

void tell_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  const trace::read_result result = trace::read_binary(in);
  if (!result.is_usable) throw failure(file.string() + ": " + result.error->text());
  const trace::recording& what = result.value;
  std::uint64_t tasks = 0;
  for (const auto& list : what.workers) {
    for (const trace::event& e : list) tasks += e.kind == trace::event_kind::start ? 1u : 0u;
  }
  std::cerr << "filch: recorded " << file.string() << ": " << count_text(tasks, "task") << ", "
            << count_text(what.event_count(), "event") << " of " << count_text(what.about.workers, "worker") << ", "
            << magnitude_text(static_cast<double>(fs::file_size(file))) << "B; "
            << (what.dropped_count() == 0 ? "nothing was dropped"s
                                          : count_text(what.dropped_count(), "event") + " were dropped")
            << "\n";
  if (result.error) {
    std::cerr << "filch: the program did not end the file (" << result.error->text()
              << "); what comes before is there\n";
  }
}

}  // namespace

void record_command(const record_arguments& given) {
  if (given.words.empty()) {
    throw bad_usage("record: no program. Write its name and its arguments behind --: filch record -- ./program 10");
  }
  if (!given.detail.empty() && std::ranges::find(k_details, given.detail) == k_details.end()) {
    throw bad_usage("record: --detail = \"" + given.detail + "\": allowed are beat, every and stolen");
  }
  require_recordable(given.file);
  const earlier_files earlier{given};
  const pid_t child = start_program(given);
  const int code = wait_for_program(child);
  int number = 1;
  for (; earlier.is_new(file_of(given, child, number)); ++number) tell_of(file_of(given, child, number));
  if (number != 1 && fs::exists(file_of(given, child, number))) {
    std::cerr << "filch: " << file_of(given, child, number).string() << " was there before: it is not of this run\n";
  }
  if (number == 1) {
    std::cerr << "filch: nothing was recorded: the program started no filch runtime, or could not write "
              << file_of(given, child, 1).string() << "\n";
    throw program_ended{code != 0 ? code : k_exit_failure};
  }
  std::cerr << "filch: next: filch analyze " << file_of(given, child, 1).string() << "\n";
  if (code != 0) throw program_ended{code};
}

}  // namespace filch::tool
