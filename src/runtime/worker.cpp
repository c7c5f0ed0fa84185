// The worker's loop: asks the policy for the next step and carries it out.
#include "worker.hpp"

#include "core.hpp"

#include <filch/base/assert.hpp>

#include <algorithm>

namespace filch::inline v0 {

namespace {

using policy::outcome;
using policy::step;
using policy::step_kind;

// What the policies see of the runtime.
struct search_view {
  const runtime::core& home;

  [[nodiscard]] std::uint32_t size_hint(worker_id of) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(home.workers[of.value].queues.stealable_hint(), UINT32_MAX));
  }
  [[nodiscard]] bool bands_in_use() const { return home.bands_in_use(); }
};

outcome as_outcome(steal_status status) {
  switch (status) {
    case steal_status::taken: return outcome::found;
    case steal_status::lost: return outcome::lost;
    case steal_status::empty: break;
  }
  return outcome::empty;
}

// For the record.
task_id id_of(const queue_entry& entry) {
  switch (entry.kind) {
    case entry_kind::task: return static_cast<const task_base&>(entry).id;
    case entry_kind::coroutine: return static_cast<const coroutine_entry&>(entry).id;
    case entry_kind::stack: break;
  }
  return task_id::none();
}

}  // namespace

worker::worker(runtime::core& home_, worker_id self_)
    : home{home_},
      self{self_},
      queues{home_.chosen.deques},
      desk{this},
      trace{home_.chosen.trace != nullptr ? &home_.chosen.trace->of_worker(self_) : &trace::recorder::off()},
      fork_detail{home_.chosen.trace != nullptr ? home_.chosen.trace->forks() : trace::fork_detail::stolen},
      search_{home_.search_options, self_, *home_.chosen.workers,
              [&home_](worker_id a, worker_id b) { return home_.distance(a, b); },
              random_stream{home_.chosen.seed}.split(self_.value)} {}

void worker::set_current(worker* held) noexcept {
  detail::running_lane = held;
  if (held != nullptr) held->desk.listen(running_latent_stack());
}

// ---- the loop --------------------------------------------------------------------------------------------------------

void worker::run() noexcept {
  while (worker* const me = current()) {
    if (queue_entry* const found = me->next()) {
      execute(*found);
      continue_others_instead();
      continue;
    }
    switch (me->must_leave()) {
      case leave::no: break;
      case leave::stopped: set_current(nullptr); break;
      case leave::wanted:
        set_current(nullptr);
        if (!me->home.crew().hand_over(*me)) set_current(me);
        break;
    }
  }
}

worker::leave worker::must_leave() const {
  if (home.crew().has_returners()) return leave::wanted;
  return home.life_now() == life::stopped ? leave::stopped : leave::no;
}

// What comes next; nullptr: there is a reason to leave.
queue_entry* worker::next() {
  const search_view view{home};
  if (home.sources.keeper.earliest_ns() != k_never_ns) [[unlikely]] look_at_sources_in_turn();
  search_.begin();
  if (home.crew().has_returners()) return nullptr;
  while (true) {
    const step now = search_.next(view);
    if (now.kind == step_kind::wait) {
      wait(now.wait_ns);
      if (home.poll_sources()) search_.begin();
    } else if (now.kind == step_kind::park) {
      park();
      search_.woken();
      if (home.poll_sources()) search_.begin();  // what it has got lies in its own queue
    } else {
      const worker_queues::look result = carry_out(now);
      search_.report(as_outcome(result.status));
      if (result.status == steal_status::taken) {
        // A worker that announced its sleep and found work instead counts as searching, too.
        if (search_began_ns_ != 0 || is_searching_) end_search();
        return result.item;
      }
      continue;
    }
    if (must_leave() != leave::no) {
      end_search();
      return nullptr;
    }
  }
}

worker_queues::look worker::carry_out(const step& now) {
  switch (now.kind) {
    case step_kind::inbox: return counted(queues.pop_pinned(now.band));
    case step_kind::local: {
      if (now.band == policy::priority::normal && has_pending(*this)) return take_child();
      const auto result = queues.pop(now.band, search_.options().order);
      if (result.item != nullptr) return result;
      const auto mailed = counted(queues.pop_mail(now.band));
      // An offer in the own slot was left there by a task that blocks.
      return mailed.status != steal_status::empty ? mailed : take_offer(desk);
    }
    case step_kind::injector: return take_injected(now.band);
    case step_kind::victim: return rob(now.victim, now.band);
    case step_kind::wait:
    case step_kind::park: break;
  }
  FILCH_ASSERT(false, now.kind);
  return {};
}

// What others have put into the injector or into this worker's mail, which of the two first in turn: so neither a flood
// of own tasks nor one of the injector can starve the mail, and a worker that was woken finds it.
worker_queues::look worker::take_injected(policy::priority band) {
  mail_first_ = !mail_first_;
  if (mail_first_) {
    if (const auto mailed = queues.pop_mail(band); mailed.item != nullptr) return counted(mailed);
  }
  const auto result = home.injector_of(band).pop();
  if (result.is_taken()) {
    if (home.chosen.injector_bound) home.made_room();
    return counted({result.status, static_cast<queue_entry*>(result.item), 0});
  }
  if (const auto mailed = queues.pop_mail(band); mailed.status != steal_status::empty) return counted(mailed);
  if (band == policy::priority::normal) {
    if (const auto offered = take_from_guests(); offered.item != nullptr) return counted(offered);
  }
  return {result.status, nullptr, 0};
}

// Work that came from others goes into the books.
worker_queues::look worker::counted(worker_queues::look result) {
  if (result.item != nullptr) counters.add(trace::count::injected);
  return result;
}

worker_queues::look worker::rob(worker_id victim, policy::priority band) {
  start_searching();
  trace->steal_attempt(victim);
  worker& robbed = home.workers[victim.value];
  worker_queues::look result{};
  try {
    result = robbed.queues.rob(band, search_.options().steal, queues);
  } catch (const std::bad_alloc&) {
    // No memory for the loot: nothing was taken; one task fits always.
    result = robbed.queues.rob(band, policy::steal::one, queues);
  }
  if (result.status == steal_status::empty) {
    result = take_offer(robbed.desk);
    ask(robbed.desk, result.item != nullptr);
  } else if (result.item != nullptr && has_pending(robbed) && robbed.queues.deque_hint(band) == 0) {
    ask(robbed.desk, true);
  }
  switch (result.status) {
    case steal_status::taken:
      counters.add(trace::count::stolen_by_me, result.moved + 1);
      robbed.counters.robbed(result.moved + 1);
      trace->steal_success(victim, id_of(*result.item), result.moved + 1);
      counters.raise(trace::count::queue_max, queues.deque_hint(band));
      break;
    case steal_status::lost: trace->steal_lost(victim); break;
    case steal_status::empty: trace->steal_empty(victim); break;
  }
  return result;
}

// A frame becomes a task only now: it is counted where it will run.
worker_queues::look worker::take_offer(latent_desk& from) {
  queue_entry* const taken = from.slot.take();
  if (taken == nullptr) return {};
  if (taken->kind == entry_kind::coroutine) {
    home.number(static_cast<coroutine_entry&>(*taken), *this);
    return {steal_status::taken, taken, 0};
  }
  auto& offered = static_cast<offered_task&>(*taken);
  const task_id fresh{(std::uint64_t{self.value} + 1) << 44 | books.made()};
  counters.add(trace::count::spawned);
  if (!offered.id.is_some()) {  // else it was noted by who forked it
    offered.id = fresh;
    trace->spawn(offered.id, offered.parent, trace::name_id::none());
  }
  return {steal_status::taken, taken, 0};
}

// A child that waits in the own list: it is a task from now on.
worker_queues::look worker::take_child() {
  coroutine_entry& child = take_pending(*this, *newest.load(std::memory_order_relaxed));  // owner-only
  home.number(child, *this);
  return {steal_status::taken, &child, 0};
}

// A guest that keeps its work to itself is the lookout's affair; one that has begun to share is asked for more.
worker_queues::look worker::take_from_guests() {
  worker_queues::look result{};
  home.guests().for_each([&](guest_seat& seat) {
    if (result.item != nullptr) return;
    result = take_offer(seat.desk);
    if (result.item != nullptr) ask(seat.desk, true);
  });
  return result;
}

void worker::ask(latent_desk& robbed, bool has_taken) {
  const time_ns now_ns = monotonic_now_ns();
  if (has_taken ? pace_.take(now_ns) : pace_.may_ask(now_ns)) (void)robbed.ask();
}

queue_entry* worker::look_everywhere() {
  for (const auto band : {policy::priority::high, policy::priority::normal, policy::priority::low}) {
    if (queue_entry* found = counted(queues.pop_pinned(band)).item) return found;
    if (band == policy::priority::normal && has_pending(*this)) return take_child().item;
    if (queue_entry* found = queues.pop(band, search_.options().order).item) return found;
    if (queue_entry* found = take_injected(band).item) return found;
    for (worker& other : home.workers) {
      if (&other == this || other.queues.stealable_hint() == 0) continue;
      const auto result = other.queues.rob(band, policy::steal::one, queues);
      counters.add(trace::count::steal_attempts);
      if (result.item == nullptr) {
        counters.add(trace::count::steal_failures);
        continue;
      }
      counters.add(trace::count::stolen_by_me);
      other.counters.robbed(1);
      trace->steal_success(other.self, id_of(*result.item), 1);
      return result.item;
    }
  }
  return nullptr;
}

}  // namespace filch::inline v0
