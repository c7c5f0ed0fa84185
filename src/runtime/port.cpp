#include "port.hpp"

#include "core.hpp"
#include "running.hpp"
#include "suspension.hpp"
#include "waiting.hpp"

namespace filch::inline v0::port {
namespace {

const submit_options k_plain;

}  // namespace

home* current_home() noexcept {
  const worker* const me = worker::current();
  return me != nullptr ? &me->home : nullptr;
}
home& here() noexcept { return worker::current()->home; }
const task_record* running_task() noexcept { return worker::current()->runs.get(); }

void enqueue(home& at, task_base& made) { at.submits->enqueue(made, worker_id::none(), k_plain, at.own_worker()); }

void spawn(home& at, coroutine_entry& made, const submit_options& how) {
  worker* const from = at.own_worker();
  if (from == nullptr || at.is_forked_child()) at.require_open();
  at.submits->spawn(made, how, from);
}

void place_here(task_base& made) {
  worker& me = *worker::current();
  me.home.submits->place(made, me.self, &me);
}

void count_begun() noexcept { (void)worker::current()->totals.made(); }
void count_ended() noexcept { worker::current()->totals.finished(); }

void put_back(home& at, coroutine_entry& entry, const char* why) noexcept {
  at.queues->put_back(entry, why, at.own_worker());
}

void put_back(suspended_stack& parents, const char* why) noexcept {
  if (parents.sleeper != nullptr) return parents.sleeper->unpark();
  home& at = *parents.core;
  at.queues->put_back(parents, parents.running, why, at.own_worker());
}

void put_behind(coroutine_entry& entry) noexcept {
  worker& me = *worker::current();
  me.home.queues->put_behind(entry, me);
}

void put_at(coroutine_entry& entry, worker_id where) noexcept {
  worker& me = *worker::current();
  me.home.queues->put_at(entry, where, me);
}

void move_to(home& there, coroutine_entry& entry) {
  worker& me = *worker::current();
  there.submits->take_in(entry);
  me.totals.finished();
}

coroutine_entry* take_back_child(const void* group) noexcept {
  worker& me = *worker::current();
  const auto newest = me.queues.take_newest_of(group);
  if (newest.was_disturbed) me.home.wakes->notify(me.self, &me);
  if (newest.item == nullptr) return nullptr;
  auto& child = static_cast<coroutine_entry&>(*newest.item);
  me.trace.events().start(child.id);
  me.trace.events().end(child.id);
  me.counters.add(trace::count::executed);
  me.totals.finished();
  // The worker that was woken for it may come too late, and no other thread knows that there is more.
  if (me.home.wakes->sleeping_hint() != 0) me.request_work();
  return &child;
}

bool run_newest_of(const void* group) noexcept {
  worker& me = *worker::current();
  const auto newest = me.queues.take_newest_of(group);
  if (newest.was_disturbed) me.home.wakes->notify(me.self, &me);
  if (newest.item == nullptr) return false;
  execute(*newest.item, me.runs.get());
  return true;
}

void wait_for(child_counter& children) noexcept { wait_for_children(children); }

void resume_soon(suspended_stack& parents) noexcept { continue_soon(parents); }

// A stack that must stay on its thread does not make way for another that is ready elsewhere.
void resume_parents(suspended_stack& parents) noexcept {
  if (detail::latent_stack_here().stays == 0) continue_soon(parents);
  else continue_in_turn(parents);
}

void resume_before_waiting() noexcept { continue_others_first(); }

void record_join() noexcept {
  if (worker* const me = worker::current()) me->trace.record_join();
}

facts facts_of(const home& which) {
  return {*which.chosen.workers, which.has_cpu_each, which.search_options.idle.initial_ns != 0};
}
bool tracks_tasks(const home& which) { return which.tracks_tasks; }

home& home_of(const runtime& which) { return which.inside(); }

park::source_set& sources_of(home& which) { return which.wakes->sources; }

void note_deadline(home& which, time_ns at_ns) { which.wakes->note_deadline(at_ns, which.own_worker()); }

void note_cancelled_wait() {
  home& at = here();
  if (at.admits.now() == life::cancelling) at.admits.note_cut_short();
}

}  // namespace filch::inline v0::port
