#include <filch/sync/condition.hpp>

namespace filch::inline v0 {

// Once the entry is in line it may be notified, come to the mutex's line and be gone as soon as the mutex is unlocked
// here.
bool condition::waiting_for_both::begin(const std::stop_token& stop) {
  if (stop.stop_possible()) on_stop_.listen(stop, {&give_up, this});
  mutex& held = held_;
  {
    const sync::short_guard guard{of_.lock_};
    if (!of_.line_.join(*this)) return false;
  }
  held.unlock();
  return true;
}

void condition::waiting_for_both::end() {
  on_stop_.drop();
  if (state.get() == sync::wait_state::cancelled) throw task_cancelled{};
}

void condition::waiting_for_both::come_back() noexcept {
  if (!held_.state_.lock_or_queue(relock)) relock.who.wake();
}

void condition::waiting_for_both::give_up(void* who) noexcept {
  auto& self = *static_cast<waiting_for_both*>(who);
  {
    const sync::short_guard guard{self.of_.lock_};
    if (!self.of_.line_.leave(self)) return;
  }
  self.come_back();
}

void condition::wait(std::unique_lock<mutex>& held, const std::stop_token& stop) {
  waiting_for_both self{*this, *held.mutex()};
  if (self.begin(stop)) self.relock.who.wait_here();
  self.end();
}

void condition::notify_one() {
  sync::line_entry<>* first = nullptr;
  {
    const sync::short_guard guard{lock_};
    first = line_.pop();
  }
  if (first != nullptr) static_cast<waiting_for_both*>(first)->come_back();
}

void condition::notify_all() {
  sync::wake_list<> all;
  {
    const sync::short_guard guard{lock_};
    line_.pop_all(sync::wait_state::granted, all);
  }
  all.wake_each([](sync::line_entry<>& each) { static_cast<waiting_for_both&>(each).come_back(); });
}

}  // namespace filch::inline v0
