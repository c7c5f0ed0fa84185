#include <filch/sync/mutex.hpp>

namespace filch::inline v0 {

void mutex::wait(const std::stop_token& stop) {
  sync::line_wait<place> self{place{this}, place::k_reason};
  self.wait(stop);
}

void mutex::wake(sync::line_entry<>& next) noexcept { sync::wake_entry(next); }

}  // namespace filch::inline v0
