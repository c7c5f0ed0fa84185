#include "time/timers.hpp"

#include "runtime/port.hpp"

#include <algorithm>
#include <utility>

namespace filch::inline v0::time {
namespace {

// The most timers that one poll takes from a shard: the woken tasks run, here or on a thief, before the next poll.
constexpr std::size_t k_most_at_once = 256;  // guess

void fire_all(timer_node* first, timer_state how) noexcept {
  while (first != nullptr) {
    timer_node& due = *std::exchange(first, first->next);
    due.fire(due, how);
  }
}

}  // namespace

timers::timers(runtime::core& home)
    : home_{home}, shard_count_{port::facts_of(home).workers + 1}, shards_{std::make_unique<shard[]>(shard_count_)} {}

timers& timers::of(runtime::core& home) {
  return static_cast<timers&>(
      port::sources_of(home).get(park::source_kind::timers, [&] { return std::make_unique<timers>(home); }));
}

timers::shard& timers::own_shard() const {
  return shards_[port::current_home() == &home_ ? this_worker().value : shard_count_ - 1];
}

bool timers::start(timer_node& timer, shard& at) const {
  const time_ns due_ns = timer_wheel<timer_node>::due_ns(timer.at_ns);
  port::home& home = home_;
  switch (at.add(timer)) {
    case timer_added::refused:
      return false;
    case timer_added::later:
      break;
    case timer_added::earliest:
      port::note_deadline(home, due_ns);
      break;
  }
  return true;
}

bool timers::poll(time_ns now_ns) {
  bool any = false;
  for (std::uint32_t i = 0; i != shard_count_; ++i) {
    if (shards_[i].earliest_ns() > now_ns) continue;
    timer_node* const due = shards_[i].take_due(now_ns, k_most_at_once);
    any |= due != nullptr;
    fire_all(due, timer_state::fired);
  }
  return any;
}

time_ns timers::deadline_ns() const {
  time_ns earliest_ns = k_never_ns;
  for (std::uint32_t i = 0; i != shard_count_; ++i) earliest_ns = std::min(earliest_ns, shards_[i].earliest_ns());
  return earliest_ns;
}

void timers::cancel_waits() noexcept {
  for (std::uint32_t i = 0; i != shard_count_; ++i) fire_all(shards_[i].close(), timer_state::cancelled);
}

std::string timers::describe() const {
  std::size_t pending = 0;
  for (std::uint32_t i = 0; i != shard_count_; ++i) pending += shards_[i].size();
  return "timers: " + std::to_string(pending) + " pending";
}

}  // namespace filch::inline v0::time
