#include "wakeups.hpp"

namespace filch::inline v0 {

wakeups::wakeups(std::deque<worker>& workers, const options& chosen, const topology::distance_table& distances,
                 bool notes_wakers)
    : workers_{workers},
      how_{chosen.wake},
      distances_{distances},
      notes_wakers_{notes_wakers},
      idle_{*chosen.workers},
      random_{random_stream{chosen.seed}.split(UINT32_MAX)} {}

void wakeups::notify(worker_id origin, worker* by) noexcept {
  if (how_ == wake::all) {
    const std::uint32_t woken = idle_.notify_all();
    if (by != nullptr && woken != 0) by->counters.add(trace::count::wakes, woken);
    return;
  }
  const worker_id woken = idle_.notify([&](const worker_id* sleepers, std::size_t count) {
    const auto distance = [this](worker_id a, worker_id b) { return distances_.between(a, b); };
    const std::size_t index = policy::wake_policy{how_}.choose({sleepers, count}, origin, distance, random_).index();
    // The keeper of the sources sleeps on while others can be woken.
    const bool is_keeper = count != 1 && sleepers[index] == sources.keeper.who_hint();
    const std::size_t choice = is_keeper ? (index != 0 ? index : count) - 1 : index;
    if (by != nullptr && notes_wakers_) {
      by->note_cpu();
      workers_[sleepers[choice].value].woken_by = by;
    }
    return choice;
  });
  if (by != nullptr && woken.is_some()) {
    by->counters.add(trace::count::wakes);
    by->trace.events().notify(woken);
  }
}

void wakeups::answer(park::keeper_call call, worker* by) {
  switch (call.what) {
    case park::keeper_call::kind::nobody:
      break;
    case park::keeper_call::kind::keeper:
      (void)idle_.notify_worker(call.who);
      break;
    case park::keeper_call::kind::vacant:
      notify(worker_id::none(), by);
      break;
  }
}

bool wakeups::poll_sources(worker* by) {
  const time_ns earliest_ns = sources.keeper.earliest_ns();
  if (earliest_ns == k_never_ns) return false;
  const time_ns now_ns = monotonic_now_ns();
  if (earliest_ns > now_ns) return false;
  park::keeper_call call;
  const bool any = sources.poll(now_ns, call);
  answer(call, by);
  return any;
}

}  // namespace filch::inline v0
