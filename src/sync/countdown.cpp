#include <filch/sync/detail/countdown_target.hpp>

namespace filch::inline v0::sync {

void wait_for_zero(countdown<>& of, const char* why, const std::stop_token& stop) {
  line_wait<countdown_target> self{countdown_target{&of}, why};
  self.wait(stop);
}

void count_down(countdown<>& of, std::uint64_t by) { wake_entries(of.lower(by)); }

}  // namespace filch::inline v0::sync
