// The early end of a long measurement: by a signal, or by a crash of the command itself. Both print a message on
// standard error.
#pragma once

#include <signal.h>

#include <array>
#include <string>
#include <string_view>

namespace filch::tool {

// The signal that asked the command to end, while an `ending_watch` lives; 0: none has.
[[nodiscard]] int asked_to_end_by() noexcept;

// "signal 9 (Killed)"
[[nodiscard]] std::string signal_text(int signal);

// While it lives: SIGINT, SIGTERM, SIGHUP  are kept for asked_to_end_by(), unless they were ignored before SIGSEGV,
//   SIGABRT, …      say what was going on, then end the process as they do elsewhere SIGPIPE                  is
//   ignored: a reader that has gone away is an error of the stream, and files are still written
// At most one lives at a time.
class ending_watch {
 public:
  ending_watch();
  ~ending_watch();
  ending_watch(const ending_watch&) = delete;
  ending_watch& operator=(const ending_watch&) = delete;

  // A crash names this.
  void goes_on_with(std::string_view what) noexcept;

  static constexpr std::array k_asking{SIGINT, SIGTERM, SIGHUP};
  static constexpr std::array k_crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

 private:
  std::array<struct sigaction, k_asking.size()> asking_before_{};
  std::array<struct sigaction, k_crashes.size()> crashes_before_{};
  struct sigaction pipe_before_{};
};

}  // namespace filch::tool
