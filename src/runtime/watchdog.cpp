#include "watchdog.hpp"

#include <filch/base/assert.hpp>
#include <filch/base/atomics.hpp>

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <utility>

namespace filch::inline v0 {
namespace {

constexpr std::uint64_t k_signal = 1;
constexpr std::uint64_t k_stop = std::uint64_t{1} << 32;

// The signal handler may only touch lock-free atomics and call write(): so the events of all monitors stand in a fixed
// array.
constexpr std::size_t k_max_signalled = 64;
constinit std::atomic<int> signalled[k_max_signalled] = {};  // event + 1; 0: free
std::mutex handler_mutex;
int handler_users = 0;           // guarded by handler_mutex
struct sigaction previous = {};  // guarded by handler_mutex

constinit std::atomic<std::uint32_t> handlers_running{0};

void tell(int event, std::uint64_t what) { (void)!::write(event, &what, sizeof what); }

void handle_signal(int) {
  const int saved = errno;
  handlers_running.fetch_add(1, std::memory_order_relaxed);  // ordered by [R12]
  // [R12] seq_cst fence: "say that a handler runs, then read the events" here against "take the event out, then look
  // for handlers" in remove_signalled() ↔ [R13]. It forbids writing to an event that was closed.
  std_atomics::fence(std::memory_order_seq_cst);
  for (auto& slot : signalled) {
    const int event = slot.load(std::memory_order_relaxed);  // ordered by [R12]
    if (event != 0) tell(event - 1, k_signal);
  }
  // [R14] release fetch_sub: the writes to events come before → [R15].
  handlers_running.fetch_sub(1, std::memory_order_release);
  errno = saved;
}

void add_signalled(int event) {
  const std::lock_guard lock{handler_mutex};
  std::size_t slot = 0;
  // owner-only: changed under the mutex
  while (slot != k_max_signalled && signalled[slot].load(std::memory_order_relaxed) != 0) ++slot;
  if (slot == k_max_signalled) {
    throw std::system_error(EMFILE, std::generic_category(), "filch: more than 64 runtimes with dump_on_sigusr2");
  }
  signalled[slot].store(event + 1, std::memory_order_relaxed);  // ordered by [R12], or the next signal sees it
  if (handler_users++ == 0) {
    struct sigaction action = {};
    action.sa_handler = &handle_signal;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    FILCH_ASSERT(::sigaction(SIGUSR2, &action, &previous) == 0, errno);
  }
}

void remove_signalled(int event) {
  const std::lock_guard lock{handler_mutex};
  for (auto& slot : signalled) {
    // ordered by [R13]
    if (slot.load(std::memory_order_relaxed) == event + 1) slot.store(0, std::memory_order_relaxed);
  }
  // [R13] seq_cst fence: the other half of ↔ [R12].
  std_atomics::fence(std::memory_order_seq_cst);
  // [R15] acquire load: the handlers that may have read the event are through ← [R14].
  while (handlers_running.load(std::memory_order_acquire) != 0) std_atomics::pause();
  if (--handler_users == 0) FILCH_ASSERT(::sigaction(SIGUSR2, &previous, nullptr) == 0, errno);
}

}  // namespace

watchdog::watchdog(std::string name, duties what) : duties_{std::move(what)}, event_{::eventfd(0, EFD_CLOEXEC)} {
  if (event_ < 0) throw std::system_error(errno, std::generic_category(), "filch: eventfd for the watchdog");
  if (const std::error_code refused = thread_.start(name + "-mon", 0, [this] { run(); })) {
    ::close(event_);
    throw std::system_error(refused, "filch: thread of the watchdog");
  }
  if (duties_.on_sigusr2) {
    try {
      add_signalled(event_);
    } catch (...) {
      tell(event_, k_stop);
      thread_.join();
      ::close(event_);
      throw;
    }
  }
}

watchdog::~watchdog() {
  if (duties_.on_sigusr2) remove_signalled(event_);
  tell(event_, k_stop);
  thread_.join();
  ::close(event_);
}

void watchdog::run() noexcept {
  while (true) {
    pollfd wait{event_, POLLIN, 0};
    const int timeout_ms =
        duties_.every_ns ? static_cast<int>((*duties_.every_ns + k_ns_per_ms - 1) / k_ns_per_ms) : -1;
    const int ready = ::poll(&wait, 1, timeout_ms);
    if (ready < 0) {
      FILCH_ASSERT(errno == EINTR, errno);
      continue;
    }
    if (ready == 0) {
      duties_.look();
      continue;
    }
    std::uint64_t told = 0;
    (void)!::read(event_, &told, sizeof told);
    if (told >= k_stop) return;
    duties_.on_signal();
  }
}

}  // namespace filch::inline v0
