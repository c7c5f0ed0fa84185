// Futexes and mutexes.
#include "engine.hpp"

#include <vector>

namespace filch::check {

// Comparing and going to sleep is one step. What it compares may be outdated, but not older than what any earlier wake
// of this word knew: the kernel's lock of the wait queue orders the two.
bool engine::futex_wait(const void* address, location_id id, std::uint32_t expected, time_ns deadline_ns,
                        const std::source_location& where) {
  step(where);
  const outcome seen = memory_.load_for_wait(current_, address, id, where);
  after(seen);
  if (seen.before != expected) {
    record(event_kind::no_sleep, where, id, 0, seen);
    return true;
  }
  const bool has_deadline = deadline_ns != k_never_ns;
  const bool may_be_spurious = spurious_wakeups_ < how_.spurious_wakeups;
  const bool may_time_out = has_deadline && early_timeouts_ < how_.early_timeouts;
  const unsigned alternatives = 1u + (may_be_spurious ? 1u : 0u) + (may_time_out ? 1u : 0u);
  const unsigned chosen = alternatives == 1 ? 0 : chooser_.choose_value(alternatives);
  if (chosen == 1 && may_be_spurious) {
    ++spurious_wakeups_;
    record(event_kind::spurious, where, id);
    return true;
  }
  if (chosen != 0) {
    ++early_timeouts_;
    record(event_kind::timeout, where, id);
    return false;
  }
  record(event_kind::sleep, where, id, 0, seen);
  strand& me = *threads_[current_];
  me.is_timed_out = false;
  block_until_ready(has_deadline ? state::sleeping_with_deadline : state::sleeping, address, where);
  record(me.is_timed_out ? event_kind::timeout : event_kind::woken, where, id);
  return !me.is_timed_out;
}

// A wake uses the word's address only, so the word may be dead: the usual end of a wait whose object the waiter owns.
void engine::futex_wake(const void* address, location_id id, std::uint32_t count, const std::source_location& where) {
  step(where);
  if (memory_.names_atomic_at(id, address)) memory_.note_wake(current_, id);
  record(event_kind::wake, where, id);
  while (count-- != 0) {
    std::uint8_t asleep[k_max_threads];
    unsigned sleepers = 0;
    for (unsigned i = 0; i != thread_count_; ++i) {
      const strand& t = *threads_[i];
      const bool is_asleep = t.now == state::sleeping || t.now == state::sleeping_with_deadline;
      if (is_asleep && t.waits_for == address) asleep[sleepers++] = static_cast<std::uint8_t>(i);
    }
    if (sleepers == 0) return;
    const bool is_every_one_woken = count + 1 >= sleepers || sleepers == 1;
    const unsigned chosen = is_every_one_woken ? 0 : chooser_.choose_value(sleepers);
    threads_[asleep[chosen]]->now = state::ready;
    wrote();
  }
}

std::uint32_t engine::create_mutex(const void* address) {
  locks_.push_back({address, true, false, 0, {}});
  return static_cast<std::uint32_t>(locks_.size() - 1);
}

engine::lock_state& engine::find_lock(const void* address, std::uint32_t id, const std::source_location& where) {
  if (id >= locks_.size() || locks_[id].address != address || !locks_[id].is_alive) {
    fail(failure::use_after_free,
         threads_[current_]->name + " uses a mutex that does not exist at " + format_where(where));
  }
  return locks_[id];
}

void engine::kill_mutex(const void* address, std::uint32_t id, const std::source_location& where) {
  lock_state& l = find_lock(address, id, where);
  if (l.is_held) {
    fail(failure::user, threads_[current_]->name + " destroys a mutex that " + threads_[l.holder]->name + " holds");
  }
  l.is_alive = false;
}

bool engine::lock(const void* address, std::uint32_t id, bool may_wait, const std::source_location& where) {
  step(where);
  while (find_lock(address, id, where).is_held) {
    if (!may_wait) {
      ++threads_[current_]->idle_operations;
      record(event_kind::try_lock, where, id);
      return false;
    }
    block_until_ready(state::locking, address, where);
  }
  lock_state& l = locks_[id];
  l.is_held = true;
  l.holder = static_cast<std::uint8_t>(current_);
  memory_.tick(current_);
  memory_.synchronise(current_, l.published);
  threads_[current_]->idle_operations = 0;
  wrote();
  record(event_kind::lock, where, id);
  return true;
}

void engine::unlock(const void* address, std::uint32_t id, const std::source_location& where) {
  step(where);
  lock_state& l = find_lock(address, id, where);
  if (!l.is_held || l.holder != current_) {
    fail(failure::user, threads_[current_]->name + " unlocks a mutex that it does not hold at " + format_where(where));
  }
  l.is_held = false;
  l.published = memory_.snapshot(current_);
  memory_.tick(current_);
  for (unsigned i = 0; i != thread_count_; ++i) {
    strand& t = *threads_[i];
    if (t.now == state::locking && t.waits_for == address) t.now = state::ready;
  }
  wrote();
  record(event_kind::unlock, where, id);
}

}  // namespace filch::check
