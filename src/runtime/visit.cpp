#include <filch/runtime/visit.hpp>

#include "visiting.hpp"

#include <shared_mutex>

#include <pthread.h>
#include <sched.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace filch::inline v0 {
namespace {

// Shared by those who visit, held by who is in fork().
std::shared_mutex& visits_under_way() {
  static std::shared_mutex guards;
  static const int registered = ::pthread_atfork([] { visits_under_way().lock(); }, [] { visits_under_way().unlock(); },
                                                 [] { visits_under_way().unlock(); });
  (void)registered;
  return guards;
}

}  // namespace

visiting::visiting() noexcept : has_begun_{visits_under_way().try_lock_shared()} {}
visiting::~visiting() {
  if (has_begun_) visits_under_way().unlock_shared();
}

bool prepare_visits() noexcept {
  (void)visits_under_way();
  return std_atomics::prepare_heavy_fence();
}

bool prepare_visits_if_cheap() noexcept {
  bool is_cheap = std_atomics::is_heavy_fence_prepared();
#if __has_include(<sys/single_threaded.h>)
  is_cheap = is_cheap || __libc_single_threaded != 0;
#endif
  return is_cheap && prepare_visits();
}

// A visit takes some microseconds, unless the visitor has lost its processor.
void detail::wait_for_visitor(std::uint32_t turn) noexcept {
  if (turn % 64 == 0) ::sched_yield();
  else std_atomics::pause();
}

}  // namespace filch::inline v0
