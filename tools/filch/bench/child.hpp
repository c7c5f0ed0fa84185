// A process that the command starts, reads from and ends.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filch/base/units.hpp>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ending.hpp"
#include "errors.hpp"
#include "program.hpp"
#include "text.hpp"

namespace filch::tool {

// More than any program prints.
inline constexpr std::size_t k_max_output = 1 << 20;
// The period at which a waiting command checks for a request to end.
inline constexpr time_ns k_look_ns = 100'000'000;

// What a child did until its end.
struct child_end {
  std::string output{};
  bool is_too_slow = false;
  std::string problem{};  // empty: it ended as it should
};

// The beginning of what a program printed, for a message: one line of plain characters.
inline std::string shown(std::string_view text) {
  std::string out{text.substr(0, 60)};
  for (char& each : out) each = each >= ' ' && each <= '~' ? each : '?';
  return "\"" + out + "\"" + (text.size() > 60 ? " …" : "");
}

inline std::string not_as_it_should(std::string_view output) {
  return "violates the protocol: prints " + shown(output);
}

inline std::string too_much(std::string_view output) {
  return "printed more than "s + std::to_string(k_max_output) + " bytes: " + shown(output);
}

inline time_ns after(double s) {
  return monotonic_now_ns() + static_cast<time_ns>(s * static_cast<double>(k_ns_per_s));
}

struct pipe_ends {
  int reading = -1;
  int writing = -1;
};

// A child has them only as its standard streams: if siblings held an end open, the other end would never be seen
// closed.
inline pipe_ends new_pipe(const std::string& to) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw failure("no pipe to "s + to + ": " + std::strerror(errno));
  return {ends[0], ends[1]};
}

// In the new process.
inline void become_stream(int from, int stream) {
  ::dup2(from, stream);
  ::fcntl(stream, F_SETFD, 0);  // the two may be the same
}

// A child process whose standard output can be read. Standard error stays ours.
class child {
 public:
  enum class input : std::uint8_t { none, lines };

  explicit child(const std::vector<std::string>& words, input from = input::none) {
    const pipe_ends output = new_pipe(words[0]);
    const pipe_ends error = new_pipe(words[0]);
    const pipe_ends lines = from == input::lines ? new_pipe(words[0]) : pipe_ends{};
    output_ = output.reading;
    input_ = lines.writing;
    std::vector<char*> list;
    for (const std::string& each : words) list.push_back(const_cast<char*>(each.c_str()));
    list.push_back(nullptr);
    id_ = ::fork();
    if (id_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing is left behind, however the command ends
      ::signal(SIGPIPE, SIG_DFL);          // the command ignores it
      become_stream(from == input::lines ? lines.reading : ::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
      become_stream(output.writing, STDOUT_FILENO);
      ::execv(list[0], list.data());
      const int why = errno;
      [[maybe_unused]] const ssize_t written = ::write(error.writing, &why, sizeof why);
      ::_exit(127);
    }
    int why = id_ < 0 ? errno : 0;
    for (const int each : {output.writing, error.writing, lines.reading}) close_end(each);
    [[maybe_unused]] const ssize_t count = ::read(error.reading, &why, sizeof why);  // nothing: it has started
    close_end(error.reading);
    if (why != 0) {
      end();
      start_problem_ = "cannot be started: "s + std::strerror(why);
      return;
    }
    // If memory runs out, the program ends and not the command, which can report it.
    std::ofstream{"/proc/" + std::to_string(id_) + "/oom_score_adj"} << "1000";
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    end();
    close_end(output_);
    close_end(input_);
  }

  // Waits for its end, or ends it after so long. Throws asked_to_end.
  child_end finish(double limit_s) {
    if (id_ == 0) return {.problem = start_problem_};
    const time_ns until_ns = after(limit_s);
    std::string output;
    while (const auto part = read_some(until_ns)) {
      output += *part;
      if (output.size() > k_max_output) return {.problem = too_much(output)};
    }
    child_end made = wait_for_end(until_ns);
    made.output = std::move(output);
    return made;
  }

  // The next line that it prints; or what it did instead within this time. Throws asked_to_end.
  child_end next_line(double limit_s) {
    if (id_ == 0) return {.problem = start_problem_};
    const time_ns until_ns = after(limit_s);
    std::string line;
    while (!line.ends_with('\n')) {
      const auto part = read_some(until_ns);
      if (!part) {
        child_end made = wait_for_end(until_ns);
        if (!made.is_too_slow && made.problem.empty()) made.problem = "ended before its last turn";
        return made;
      }
      line += *part;
      if (line.size() > k_max_output) return {.problem = too_much(line)};
    }
    line.pop_back();
    return {.output = std::move(line)};
  }

  // Lets it go on if it is stopped, and gives it a line to read. Whether it still lives shows in what it prints then.
  void give_line() const {
    ::kill(id_, SIGCONT);
    [[maybe_unused]] const ssize_t written = ::write(input_, "\n", 1);
  }
  void stop() const {
    if (id_ != 0) ::kill(id_, SIGSTOP);
  }

 private:
  static void look_for_signals() {
    if (asked_to_end_by() != 0) throw asked_to_end{};
  }
  static void close_end(int each) {
    if (each >= 0) ::close(each);
  }

  void end() {
    if (id_ > 0) {
      ::kill(id_, SIGKILL);
      int status = 0;
      while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {}
    }
    id_ = 0;
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

  child_end wait_for_end(time_ns until_ns) {
    const std::optional<int> status = wait(until_ns);
    if (!status) return {.is_too_slow = true};
    look_for_signals();  // one from a terminal has come to both
    if (WIFSIGNALED(*status)) {
      return {.problem = "was ended by " + signal_text(WTERMSIG(*status)) +
                         (WTERMSIG(*status) == SIGKILL ? ", perhaps for lack of memory" : "")};
    }
    if (WEXITSTATUS(*status) == 0) return {};
    return {.problem = "failed with exit code " + std::to_string(WEXITSTATUS(*status))};
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
  int input_ = -1;
};

}  // namespace filch::tool
