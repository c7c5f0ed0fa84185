#include "heartbeat_signal.hpp"

#include "share/frame_recording.hpp"
#include "worker.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace filch::inline v0 {
namespace {

constexpr int k_signal = SIGURG;

struct sigaction action_before{};

// Its address is the mark of our signals.
char mark;

// Runs on the thread itself, between two of its instructions. Where the share point is closed a list is being changed,
// or another thread visits it: then nothing is recorded, until the next heartbeat.
void note_open_forks() noexcept {
  latent_stack* const stack = current_latent_stack();
  worker* const me = worker::current();
  if (stack == nullptr || me == nullptr || !me->point.lock.try_lock()) return;
  record_frames_in_handler(*stack, me->trace);
  me->point.lock.unlock();
}

void handle(int number, siginfo_t* info, void* context) {
  const int errno_before = errno;
  if (info->si_code == SI_QUEUE && info->si_value.sival_ptr == &mark) {
    note_open_forks();
  } else if ((action_before.sa_flags & SA_SIGINFO) != 0) {
    action_before.sa_sigaction(number, info, context);
  } else if (action_before.sa_handler != SIG_DFL && action_before.sa_handler != SIG_IGN) {
    action_before.sa_handler(number);
  }
  errno = errno_before;
}

// The third field of its stat file, behind the name in parentheses, is R. False, if that cannot be known.
bool is_running(std::int32_t thread_number) noexcept {
  char path[64];
  (void)std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", static_cast<int>(thread_number));
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[128];
  const ssize_t size = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (size <= 0) return false;
  text[size] = '\0';
  const char* const end_of_name = std::strrchr(text, ')');
  return end_of_name != nullptr && end_of_name[1] == ' ' && end_of_name[2] == 'R';
}

}  // namespace

bool install_heartbeat_handler() {
  static const bool is_installed = [] {
    struct sigaction action{};
    action.sa_sigaction = &handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    return ::sigaction(k_signal, nullptr, &action_before) == 0 && ::sigaction(k_signal, &action, nullptr) == 0;
  }();
  return is_installed;
}

void send_heartbeat(std::int32_t thread_number) noexcept {
  if (!is_running(thread_number)) return;
  siginfo_t info;
  std::memset(&info, 0, sizeof info);
  info.si_signo = k_signal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_ptr = &mark;
  (void)::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), thread_number, k_signal, &info);
}

}  // namespace filch::inline v0
