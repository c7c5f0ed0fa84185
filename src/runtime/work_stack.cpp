#include "work_stack.hpp"

#include "core.hpp"
#include "external_threads.hpp"
#include "stack/kept_stacks.hpp"
#include "worker.hpp"

#include <filch/base/assert.hpp>
#include <filch/runtime/errors.hpp>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <utility>

namespace filch::inline v0 {

namespace detail {
constinit latent_stack no_latent_stack{latent_stack::k_fork_requested, latent_stack::k_none};
constinit thread_local latent_stack* running_latent_stack = &no_latent_stack;
}  // namespace detail

namespace {

// What a thread of the crew has beside its own stack. The fields below `running` say what is to be done for the stack
// that was just left, by the one that was entered: until then the former is not complete.
struct thread_place {
  explicit thread_place(stack_pool& from) : kept{from} {}

  kept_stacks kept;
  fiber own;
  pooled_stack* running = nullptr;
  suspended_stack* next = nullptr;     // to be continued soon
  pooled_stack* unused = nullptr;      // is kept, or goes back to the pool
  child_counter* awaited = nullptr;    // `waiting` waits for it
  suspended_stack* waiting = nullptr;  // without `awaited`: are ready, in its turn
  suspended_stack* staying = nullptr;  // are ready, on this thread; the newest
};

// Of those that must stay on this thread the oldest, so that each has its turn.
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
  if (worker* const me = worker::current()) me->listen(latent);
}

// The duties of whoever has just been entered.
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

// Leaves the running stack for another one. Returns when somebody comes back.
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

}  // namespace

// ---- threads --------------------------------------------------------------------------------------------------------

latent_stack* running_latent_stack() noexcept {
  latent_stack* const found = detail::running_latent_stack;
  return is_none(*found) ? nullptr : found;
}

[[gnu::noinline]] fiber* running_fiber() noexcept {
  const pooled_stack* const running = held_place != nullptr ? held_place->running : nullptr;
  return running != nullptr ? running->entered : nullptr;
}
[[gnu::noinline]] void set_running_fiber(fiber& entered) noexcept { place().running->entered = &entered; }

[[gnu::noinline]] void require_stack_left() {
  const latent_stack* const stack = running_latent_stack();
  if (stack == nullptr || !is_used_up(*stack, reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)))) return;
  throw_stack_exhausted();
}

void note_stack_exhausted() noexcept {
  if (worker* const me = worker::current()) me->home.note_exhausted();
  else if (external_slot* const slot = external_threads::slot_of_thread()) slot->home.note_exhausted();
}

void throw_stack_exhausted() {
  worker* const me = worker::current();
  note_stack_exhausted();
  throw stack_exhausted(me != nullptr ? "options::stack_bytes = " + std::to_string(me->home.chosen.stack_bytes) +
                                            ". Raise it, or nest less deep"
                                      : "it is that of a thread which is no worker. Call it inside runtime::run(), "
                                        "where options::stack_bytes holds, or nest less deep");
}

void run_on_work_stack(stack_pool& pool, stack_loop loop) {
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

namespace {

// Threads that sleep while they wait.
[[gnu::noinline]] park::parker<>& sleeper_of_thread() {
  static thread_local park::parker<> sleeper;
  return sleeper;
}

void sleep_until_done(child_counter& children) {
  park::parker<>& sleeper = sleeper_of_thread();
  suspended_stack who{sleeper};
  if (!children.wait(who)) (void)sleeper.park();
}

}  // namespace

void suspend_until_done(child_counter& children) noexcept {
  worker* const me = worker::current();
  if (me == nullptr) {
    const external_wait away;
    return sleep_until_done(children);
  }
  pooled_stack& mine = *place().running;
  pooled_stack* fresh = nullptr;
  try {
    if (latent_of(mine).stays == 0) fresh = &place().kept.get();
  } catch (const std::bad_alloc&) {
    // No memory for a stack.
  }
  if (fresh == nullptr) {
    bool has_slept = false;  // the gate was counted down, and says nothing any more
    const auto nap = [&](time_ns until_ns) {
      if (until_ns != k_never_ns) return (void)sleeper_of_thread().park(until_ns);
      sleep_until_done(children);
      has_slept = true;
    };
    return wait_here([&] { return has_slept || children.is_done(); }, nap);
  }
  task_record* const running = me->current_task;
  suspended_stack who{mine, running, me->home};
  prepare(*fresh, &worker::run);
  me->promote_oldest_fork();  // behind a join there are none
  me->leave_task();
  place().awaited = &children;
  place().waiting = &who;
  const stack_pool::suspension counted{me->home.stacks()};
  enter(*fresh, false);
  worker::current()->go_on_with(running);
}

void continue_soon(suspended_stack& who) noexcept {
  if (who.sleeper != nullptr) {
    who.sleeper->unpark();
    return;
  }
  thread_place& here = place();
  FILCH_ASSERT(here.next == nullptr, "one stack is continued at a time");
  here.next = &who;
}

void continue_in_turn(suspended_stack& who) noexcept {
  if (who.sleeper != nullptr) {
    who.sleeper->unpark();
    return;
  }
  runtime::core& home = *who.core;
  home.injector_of(policy::priority::normal).push(&who);
  home.notify(worker_id::none());
}

void continue_others_instead() {
  thread_place& here = place();
  suspended_stack* next = std::exchange(here.next, nullptr);
  if (next == nullptr) next = take_staying(here);
  if (next == nullptr) return;
  here.unused = here.running;
  enter(*next->stack, true);
  FILCH_ASSERT(false && "a stack that was given up was continued");
  std::abort();
}

namespace {

// Goes there, and comes back when its turn comes, or, if it stays, when the thread is done there.
void make_way_for(suspended_stack& next) {
  worker& me = *worker::current();
  task_record* const running = me.current_task;
  suspended_stack who{*place().running, running, me.home};
  me.promote_oldest_fork();
  me.leave_task();
  if (latent_of(*place().running).stays == 0) place().waiting = &who;
  else who.older = std::exchange(place().staying, &who);
  const stack_pool::suspension counted{me.home.stacks()};
  enter(*next.stack, false);
  worker::current()->go_on_with(running);
}

[[nodiscard]] bool does_stay() noexcept {
  const latent_stack* const stack = running_latent_stack();
  return stack != nullptr && stack->stays != 0;
}
// A thread that is just starting has no place.
[[nodiscard, gnu::noinline]] bool has_staying_stacks() noexcept {
  return held_place != nullptr && held_place->staying != nullptr;
}

// No thread may stand in: it runs whatever there is. Staying stacks of this thread come to their turn meanwhile, since
// what is waited for may be theirs.
void help_until(const std::function<bool()>& is_over, const std::function<void(time_ns)>& nap) {
  constexpr time_ns k_look_again_ns = 100 * k_ns_per_us;  // guess
  while (!is_over()) {
    worker& me = *worker::current();
    task_record* const outer = me.current_task;
    if (me.home.crew().has_returners() && me.home.leave_worker()) {
      // A task wants to go on and lacks only a worker; perhaps it is the one that is waited for.
      nap(has_staying_stacks() ? monotonic_now_ns() + k_look_again_ns : k_never_ns);
      me.home.return_to_worker(*outer);
    } else if (has_staying_stacks() && !does_stay()) {
      nap(monotonic_now_ns() + k_look_again_ns);
    } else {
      (void)me.home.poll_sources();
      if (queue_entry* const found = me.look_everywhere()) worker::execute_inside(*found, outer);
      else nap(monotonic_now_ns() + k_look_again_ns);
      continue_others_first();
    }
    if (!has_staying_stacks() || is_over()) continue;
    make_way_for(*take_staying(place()));
  }
}

}  // namespace

void continue_others_first() {
  if (suspended_stack* const next = std::exchange(place().next, nullptr)) make_way_for(*next);
}

void wait_here(const std::function<bool()>& is_over, const std::function<void(time_ns)>& nap) {
  worker& me = *worker::current();
  task_record* const running = me.current_task;
  runtime::core& home = me.home;
  if (has_staying_stacks() || !home.leave_worker(does_stay() ? stand_in::beyond_bound : stand_in::within_bound))
    return help_until(is_over, nap);
  nap(k_never_ns);
  home.return_to_worker(*running);
}

}  // namespace filch::inline v0
