#include <filch/runtime/visit.hpp>

#include <sched.h>

namespace filch::inline v0::detail {

// A visit takes some microseconds, unless the visitor has lost its processor.
void wait_for_visitor(std::uint32_t turn) noexcept {
  if (turn % 64 == 0) ::sched_yield();
  else std_atomics::pause();
}

}  // namespace filch::inline v0::detail
