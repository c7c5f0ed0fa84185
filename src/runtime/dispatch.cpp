#include "dispatch.hpp"

#include "ready.hpp"

#include <filch/base/assert.hpp>

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

dispatch::dispatch(std::deque<worker>& workers, const options& chosen, admission& admits, wakeups& wakes)
    : workers_{workers}, session_{chosen.trace}, admits_{admits}, wakes_{wakes}, injectors_{make_injectors(chosen)} {}

void dispatch::number(coroutine_entry& entry, worker& from) noexcept {
  entry.id = from.number_task();
  from.counters.add(trace::count::spawned);
  if (from.trace.is_enabled()) from.trace.events().spawn(entry.id, from.runs.id(), from.trace.name_of(entry.name));
}

// ---- what is ready --------------------------------------------------------------------------------------------------

void dispatch::push_injected(queue_entry& entry, worker* from) noexcept {
  injector_of(entry.band).push(&entry);
  wakes_.notify(worker_id::none(), from);
}

void dispatch::push_own_quietly(queue_entry& entry, worker& me) noexcept {
  try {
    me.push(entry);
  } catch (const std::bad_alloc&) {
    injector_of(entry.band).push(&entry);  // needs no memory
  }
}

void dispatch::put_new(coroutine_entry& entry, worker& me) noexcept {
  number(entry, me);
  if (entry.band == policy::priority::normal) put_ready(me, entry, ready_turn::next);
  else push_own(entry, me);
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
  push_injected(stack, nullptr);
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
  if (session_ != nullptr && session_->outside().is_enabled()) record_spawn(entry.id, entry.name);
  trace_woken(entry.id, nullptr, why);
  push_injected(entry, nullptr);
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

void dispatch::record_spawn(task_id made, const char* name) noexcept {
  auto number = trace::name_id::none();
  try {
    if (name != nullptr) number = session_->names().intern_label(name);
  } catch (const std::bad_alloc&) {
    // Without memory for names, tasks have none.
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
    // Without memory for names, events have none.
  }
  session_->outside().woken(which, task_id::none(), reason);
}

}  // namespace filch::inline v0
