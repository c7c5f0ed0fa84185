#include "dispatch.hpp"

#include "fork_generation.hpp"
#include "ready.hpp"

#include <filch/base/assert.hpp>
#include <filch/runtime/errors.hpp>

#include <new>

namespace filch::inline v0 {
namespace {

std::unique_ptr<queue::injector<>[]> make_injectors(const options& chosen) {
  const auto bound = chosen.injector_bound.value_or(queue::injector<>::k_unbounded);
  static_assert(policy::k_priorities == 3);
  return std::unique_ptr<queue::injector<>[]>{new queue::injector<>[policy::k_priorities] {
    queue::injector<>{bound}, queue::injector<>{bound}, queue::injector<> { bound }
  }};
}

}  // namespace

dispatch::dispatch(runtime::core& home, std::deque<worker>& workers, const options& chosen, policy::placement placed,
                   admission& admits, wakeups& wakes)
    : home_{home},
      workers_{workers},
      session_{chosen.trace},
      admits_{admits},
      wakes_{wakes},
      is_bounded_{chosen.injector_bound.has_value()},
      injectors_{make_injectors(chosen)},
      placement_{placed, *chosen.workers},
      placement_random_{random_stream{chosen.seed}.split(std::uint64_t{UINT32_MAX} + 1)},
      is_placed_{placed != policy::placement::injector} {}

// ---- what is submitted ----------------------------------------------------------------------------------------------

void dispatch::enqueue(task_base& made, worker_id pinned, const submit_options& how, worker* from, bool is_own_thread) {
  number_task(made, from, is_own_thread);
  if (pinned.is_some()) {
    made.pinned_to = pinned;
    if (from == nullptr && session_ != nullptr) session_->outside().inject(made.id, pinned);
    pin(made, pinned, from);
  } else if (from != nullptr) {
    try {
      from->push(made);
    } catch (...) {
      // The deque could not grow. The task is as if it had never been: counted as made and finished, and not as
      // spawned.
      from->totals.finished();
      from->counters.add(trace::count::spawned, UINT64_MAX);
      from->trace.events().cancel(made.id);
      made.release();
      throw;
    }
    wakes_.notify(from->self, from);
  } else if (!inject(made, made.id, how)) {
    take_back_outside(made.id);
    made.release();
    throw injector_full{};
  }
}

void dispatch::place(task_base& made, worker_id at, worker* from, bool is_own_thread) {
  number_task(made, from, is_own_thread);
  workers_[at.value].queues.mail(made);
  wakes_.notify(at, from);
}

void dispatch::spawn(coroutine_entry& entry, const submit_options& how, worker* from, bool is_own_thread) {
  note_band(entry);
  if (from != nullptr) {
    number(entry, *from);
    if (entry.band == policy::priority::normal) put_ready(*from, entry, ready_turn::next);
    else push_own(entry, *from);
    return;
  }
  if (!admit_outside(entry.id, entry.name, is_own_thread)) admission::throw_shut_down();
  const task_id id = entry.id;
  if (!inject(entry, id, how)) {
    take_back_outside(id);
    throw injector_full{};
  }
}

void dispatch::take_in(coroutine_entry& entry, bool is_own_thread) {
  const admission::errand here{admits_};
  if (!admit_outside(entry.id, entry.name, is_own_thread)) admission::throw_shut_down();
  push_injected(entry);
}

// The high bits of a number say which worker made it, so that no two makers need to agree.
void dispatch::number_task(task_base& made, worker* from, bool is_own_thread) {
  if (from != nullptr) {
    made.id = from->number_task();
    from->counters.add(trace::count::spawned);
    if (from->trace.is_enabled()) from->trace.events().spawn(made.id, from->runs.id(), from->trace.name_of(made));
  } else if (!admit_outside(made.id, made.name != nullptr ? made.name : made.label(), is_own_thread)) {
    made.release();
    admission::throw_shut_down();
  }
  note_band(made);
  made.home = &home_;
  made.fork_generation = fork_generation();
}

void dispatch::number(coroutine_entry& entry, worker& from) noexcept {
  entry.id = from.number_task();
  from.counters.add(trace::count::spawned);
  if (from.trace.is_enabled()) from.trace.events().spawn(entry.id, from.runs.id(), from.trace.name_of(entry.name));
}

// Counts and numbers what comes from outside. False: it comes too late, and is taken back.
bool dispatch::admit_outside(task_id& made, const char* name, bool is_own_thread) {
  made = admits_.count_outside();
  if (!admits_.is_accepting(is_own_thread)) {
    take_back_outside(made);
    return false;
  }
  if (session_ != nullptr && session_->outside().is_enabled()) trace_outside_spawn(made, name);
  return true;
}

void dispatch::take_back_outside(task_id made) {
  if (session_ != nullptr) session_->outside().cancel(made);
  admits_.take_back_outside();
}

// False: there is no room, and the entry is still the caller's.
bool dispatch::inject(queue_entry& made, task_id id, const submit_options& how) {
  worker_id at = worker_id::none();
  if (is_placed_) {
    struct load_view {
      const std::deque<worker>& workers;
      [[nodiscard]] std::uint32_t size_hint(worker_id of) const {
        return static_cast<std::uint32_t>(workers[of.value].queued_hint());
      }
    };
    const std::lock_guard lock{placement_mutex_};
    at = placement_.choose(load_view{workers_}, placement_random_);
  }
  if (session_ != nullptr) session_->outside().inject(id, at);
  if (at.is_some()) {
    workers_[at.value].queues.mail(made);
  } else {
    queue::injector<>& into = injector_of(made.band);
    if (!is_bounded_) into.push(&made);
    else if (!push_bounded(made, into, how)) return false;
  }
  wakes_.notify(at, nullptr);
  return true;
}

bool dispatch::push_bounded(queue_entry& made, queue::injector<>& into, const submit_options& how) {
  if (into.try_push(&made) == queue::push_status::pushed) return true;
  if (!how.wait_when_full) {
    made_room();  // for a moment this one stood in the count, and another may have been sent to sleep because of it
    return false;
  }
  const detail::blocking_section section;  // the caller may be a worker of another runtime
  (void)has_room_.wait([&] { return into.try_push(&made) == queue::push_status::pushed; });
  return true;
}

// ---- what is ready --------------------------------------------------------------------------------------------------

void dispatch::push_injected(queue_entry& entry) noexcept {
  injector_of(entry.band).push(&entry);
  wakes_.notify(worker_id::none(), nullptr);
}

void dispatch::push_own_quietly(queue_entry& entry, worker& me) noexcept {
  try {
    me.push(entry);
  } catch (const std::bad_alloc&) {
    injector_of(entry.band).push(&entry);  // needs no memory
  }
}

void dispatch::push_own(queue_entry& entry, worker& me) noexcept {
  push_own_quietly(entry, me);
  wakes_.notify(me.self, &me);
}

void dispatch::pin(queue_entry& entry, worker_id at, worker* from) noexcept {
  workers_[at.value].queues.pin(entry);
  if (wakes_.notify_worker(at) && from != nullptr) {
    from->counters.add(trace::count::wakes);
    from->trace.events().notify(at);
  }
}

void dispatch::put_back(queue_entry& stack, const task_record* running, const char* why, worker* from) noexcept {
  if (running != nullptr) trace_woken(running->id, from, why);
  if (from != nullptr) return push_own(stack, *from);
  const admission::errand here{admits_};
  push_injected(stack);
}

void dispatch::put_back(coroutine_entry& entry, const char* why, worker* from) noexcept {
  if (from != nullptr) {
    number(entry, *from);
    trace_woken(entry.id, from, why);
    if (entry.band == policy::priority::normal) return put_ready(*from, entry, ready_turn::next);
    return push_own(entry, *from);
  }
  const admission::errand here{admits_};
  entry.id = admits_.count_returning();
  if (session_ != nullptr && session_->outside().is_enabled()) trace_outside_spawn(entry.id, entry.name);
  trace_woken(entry.id, nullptr, why);
  push_injected(entry);
}

// The mail is looked at when the deque is empty, and in turn with the injector.
void dispatch::put_behind(coroutine_entry& entry, worker& me) noexcept {
  number(entry, me);
  if (entry.band == policy::priority::normal) {
    look_at_deque_first(me);
    return put_ready(me, entry, ready_turn::last);
  }
  me.queues.mail(entry);
  wakes_.notify(me.self, &me);
}

void dispatch::put_at(coroutine_entry& entry, worker_id at, worker& me) noexcept {
  number(entry, me);
  pin(entry, at, &me);
}

std::uint64_t dispatch::injected_hint() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i != policy::k_priorities; ++i) sum += injectors_[i].size_hint();
  return sum;
}

bool dispatch::has_injected() const {
  for (std::size_t i = 0; i != policy::k_priorities; ++i) {
    if (!injectors_[i].is_empty()) return true;
  }
  return false;
}

void dispatch::drop_empty_entries() {
  const auto drop = [](queue_entry* entry) {
    auto* const left = static_cast<task_base*>(entry);
    FILCH_ASSERT(entry->kind == entry_kind::task && left->state.is_finished(), left->id);
    left->release();
  };
  for (std::size_t i = 0; i != policy::k_priorities; ++i) {
    while (const auto entry = injectors_[i].pop().item) drop(static_cast<queue_entry*>(entry));
    for (worker& each : workers_) each.queues.take_all(static_cast<policy::priority>(i), drop);
  }
}

// ---- the record -----------------------------------------------------------------------------------------------------

void dispatch::trace_outside_spawn(task_id made, const char* name) noexcept {
  auto number = trace::name_id::none();
  try {
    if (name != nullptr) number = session_->names().intern_label(name);
  } catch (const std::bad_alloc&) {
    // Without memory for names, tasks go on without them.
  }
  session_->outside().spawn(made, task_id::none(), number);
}

// What waited for something other than its children resumes: the cause is part of the record.
void dispatch::trace_woken(task_id which, worker* from, const char* why) noexcept {
  if (session_ == nullptr || !session_->is_recording()) return;
  if (from != nullptr) {
    from->trace.events().woken(which, from->runs.id(), from->trace.name_of(why));
    return;
  }
  auto reason = trace::name_id::none();
  try {
    if (why != nullptr) reason = session_->names().intern(why);
  } catch (const std::bad_alloc&) {
    // Without memory for names, events go on without them.
  }
  session_->outside().woken(which, task_id::none(), reason);
}

}  // namespace filch::inline v0
