#include <filch/runtime/visit.hpp>

#include "visiting.hpp"

#include <shared_mutex>

#include <pthread.h>
#include <sched.h>

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

// A visit takes some microseconds, unless the visitor has lost its processor.
void detail::wait_for_visitor(std::uint32_t turn) noexcept {
  if (turn % 64 == 0) ::sched_yield();
  else std_atomics::pause();
}

}  // namespace filch::inline v0
