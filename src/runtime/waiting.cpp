#include "waiting.hpp"

#include "blocking.hpp"
#include "core.hpp"
#include "running.hpp"
#include "suspension.hpp"
#include "work_sources.hpp"

namespace filch::inline v0 {
namespace {

// No thread may stand in: the thread runs whatever there is. Staying stacks of this thread come to their turn
// meanwhile, since what is waited for may be theirs.
void help_until(const std::function<bool()>& is_over, const std::function<void(time_ns)>& nap) {
  constexpr time_ns k_look_again_ns = 100 * k_ns_per_us;  // guess
  while (!is_over()) {
    worker& me = *worker::current();
    runtime::core& home = me.home;
    task_record* const outer = me.runs.get();
    if (home.threads->has_returners() && leave_worker()) {
      // A task is ready and lacks only a worker; perhaps it is the one that is waited for.
      nap(has_staying_stacks() ? monotonic_now_ns() + k_look_again_ns : k_never_ns);
      return_to_worker(home, *outer);
    } else if (has_staying_stacks() && !does_stay()) {
      nap(monotonic_now_ns() + k_look_again_ns);
    } else {
      (void)home.wakes->poll_sources(&me);
      if (queue_entry* const found = take_anything(me)) execute(*found, outer);
      else nap(monotonic_now_ns() + k_look_again_ns);
      continue_others_first();
    }
    if (has_staying_stacks() && !is_over()) continue_staying();
  }
}

}  // namespace

void wait_on_worker(const std::function<bool()>& is_over, const std::function<void(time_ns)>& nap) {
  worker& me = *worker::current();
  task_record* const running = me.runs.get();
  runtime::core& home = me.home;
  if (has_staying_stacks() || !leave_worker(does_stay() ? stand_in::beyond_bound : stand_in::within_bound))
    return help_until(is_over, nap);
  nap(k_never_ns);
  return_to_worker(home, *running);
}

void wait_for_children(child_counter& children) noexcept {
  const worker* const me = worker::current();
  if (me == nullptr) {
    const external_wait away;
    return sleep_until_done(children);
  }
  if (suspend(children, me->home.actions.loop)) return;
  bool has_slept = false;  // the counter was counted down, and says nothing any more
  const auto nap = [&](time_ns until_ns) {
    if (until_ns != k_never_ns) return nap_until(until_ns);
    sleep_until_done(children);
    has_slept = true;
  };
  wait_on_worker([&] { return has_slept || children.is_done(); }, nap);
}

}  // namespace filch::inline v0
