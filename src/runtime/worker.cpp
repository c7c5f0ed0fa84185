// The worker's loop: asks the policy for the next step and carries it out.
#include "worker.hpp"

#include "core.hpp"
#include "fork_recording.hpp"

#include <filch/base/assert.hpp>
#include <filch/share/symmetric_transfer.hpp>

#include <algorithm>
#include <utility>

namespace filch::inline v0 {

namespace {

using policy::outcome;
using policy::step;
using policy::step_kind;

// What the policies see of the runtime.
struct search_view {
  const runtime::core& home;

  [[nodiscard]] std::uint32_t size_hint(worker_id of) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(home.workers[of.value].queued_hint(), UINT32_MAX));
  }
  [[nodiscard]] bool bands_in_use() const { return home.bands_in_use(); }
};

outcome as_outcome(steal_status status) {
  switch (status) {
    case steal_status::taken:
      return outcome::found;
    case steal_status::lost:
      return outcome::lost;
    case steal_status::empty:
      break;
  }
  return outcome::empty;
}

}  // namespace

worker::worker(runtime::core& home_, worker_id self_)
    : home{home_},
      self{self_},
      queues{home_.chosen.deques},
      point{home_.may_visit(), this},
      trace{home_.chosen.trace != nullptr ? &home_.chosen.trace->of_worker(self_) : &trace::recorder::off()},
      fork_detail{home_.chosen.trace != nullptr ? home_.chosen.trace->forks() : trace::fork_detail::stolen},
      search_{home_.search_options, self_, *home_.chosen.workers,
              [&home_](worker_id a, worker_id b) { return home_.distance(a, b); },
              random_stream{home_.chosen.seed}.split(self_.value)} {}

void worker::set_current(worker* held) noexcept {
  worker* const left = current();
  if (left != nullptr && left != held) left->point.leave();
  detail::running_local_work = held;
  if (held != nullptr) return held->listen(running_latent_stack());
  if (latent_stack* const stack = running_latent_stack()) stack->shows_loops = false;
  give_back_kept_stacks();
}

void worker::listen(latent_stack* running) noexcept {
  const bool is_alone = *home.chosen.workers == 1 && home.chosen.trace == nullptr;  // nobody asks
  if (running != nullptr) running->is_private = is_alone;
  if (is_alone && running != nullptr) (void)clear_requests(*running, this);
  if (running != nullptr && home.chosen.trace != nullptr) {
    running->fork_limit.store(latent_stack::k_fork_requested,
                              std::memory_order_relaxed);  // statistic: how it hears of forks
    prepare_recording(*running, *this);
  }
  point.listen(running, !is_alone);
  // statistic
  if (running != nullptr && !is_alone && state.load(std::memory_order_relaxed) == worker_state::running) note_running();
}

void worker::promote_oldest_fork() noexcept {
  latent_stack* const stack = running_latent_stack();
  if (stack == nullptr || !has_latent_work(*stack)) return;
  const closed_point closed;
  (void)point.promote_oldest(*stack, home, current_task != nullptr ? current_task->id : task_id::none(),
                             share_point::share::all);
}

// ---- coroutines that are ready --------------------------------------------------------------------------------------

void worker::put_ready(coroutine_entry& entry, turn when) noexcept {
  changes.begin();
  if (when == turn::last || search_.options().order == policy::order::fifo) ready.put_behind(entry);
  else ready.put(entry);
  changes.end();
  // statistic: heard late, answered late
  if (wanted.load(std::memory_order_relaxed) == request_kind::work) [[unlikely]]
    share_ready();
}

coroutine_entry* worker::take_ready() noexcept {
  // statistic: heard late, answered late
  if (wanted.load(std::memory_order_relaxed) == request_kind::work && ready.size() > 1) [[unlikely]]
    share_ready();
  changes.begin();
  coroutine_entry* const taken = ready.take();
  changes.end();
  return taken;
}

// Half of those that are ready become stealable. One alone stays: its turn comes when what runs suspends or ends, and
// the monitor thread visits a worker where that takes long. Without a monitor thread that can, it does not stay.
void worker::share_ready() noexcept {
  const std::uint32_t most = 256u >> point.pace.streak();  // guess
  constexpr std::uint64_t k_enough = 2;                    // for one who comes and asks again; guess
  changes.begin();
  const std::uint32_t size = ready.size();
  if (size == 0 || (size == 1 && home.has_visitor())) {
    changes.end();
    if (size != 0) home.call_monitor();
    return;
  }
  for (std::uint32_t left = std::clamp(size / 2, 1u, most); left != 0; --left) {
    home.push_own_quietly(*ready.take_oldest(), *this);
  }
  changes.end();
  if (queues.deque_hint(policy::priority::normal) >= k_enough) {
    wanted.store(trace->is_enabled() ? request_kind::recording : request_kind::none,
                 std::memory_order_relaxed);  // statistic
  }
  home.notify(self);
}

// ---- running what was found -----------------------------------------------------------------------------------------

void worker::publish_task(task_record* running) {
  current_task = running;
  task_name.store(running != nullptr ? running->name : nullptr, std::memory_order_relaxed);     // statistic
  if (home.measures_tasks) task_since_ns.store(monotonic_now_ns(), std::memory_order_relaxed);  // ordered by [R10]
  // [R10] release store: the task's beginning comes before its number, so that the watchdog never takes the end of the
  // task before it for its beginning → [R11] in report_long_tasks().
  task_number.store((running != nullptr ? running->id : task_id::none()).value, std::memory_order_release);
}

void worker::begin_task() {
  budget = k_budget;
  stretches.store(stretches.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // owner-only
  if (home.chosen.trace != nullptr) prepare_recording_here();
  if (trace->is_enabled()) {
    request_kind before = request_kind::none;
    // statistic: one who wants work is more important
    (void)wanted.compare_exchange(before, request_kind::recording, std::memory_order_relaxed,
                                  std::memory_order_relaxed);
  }
}

// The entry lies in the coroutine's frame: once that resumes, it is not touched any more.
void worker::resume(coroutine_entry& taken, task_record* inside) noexcept {
  worker* me = current();
  task_record running{.id = taken.id, .name = taken.name, .home = &me->home, .inside = inside, .priority = taken.band};
  me->note_before_inside(inside);
  me->begin_task();
  me->publish_task(&running);
  me->trace->start(running.id);
  const bool goes_on = taken.kind == entry_kind::coroutine || me->may_start(taken);
  if (goes_on) resume_here(taken.self);

  me = current();
  if (!goes_on) me->trace->cancel(running.id);
  me->trace->end(running.id);
  me->publish_task(inside);
  me->counters.add(goes_on ? trace::count::executed : trace::count::cancelled);
  me->books.finished();
}

bool worker::may_start(coroutine_entry& spawned) noexcept {
  const bool is_late = home.life_now() == life::cancelling;
  if (is_late) home.note_cut_short();
  return static_cast<const start_rule*>(std::exchange(spawned.group, nullptr))->may_start(spawned, is_late);
}

void worker::execute(queue_entry& taken) noexcept { execute_inside(taken, nullptr); }

void worker::execute_inside(queue_entry& taken, task_record* inside) noexcept {
  switch (taken.kind) {
    case entry_kind::coroutine:
    case entry_kind::spawned:
      resume(static_cast<coroutine_entry&>(taken), inside);
      break;
    case entry_kind::stack:
      continue_soon(static_cast<suspended_stack&>(taken));
      break;
    case entry_kind::task: {
      auto& task = static_cast<task_base&>(taken);
      if (task.state.claim()) execute_claimed(task, inside);
      task.release();
      break;
    }
  }
}

// ---- the loop -------------------------------------------------------------------------------------------------------

[[gnu::flatten]] void worker::run() noexcept {
  while (worker* const me = current()) {
    if (queue_entry* const found = me->next()) {
      execute(*found);
      continue_others_instead();
      continue;
    }
    switch (me->must_leave()) {
      case leave::no:
        break;
      case leave::stopped:
        set_current(nullptr);
        break;
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
  if (home.sources.keeper.earliest_ns() != k_never_ns) [[unlikely]]
    look_at_sources_in_turn();
  search_.begin();
  if (home.crew().has_returners()) return nullptr;
  while (true) {
    const step now = search_.next(view);
    if (now.kind == step_kind::wait) {
      wait(now.wait_ns);
      if (has_new_of_its_own()) search_.begin();
    } else if (now.kind == step_kind::park) {
      park(now.wait_ns);
      search_.woken();
      if (has_new_of_its_own()) search_.begin();
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

// What the sources have given lies in its own queue, and what a visitor has taken from its coroutines in its own slot:
// a search that has begun looks at neither. The visitor may sleep again, as this worker searches.
bool worker::has_new_of_its_own() { return home.poll_sources() || point.cell.has_offer(); }

// It begins with something new, while others sleep, and its joins shall answer: should it fork and not join, nobody
// would hear.
void worker::note_running() noexcept {
  // [L21] seq_cst fence: "run, then look whether somebody asks" against "ask, then look who runs" ↔ [L22].
  std_atomics::fence(std::memory_order_seq_cst);
  if (point.awaits_join() && home.idle().sleeping_hint() != 0) home.call_monitor();
}

worker_queues::look worker::carry_out(const step& now) {
  switch (now.kind) {
    case step_kind::inbox:
      return counted(queues.pop_pinned(now.band));
    case step_kind::local:
      return take_local(now.band);
    case step_kind::injector:
      return take_injected(now.band);
    case step_kind::victim:
      return rob(now.victim, now.band);
    case step_kind::wait:
    case step_kind::park:
      break;
  }
  FILCH_ASSERT(false, now.kind);
  return {};
}

// Children first, then coroutines that are ready, then the deque; now and then the deque before the coroutines, so that
// nothing waits there for ever. What others were offered and do not take comes before all.
worker_queues::look worker::take_local(policy::priority band) {
  constexpr std::uint32_t k_deque_first = 16;  // guess
  if (band != policy::priority::normal) return pop_own(band);
  if (const queue_entry* const offer = point.cell.peek(); offer != nullptr || offer_seen_ != nullptr) [[unlikely]] {
    if (is_overdue(offer)) {
      if (const auto overdue = take_own_offer(); overdue.item != nullptr) return overdue;
    }
  }
  if (const auto child = take_child(); child.item != nullptr) return child;
  if (ready.size() == 0) return pop_own(band);
  const bool is_deque_first = deque_turns_ != 0 || ++turns_ % k_deque_first == 0;
  if (deque_turns_ != 0) --deque_turns_;
  if (is_deque_first) {
    if (const auto result = queues.pop(band, search_.options().order); result.item != nullptr) return result;
    deque_turns_ = 0;
  }
  coroutine_entry* const taken = take_ready();
  if (taken == nullptr) return {};  // a visitor was quicker
  return {steal_status::taken, taken, 0};
}

// A task that blocks, or a visitor, has put it into the own slot, and one who asked for it was to come. All may have
// found something else since then.
bool worker::is_overdue(const queue_entry* offer) {
  constexpr time_ns k_patience_ns = 100 * k_ns_per_us;  // guess: one who is woken comes sooner
  const time_ns now_ns = monotonic_now_ns();
  if (offer != std::exchange(offer_seen_, offer)) offer_seen_ns_ = now_ns;
  return offer != nullptr && now_ns - offer_seen_ns_ >= k_patience_ns;
}

// From the deque, else from the mail, else from the own slot.
worker_queues::look worker::pop_own(policy::priority band) {
  const auto result = queues.pop(band, search_.options().order);
  if (result.item != nullptr) return result;
  const auto mailed = counted(queues.pop_mail(band));
  return mailed.status != steal_status::empty || band != policy::priority::normal ? mailed : take_own_offer();
}

worker_queues::look worker::take_own_offer() {
  offer_seen_ = nullptr;
  return take_offer(point);
}

// What others have put into the injector or into this worker's mail, which of the two first in turn: so neither a flood
// of own tasks nor one of the injector can starve the mail, and a worker that was woken finds it.
worker_queues::look worker::take_injected(policy::priority band) {
  mail_first_ = !mail_first_;
  if (mail_first_) {
    if (const auto mailed = queues.pop_mail(band); mailed.item != nullptr) return counted(mailed);
  }
  const auto result = pop_injected(band);
  if (result.item != nullptr) return result;
  if (const auto mailed = queues.pop_mail(band); mailed.status != steal_status::empty) return counted(mailed);
  if (band == policy::priority::normal) {
    if (const auto offered = take_from_external(); offered.item != nullptr) return counted(offered);
  }
  return result;
}

// A worker that has nothing else takes several coroutines at once, so that the many who fill the injector and the few
// who empty it meet less often. A plain task ends the batch: in the deque it could be passed by others for ever.
worker_queues::look worker::pop_injected(policy::priority band) {
  constexpr std::uint64_t k_most = 16;  // guess
  queue::injector<>& from = home.injector_of(band);
  const bool is_idle = band == policy::priority::normal && ready.size() == 0 && queues.deque_hint(band) == 0;
  const std::uint64_t share = is_idle ? std::min(from.size_hint() / home.workers.size() + 1, k_most) : 1;
  queue_entry* first = nullptr;
  queue_entry* last = nullptr;
  std::uint32_t count = 0;
  const auto status = from.pop_batch(static_cast<std::uint32_t>(share), [&](queue::link* each) {
    auto* const taken = static_cast<queue_entry*>(each);
    const bool is_one = is_coroutine(*taken);
    ++count;
    if (first == nullptr) first = taken;
    else if (is_one) put_ready(static_cast<coroutine_entry&>(*taken), turn::last);  // others may have it now
    else last = taken;
    return is_one;
  });
  if (first == nullptr) return {status, nullptr, 0};
  if (last != nullptr) {
    queues.mail(*last);
    home.notify(self);
  }
  if (home.chosen.injector_bound) home.made_room();
  counters.add(trace::count::injected, count);
  return {steal_status::taken, first, 0};
}

// Work that came from others goes into the books.
worker_queues::look worker::counted(worker_queues::look result) {
  if (result.item != nullptr) counters.add(trace::count::injected);
  return result;
}

// A child that waits in the own list: it is a task from now on.
worker_queues::look worker::take_child() {
  pending_group& group = *newest.load(std::memory_order_relaxed);  // owner-only
  coroutine_entry* const child = &group != &bottom ? take_pending(*this, group) : nullptr;
  if (child == nullptr) return {};  // a visitor was quicker
  home.number(*child, *this);
  return {steal_status::taken, child, 0};
}

}  // namespace filch::inline v0
