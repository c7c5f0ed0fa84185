#include "ending.hpp"

#include <string.h>
#include <unistd.h>

#include <algorithm>

namespace filch::tool {
namespace {

volatile sig_atomic_t asked_by = 0;
// The running measurement; a crash inside goes_on_with() may print a mixture of two texts.
std::array<char, 256> going_on{};

extern "C" void note_signal(int signal) { asked_by = signal; }

void put(const char* text) { [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, ::strlen(text)); }

const char* crash_name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    default:
      return "SIGABRT";
  }
}

// SA_RESETHAND has put the default back.
extern "C" void report_crash(int signal) {
  put("\nfilch: the command itself crashed (");
  put(crash_name(signal));
  put(") in ");
  put(going_on.data());
  put("\n");
  ::raise(signal);
}

void handle(int signal, void (*handler)(int), int flags, struct sigaction* before) {
  struct sigaction wanted{};
  wanted.sa_handler = handler;
  wanted.sa_flags = flags;
  ::sigemptyset(&wanted.sa_mask);
  ::sigaction(signal, &wanted, before);
}

}  // namespace

int asked_to_end_by() noexcept { return asked_by; }

std::string signal_text(int signal) {
  const char* const words = ::sigdescr_np(signal);
  return "signal " + std::to_string(signal) + (words == nullptr ? "" : " (" + std::string{words} + ")");
}

ending_watch::ending_watch() {
  asked_by = 0;
  goes_on_with("the beginning");
  for (std::size_t i = 0; i != k_asking.size(); ++i) {
    handle(k_asking[i], note_signal, 0, &asking_before_[i]);
    if (asking_before_[i].sa_handler == SIG_IGN) ::sigaction(k_asking[i], &asking_before_[i], nullptr);
  }
  for (std::size_t i = 0; i != k_crashes.size(); ++i) {
    handle(k_crashes[i], report_crash, static_cast<int>(SA_RESETHAND), &crashes_before_[i]);
  }
  handle(SIGPIPE, SIG_IGN, 0, &pipe_before_);
}

ending_watch::~ending_watch() {
  for (std::size_t i = 0; i != k_asking.size(); ++i) ::sigaction(k_asking[i], &asking_before_[i], nullptr);
  for (std::size_t i = 0; i != k_crashes.size(); ++i) ::sigaction(k_crashes[i], &crashes_before_[i], nullptr);
  ::sigaction(SIGPIPE, &pipe_before_, nullptr);
}

void ending_watch::goes_on_with(std::string_view what) noexcept {
  const std::size_t length = std::min(what.size(), going_on.size() - 1);
  std::copy_n(what.begin(), length, going_on.begin());
  going_on[length] = '\0';
}

}  // namespace filch::tool
