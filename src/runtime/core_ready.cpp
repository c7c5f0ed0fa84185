// Entries of stacks and coroutines that go on: into which queue, and who is told.
#include "core.hpp"

#include <new>

namespace filch::inline v0 {

void runtime::core::push_injected(queue_entry& entry) noexcept {
  injector_of(entry.band).push(&entry);
  notify(worker_id::none());
}

void runtime::core::push_own_quietly(queue_entry& entry, worker& me) noexcept {
  try {
    me.push(entry);
  } catch (const std::bad_alloc&) {
    injector_of(entry.band).push(&entry);  // needs no memory
  }
}

void runtime::core::push_own(queue_entry& entry, worker& me) noexcept {
  push_own_quietly(entry, me);
  notify(me.self);
}

void runtime::core::pin(queue_entry& entry, worker_id at, worker* from) noexcept {
  workers[at.value].queues.pin(entry);
  if (idle_->notify_worker(at) && from != nullptr) {
    from->counters.add(trace::count::wakes);
    from->trace->notify(at);
  }
}

void runtime::core::number(coroutine_entry& entry, worker& from) noexcept {
  entry.id = task_id{(std::uint64_t{from.self.value} + 1) << 44 | from.books.made()};
  from.counters.add(trace::count::spawned);
  if (!from.trace->is_enabled()) return;
  const task_record* const parent = from.current_task;
  from.trace->spawn(entry.id, parent != nullptr ? parent->id : task_id::none(), from.traced_name(entry.name));
}

// What waited for something other than its children resumes: who made that so is part of the record.
void runtime::core::trace_woken(task_id who, worker* me, const char* why) noexcept {
  if (chosen.trace == nullptr || !chosen.trace->is_recording()) return;
  if (me != nullptr && &me->home == this) {
    const task_record* const by = me->current_task;
    me->trace->woken(who, by != nullptr ? by->id : task_id::none(), me->traced_name(why));
    return;
  }
  auto reason = trace::name_id::none();
  try {
    if (why != nullptr) reason = chosen.trace->names().intern(why);
  } catch (const std::bad_alloc&) {
    // Without memory for names, events go on without them.
  }
  chosen.trace->outside().woken(who, task_id::none(), reason);
}

void runtime::core::put_back(suspended_stack& entry, const char* why) noexcept {
  worker* const me = worker::current();
  if (entry.running != nullptr) trace_woken(entry.running->id, me, why);
  if (me != nullptr && &me->home == this) return push_own(entry, *me);
  visitors_.fetch_add(1, std::memory_order_relaxed);  // ordered by [R20]: what waited has not ended
  push_injected(entry);
  // [R20] release fetch_sub: this thread is done with the runtime → [R21] in shutdown().
  visitors_.fetch_sub(1, std::memory_order_release);
}

void runtime::core::put_back(coroutine_entry& entry, const char* why) noexcept {
  worker* const me = worker::current();
  if (me != nullptr && &me->home == this) {
    number(entry, *me);
    trace_woken(entry.id, me, why);
    return make_ready(entry, *me);
  }
  visitors_.fetch_add(1, std::memory_order_relaxed);  // ordered by [R22]: what waited has not ended
  entry.id = task_id{outside_books_.add_made()};
  if (chosen.trace != nullptr && chosen.trace->outside().is_enabled()) trace_outside_spawn(entry.id, entry.name);
  trace_woken(entry.id, me, why);
  push_injected(entry);
  // [R22] release fetch_sub: as [R20] → [R21] in shutdown().
  visitors_.fetch_sub(1, std::memory_order_release);
}

void runtime::core::take_in(coroutine_entry& entry) {
  visitors_.fetch_add(1, std::memory_order_relaxed);  // ordered by [R23]: the caller keeps the runtime until then
  entry.id = task_id{outside_books_.add_made()};
  // [R24] seq_cst fence: as [R9], "count it, then look whether we are open" ↔ [R7] in go_to().
  std_atomics::fence(std::memory_order_seq_cst);
  const bool is_refused = !is_accepting();
  if (is_refused) {
    outside_books_.add_finished();
    note_idle();
  } else {
    if (chosen.trace != nullptr && chosen.trace->outside().is_enabled()) trace_outside_spawn(entry.id, entry.name);
    push_injected(entry);
  }
  // [R23] release fetch_sub: as [R20] → [R21] in shutdown().
  visitors_.fetch_sub(1, std::memory_order_release);
  if (is_refused) throw_shut_down();
}

void runtime::core::make_ready(coroutine_entry& entry, worker& me) noexcept {
  if (entry.band == policy::priority::normal) me.put_ready(entry, worker::turn::next);
  else push_own(entry, me);
}

// The mail is looked at when the deque is empty, and in turn with the injector.
void runtime::core::put_behind(coroutine_entry& entry) noexcept {
  worker& me = *worker::current();
  number(entry, me);
  if (entry.band == policy::priority::normal) {
    me.look_at_deque_first();
    return me.put_ready(entry, worker::turn::last);
  }
  me.queues.mail(entry);
  notify(me.self);
}

void runtime::core::put_at(coroutine_entry& entry, worker_id at) noexcept {
  worker& me = *worker::current();
  number(entry, me);
  pin(entry, at, &me);
}

}  // namespace filch::inline v0
