#include "worker_loop.hpp"

#include "holding.hpp"
#include "own_thread.hpp"
#include "running.hpp"
#include "sleeping.hpp"
#include "suspension.hpp"
#include "waiting.hpp"
#include "work_sources.hpp"

#include <filch/topology/pin_thread.hpp>

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
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(home.workers[of.value].queued_hint(), UINT32_MAX));
  }
  [[nodiscard]] bool bands_in_use() const { return home.queues->bands_in_use(); }
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

// A reason to leave the search without a task.
enum class leave : std::uint8_t { no, stopped, wanted };

leave must_leave(const worker& me) {
  if (me.home.threads->has_returners()) return leave::wanted;
  return me.home.admits.now() == life::stopped ? leave::stopped : leave::no;
}

// What the sources have given lies in the worker's own queue, and what a visitor has taken from its coroutines in its
// own cell: a search that has begun looks at neither. The visitor may sleep again, as this worker searches.
bool has_new_of_its_own(worker& me) { return me.home.wakes->poll_sources(&me) || me.point.offers.is_filled(); }

// What comes next; nullptr: there is a reason to leave.
queue_entry* next(worker& me) {
  const search_view view{me.home};
  if (me.home.wakes->sources.keeper.earliest_ns() != k_never_ns) [[unlikely]]
    look_at_sources_in_turn(me);
  me.search.begin();
  if (me.home.threads->has_returners()) return nullptr;
  while (true) {
    const step now = me.search.next(view);
    if (now.kind == step_kind::wait) {
      wait_awake(me, now.wait_ns);
      if (has_new_of_its_own(me)) me.search.begin();
    } else if (now.kind == step_kind::park) {
      sleep_until_woken(me, now.wait_ns);
      me.search.woken();
      if (has_new_of_its_own(me)) me.search.begin();
    } else {
      const worker_queues::look result = take_work(me, now);
      me.search.report(as_outcome(result.status));
      if (result.status == steal_status::taken) {
        // A worker that announced its sleep and found work instead counts as searching, too.
        if (me.sleep.search_began_ns != 0 || me.sleep.is_searching) end_search(me);
        return result.item;
      }
      continue;
    }
    if (must_leave(me) != leave::no) {
      end_search(me);
      return nullptr;
    }
  }
}

void let_go() noexcept {
  hold_worker(nullptr);
  give_back_kept_stacks();
}

}  // namespace

[[gnu::flatten]] void run_worker() noexcept {
  while (worker* const me = worker::current()) {
    if (queue_entry* const found = next(*me)) {
      execute(*found, nullptr);
      continue_others_instead();
      continue;
    }
    switch (must_leave(*me)) {
      case leave::no:
        break;
      case leave::stopped:
        let_go();
        break;
      case leave::wanted:
        let_go();
        if (!me->home.threads->hand_over(*me)) hold_worker(me);
        break;
    }
  }
}

// ---- threads of the crew --------------------------------------------------------------------------------------------

namespace {

// The first loop of a thread.
void start_thread() noexcept {
  const worker& held = *worker::current();
  if (held.home.chosen.on_thread_start) held.home.chosen.on_thread_start(held.self);
  run_worker();
}

// As late as this: until here the system makes the thread wait, for other threads and for memory, and continues it
// where it likes.
void start_bound_thread() noexcept {
  worker& held = *worker::current();
  if (const std::string problem = held.home.cpus->unbind_thread(); !problem.empty()) held.home.report(problem);
  held.note_cpu();
  start_thread();
}

void thread_main(runtime::core& home, std::uint32_t number) noexcept {
  note_own_thread(home);
  stack_loop begin = nullptr;
  while (worker* const given = home.threads->wait_for_worker()) {
    hold_worker(given);
    if (home.binds_workers()) {
      if (const auto failed = topology::pin_thread(home.cpu_of_worker[given->self.value])) {
        home.report("filch: worker " + std::to_string(given->self.value) + " is not pinned: " + failed.message() +
                    "\n");
      }
    }
    if (begin != nullptr) begin = &run_worker;
    else
      begin = home.cpus->binds_first_threads() && number < *home.chosen.workers ? &start_bound_thread : &start_thread;
    run_on_pooled_stack(*home.stacks, begin);
  }
}

}  // namespace

const thread_actions& actions_of_threads() {
  static constexpr thread_actions k_actions{&thread_main, &run_worker, &share_pending, &share_ready,
                                            &wait_for_children};
  return k_actions;
}

}  // namespace filch::inline v0
