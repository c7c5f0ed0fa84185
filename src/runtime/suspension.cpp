#include "suspension.hpp"

#include "core.hpp"
#include "holding.hpp"
#include "stack_header.hpp"
#include "worker.hpp"

#include "share/owner.hpp"
#include "stack/kept_stacks.hpp"

#include <filch/base/assert.hpp>

#include <cstdlib>
#include <new>
#include <utility>

namespace filch::inline v0 {
namespace {

// What a thread of the crew has beside its own stack. The fields below `running` say what is to be done for the stack
// that was just left, by the one that was entered: until then the former is not complete.
struct thread_place {
  explicit thread_place(stack_pool& from) : kept{from} {}

  kept_stacks kept;
  fiber own;
  pooled_stack* running = nullptr;
  suspended_stack* next = nullptr;     // to be resumed soon
  pooled_stack* unused = nullptr;      // is kept, or goes back to the pool
  child_counter* awaited = nullptr;    // `waiting` waits for it
  suspended_stack* waiting = nullptr;  // without `awaited`: is ready, in its turn
  suspended_stack* staying = nullptr;  // is ready, on this thread; the newest
};

// Pops the oldest thread-bound stack, so that each has its turn.
[[nodiscard]] suspended_stack* take_staying(thread_place& here) noexcept {
  if (here.staying == nullptr) return nullptr;
  suspended_stack** last = &here.staying;
  while ((*last)->older != nullptr) last = &(*last)->older;
  return std::exchange(*last, nullptr);
}

constinit thread_local thread_place* held_place = nullptr;

// Not inlined, as everything that reads a thread-local near a switch: the compiler must not keep its address.
[[gnu::noinline]] thread_place& place() noexcept { return *held_place; }
[[gnu::noinline]] void set_place(thread_place* held) noexcept { held_place = held; }
[[gnu::noinline]] void set_running(pooled_stack* stack) noexcept {
  place().running = stack;
  latent_stack* const latent = stack != nullptr ? &latent_of(*stack) : nullptr;
  detail::running_latent_stack = latent != nullptr ? latent : &detail::no_latent_stack;
  if (worker* const me = worker::current()) run_stack(*me, latent);
}

// The duties of the stack that has just been entered.
void arrive() noexcept {
  thread_place& here = place();
  if (pooled_stack* const unused = std::exchange(here.unused, nullptr)) here.kept.put(*unused);
  open_point();
  suspended_stack* const waiting = std::exchange(here.waiting, nullptr);
  if (waiting == nullptr) return;
  if (child_counter* const awaited = std::exchange(here.awaited, nullptr)) {
    if (awaited->wait(*waiting)) here.next = waiting;
  } else {
    continue_in_turn(*waiting);
  }
}

// Leaves the running stack for another one. Returns when a thread comes back.
void enter(pooled_stack& to, bool is_last) noexcept {
  fiber& mine = *place().running->entered;
  close_point();
  set_running(&to);
  (void)fiber::switch_to(mine, *to.entered, is_last);
  arrive();
}

// The bottom of every stack of the pool.
void start(void* loop, fiber&) {
  arrive();
  continue_others_instead();
  reinterpret_cast<stack_loop>(loop)();
  thread_place& here = place();
  here.unused = here.running;
  fiber& mine = here.running->body;
  close_point();
  set_running(nullptr);
  (void)fiber::switch_to(mine, here.own, true);
}

void prepare(pooled_stack& fresh, stack_loop loop) {
  latent_stack& latent = latent_of(fresh);
  latent.newest.store(&latent.bottom, std::memory_order_relaxed);                     // before publication
  latent.last_seen.store(&latent.bottom, std::memory_order_relaxed);                  // before publication
  latent.join_limit.store(latent_stack::k_no_join_limit, std::memory_order_relaxed);  // before publication
  latent.last_recorded.store(&latent.bottom, std::memory_order_relaxed);              // before publication
  latent.last_shared.store(&latent.bottom, std::memory_order_relaxed);                // before publication
  latent.stays = 0;
  latent.low_mark = fresh.body.low_mark();
  latent.lowest = fresh.body.lowest();
  fresh.entered = &fresh.body;
  latent.fork_limit.store(latent.low_mark, std::memory_order_relaxed);  // before publication
  fresh.body.prepare(&start, reinterpret_cast<void*>(loop));
}

// The running task is about to leave its worker, unfinished: its oldest fork that no thief can take yet is promoted,
// since no request would find it afterwards.
task_record* leave_task(worker& me) {
  promote_before_leaving(me);
  task_record* const running = me.runs.get();
  me.counters.add(trace::count::suspends);
  me.trace.suspend_all();
  me.runs.set(nullptr);
  return running;
}
void come_back_to(task_record* running) {
  worker& me = *worker::current();
  me.counters.add(trace::count::resumes);
  me.runs.set(running);
  if (running != nullptr) me.trace.resume_all(*running);
}

[[gnu::noinline]] park::parker<>& sleeper_of_thread() {
  static thread_local park::parker<> sleeper;
  return sleeper;
}

}  // namespace

[[gnu::noinline]] fiber* running_fiber() noexcept {
  const pooled_stack* const running = held_place != nullptr ? held_place->running : nullptr;
  return running != nullptr ? running->entered : nullptr;
}
[[gnu::noinline]] void set_running_fiber(fiber& entered) noexcept { place().running->entered = &entered; }

void run_on_pooled_stack(stack_pool& pool, stack_loop loop) {
  thread_place mine{pool};
  set_place(&mine);
  pooled_stack& fresh = mine.kept.get();
  prepare(fresh, loop);
  close_point();
  set_running(&fresh);
  (void)fiber::switch_to(mine.own, fresh.body);
  arrive();
  set_place(nullptr);
}

void give_back_kept_stacks() noexcept { place().kept.give_back(); }

void sleep_until_done(child_counter& children) noexcept {
  park::parker<>& sleeper = sleeper_of_thread();
  suspended_stack who{sleeper};
  if (!children.wait(who)) (void)sleeper.park();
}

void nap_until(time_ns until_ns) noexcept { (void)sleeper_of_thread().park(until_ns); }

bool suspend(child_counter& children, stack_loop loop) noexcept {
  worker& me = *worker::current();
  pooled_stack& mine = *place().running;
  if (latent_of(mine).stays != 0) return false;
  pooled_stack* fresh = nullptr;
  try {
    fresh = &place().kept.get();
  } catch (const std::bad_alloc&) {
    return false;
  }
  prepare(*fresh, loop);
  suspended_stack who{mine, me.runs.get(), me.home};
  task_record* const running = leave_task(me);  // behind a join there are no forks left to promote
  place().awaited = &children;
  place().waiting = &who;
  const stack_pool::suspension counted{*me.home.stacks};
  enter(*fresh, false);
  come_back_to(running);
  return true;
}

void continue_soon(suspended_stack& who) noexcept {
  if (who.sleeper != nullptr) {
    who.sleeper->unpark();
    return;
  }
  thread_place& here = place();
  FILCH_ASSERT(here.next == nullptr, "one stack is resumed at a time");
  here.next = &who;
}

void continue_in_turn(suspended_stack& who) noexcept {
  if (who.sleeper != nullptr) {
    who.sleeper->unpark();
    return;
  }
  who.core->queues->push_injected(who, who.core->own_worker());
}

void continue_others_instead() {
  thread_place& here = place();
  suspended_stack* next = std::exchange(here.next, nullptr);
  if (next == nullptr) next = take_staying(here);
  if (next == nullptr) return;
  here.unused = here.running;
  enter(*next->stack, true);
  FILCH_ASSERT(false && "a stack that was given up was resumed");
  std::abort();
}

// Goes there, and comes back when its turn comes, or, if it stays, when the thread is done there.
static void make_way_for(suspended_stack& next) {
  worker& me = *worker::current();
  suspended_stack who{*place().running, me.runs.get(), me.home};
  task_record* const running = leave_task(me);
  if (latent_of(*place().running).stays == 0) place().waiting = &who;
  else who.older = std::exchange(place().staying, &who);
  const stack_pool::suspension counted{*me.home.stacks};
  enter(*next.stack, false);
  come_back_to(running);
}

void continue_others_first() {
  if (suspended_stack* const next = std::exchange(place().next, nullptr)) make_way_for(*next);
}

bool does_stay() noexcept {
  const latent_stack* const stack = current_latent_stack();
  return stack != nullptr && stack->stays != 0;
}
// A thread that is just starting has no place.
[[gnu::noinline]] bool has_staying_stacks() noexcept { return held_place != nullptr && held_place->staying != nullptr; }

void continue_staying() noexcept { make_way_for(*take_staying(place())); }

}  // namespace filch::inline v0
