#include <filch/sync/barrier.hpp>

#include <stdexcept>

namespace filch::inline v0 {

barrier::barrier(std::uint64_t parties) : parties_{parties} {
  if (parties == 0) throw std::invalid_argument("filch: a barrier of 0 parties: allowed is 1 or more");
}

sync::wake_list<> barrier::end_round() {
  sync::wake_list<> woken;
  if (arrived_ != parties_) return woken;
  arrived_ = 0;
  line_.pop_all(sync::wait_state::granted, woken);
  return woken;
}

bool barrier::enter(entry& self) {
  sync::wake_list<> woken;
  {
    const sync::short_guard guard{lock_};
    if (self.state.get() == sync::wait_state::cancelled) return false;
    if (++arrived_ != parties_) return line_.join(self);
    self.state.set(sync::wait_state::granted);
    self.is_last = true;
    woken = end_round();
  }
  sync::wake_entries<entry>(woken);
  return false;
}

void barrier::cancel(entry& self) noexcept {
  {
    const sync::short_guard guard{lock_};
    if (!line_.leave(self)) return;
    --arrived_;
  }
  sync::wake_entry<entry>(self);
}

bool barrier::arrive_and_wait(const std::stop_token& stop) {
  sync::line_wait<target, entry> self{target{this}, "barrier"};
  self.wait(stop);
  return self.is_last;
}

void barrier::arrive_and_drop() {
  sync::wake_list<> woken;
  {
    const sync::short_guard guard{lock_};
    if (--parties_ != 0) woken = end_round();
  }
  sync::wake_entries<entry>(woken);
}

}  // namespace filch::inline v0
