#include <filch/sync/detail/permit_target.hpp>

namespace filch::inline v0::sync {

void wait_for_permits(permits<>& of, std::uint64_t wanted, const char* why, const std::stop_token& stop) {
  line_wait<permit_target, permit_entry<>> self{permit_target{&of, wanted}, why, wanted};
  self.wait(stop);
}

void give_permits(permits<>& of, std::uint64_t count, std::uint64_t most) {
  wake_entries<permit_entry<>>(of.give(count, most));
}

}  // namespace filch::inline v0::sync
