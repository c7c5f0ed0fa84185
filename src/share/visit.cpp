#include <filch/share/visit.hpp>

#include "visiting.hpp"

#include <new>
#include <shared_mutex>

#include <pthread.h>
#include <sched.h>
#include <time.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace filch::inline v0 {
namespace {

// Shared by visitors, held by a thread that is in fork().
std::shared_mutex& visits_under_way() {
  static std::shared_mutex guards;
  return guards;
}

// The system's lock knows its holder by the number of the thread, which is another one in the copy: there it can be
// unlocked for ThreadSanitizer's records only.
void renew_in_copy() noexcept {
  visits_under_way().unlock();
  ::new (static_cast<void*>(&visits_under_way())) std::shared_mutex;
}

// fork() waits for visitors from now on. False: there is no memory for that.
bool guard_fork() noexcept {
  static const bool is_guarded =
      ::pthread_atfork([] { visits_under_way().lock(); }, [] { visits_under_way().unlock(); }, &renew_in_copy) == 0;
  return is_guarded;
}

}  // namespace

visiting::visiting() noexcept : has_begun_{visits_under_way().try_lock_shared()} {}
visiting::~visiting() {
  if (has_begun_) visits_under_way().unlock_shared();
}

bool prepare_visits() noexcept { return guard_fork() && std_atomics::prepare_heavy_fence(); }

bool prepare_visits_if_cheap() noexcept {
  bool is_cheap = std_atomics::is_heavy_fence_prepared();
#if __has_include(<sys/single_threaded.h>)
  is_cheap = is_cheap || __libc_single_threaded != 0;
#endif
  return is_cheap && prepare_visits();
}

// A visit takes some microseconds, unless the visitor has lost its processor. An owner of a higher real-time priority
// on that processor gives it back only while it sleeps.
void detail::wait_for_visitor(std::uint32_t turn) noexcept {
  constexpr std::uint32_t k_between_yields = 64;
  constexpr std::uint32_t k_before_sleeps = 64 * k_between_yields;
  constexpr timespec k_nap{.tv_sec = 0, .tv_nsec = 50'000};
  if (turn % k_between_yields != 0) std_atomics::pause();
  else if (turn < k_before_sleeps) ::sched_yield();
  else ::nanosleep(&k_nap, nullptr);
}

}  // namespace filch::inline v0
