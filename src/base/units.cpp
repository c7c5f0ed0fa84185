#include <filch/base/units.hpp>

#include <ctime>

namespace filch::inline v0 {

time_ns monotonic_now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * k_ns_per_s + now.tv_nsec;
}

}  // namespace filch::inline v0
