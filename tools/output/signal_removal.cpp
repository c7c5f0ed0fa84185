#include "signal_removal.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace filch::tool {
namespace {

// The name of the file, from malloc(). It belongs to the side that takes it out: its signal_removal or the handler.
std::atomic<char*> the_file{nullptr};
static_assert(std::atomic<char*>::is_always_lock_free);

// The signal has its default action again, and comes once more when the handler returns.
void remove_and_end(int signal) {
  // acquire: observes the name → the exchange in signal_removal()
  if (const char* const file = the_file.exchange(nullptr, std::memory_order_acquire)) (void)::unlink(file);
  (void)std::raise(signal);
}

bool watch_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    struct sigaction before{};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action{};
    action.sa_handler = &remove_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigemptyset(&action.sa_mask);
    (void)::sigaction(signal, &action, nullptr);
  }
  return true;
}

}  // namespace

signal_removal::signal_removal(const std::string& file) : mine_{::strdup(file.c_str())} {
  [[maybe_unused]] static const bool are_watched = watch_signals();
  char* none = nullptr;
  // release: publishes the name → the exchange in remove_and_end()
  if (the_file.compare_exchange_strong(none, mine_, std::memory_order_release, std::memory_order_relaxed)) return;
  std::free(mine_);
  mine_ = nullptr;
}

signal_removal::~signal_removal() {
  char* expected = mine_;
  if (expected == nullptr) return;
  // Once the handler has the name, the process is about to end.
  if (the_file.compare_exchange_strong(expected, nullptr, std::memory_order_relaxed)) std::free(mine_);
}

}  // namespace filch::tool
