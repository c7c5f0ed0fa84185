#include <filch/sync/condition.hpp>

namespace filch::inline v0 {

// Once the entry is in line it may be notified, get the mutex and be destroyed as soon as the mutex is unlocked here.
// So this object is not accessed afterwards.
bool condition::condition_entry::begin(const std::stop_token& stop) {
  if (stop.stop_possible()) on_stop_.listen(stop, {&give_up, this});
  mutex& held = held_;
  {
    const sync::short_guard guard{of_.lock_};
    if (!of_.line_.join(*this)) return false;
  }
  held.unlock();
  return true;
}

void condition::condition_entry::end() {
  on_stop_.drop();
  if (state.get() == sync::wait_state::cancelled) throw task_cancelled{};
}

void condition::condition_entry::rejoin_mutex() noexcept {
  if (!held_.state_.lock_or_queue(relock)) relock.who.wake();
}

void condition::condition_entry::give_up(void* who) noexcept {
  auto& self = *static_cast<condition_entry*>(who);
  {
    const sync::short_guard guard{self.of_.lock_};
    if (!self.of_.line_.leave(self)) return;
  }
  self.rejoin_mutex();
}

void condition::wait(std::unique_lock<mutex>& held, const std::stop_token& stop) {
  condition_entry self{*this, *held.mutex()};
  if (self.begin(stop)) self.relock.who.wait_here();
  self.end();
}

void condition::notify_one() {
  sync::line_entry<>* first = nullptr;
  {
    const sync::short_guard guard{lock_};
    first = line_.pop();
  }
  if (first != nullptr) static_cast<condition_entry*>(first)->rejoin_mutex();
}

void condition::notify_all() {
  sync::wake_list<> all;
  {
    const sync::short_guard guard{lock_};
    line_.pop_all(sync::wait_state::granted, all);
  }
  all.wake_each([](sync::line_entry<>& each) { static_cast<condition_entry&>(each).rejoin_mutex(); });
}

}  // namespace filch::inline v0
