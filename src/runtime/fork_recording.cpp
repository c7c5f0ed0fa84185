#include "fork_recording.hpp"

#include "core.hpp"
#include "share/frame_list.hpp"
#include "heartbeat_signal.hpp"
#include "worker.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <new>

namespace filch::inline v0 {
namespace {

// While nothing is recorded, and while all workers sleep.
constexpr time_ns k_slow_beat_ns = 500 * k_ns_per_us;

}  // namespace

// Calls `tell(number, frame)` for every frame that it notes; false: it must be left out, and all after it.
template <class Tell>
static void record_each(latent_stack& stack, worker& me, const task_record* parent, const Tell& tell) noexcept {
  latent_frame* const newest = stack.newest.load(std::memory_order_relaxed);  // owner-only
  see_frames(stack, newest);
  latent_frame* next = frame_behind(newest, stack.last_recorded.load(std::memory_order_relaxed));  // ordered by [V1]
  if (next == nullptr) return;
  while (true) {
    const task_id number = me.next_fork_number();
    const bool is_range = next->kind->run_part != nullptr;
    if (!tell(number, *next)) return;
    if (!is_range) next->offer = mark_of(number);
    else if (parent != nullptr) next->offer = mark_of(parent->id);
    stack.last_recorded.store(next, std::memory_order_relaxed);  // ordered by [V2]
    if (next == newest) return;
    next = next->newer;
  }
}

// One half of what is left becomes a task, which the owner runs at the end if it is not offered. The owner resumes
// behind a new frame, which is noted in its turn. False: there is too little left, or no memory.
static bool record_part(detail::range_frame& range, worker& me, task_id number, task_id parent) noexcept {
  if (range.is_passed() || !range.can_divide()) return false;
  auto* const made = new (std::nothrow) offered_task{range, me.point, parent};
  if (made == nullptr) return false;
  made->id = number;
  made->home = &me.home;
  made->is_recorded = true;
  made->part = range.divide(detail::range_frame::share::half);
  range.add_part(*made);
  range.pass();
  return true;
}

void record_frames(latent_stack& stack, worker& me, const task_record* parent, const latent_frame* made) noexcept {
  if (!me.records_forks()) return;
  const task_id of = parent != nullptr ? parent->id : task_id::none();
  record_each(stack, me, parent, [&](task_id number, latent_frame& frame) {
    if (frame.kind->run_part != nullptr) {
      auto& range = static_cast<detail::range_frame&>(frame);
      if (&frame == made && !range.can_halve()) return true;
      if (!record_part(range, me, number, of)) return true;
    }
    me.trace->spawn(number, of, me.traced_name(frame.kind->label(frame)));
    return true;
  });
  detail::range_frame* const range = divisible_recorded_range(stack);
  if (range == nullptr || range == made) return;
  const task_id number = me.next_fork_number();
  const task_id owner = number_in(range->offer).is_some() ? number_in(range->offer) : of;
  if (record_part(*range, me, number, owner))
    me.trace->spawn(number, owner, me.traced_name(range->kind->label(*range)));
}

detail::range_frame* divisible_recorded_range(const latent_stack& stack) noexcept {
  latent_frame* const newest = stack.newest.load(std::memory_order_relaxed);          // owner-only
  if (newest != stack.last_recorded.load(std::memory_order_relaxed)) return nullptr;  // owner-only
  if (newest == &stack.bottom || newest->kind->run_part == nullptr) return nullptr;
  auto& range = static_cast<detail::range_frame&>(*newest);
  return !range.is_passed() && range.can_divide() ? &range : nullptr;
}

void record_that_it_forks(const runtime::core& home) noexcept {
  trace::session* const recorded = home.chosen.trace;
  if (recorded != nullptr && recorded->is_recording()) recorded->note_forks();
}

void prepare_recording(latent_stack& stack, const worker& me) noexcept {
  stack.shows_loops = *me.home.chosen.workers == 1 && me.records_forks();
  if (!me.trace->is_enabled() || me.fork_detail != trace::fork_detail::stolen) return;
  std::uintptr_t fork_limit = stack.fork_limit.load(std::memory_order_relaxed);  // hint
  if (me.home.chosen.trace->has_forks() || fork_limit >= latent_stack::k_heartbeat) return;
  // statistic: one who wants work is more important
  (void)stack.fork_limit.compare_exchange(fork_limit, latent_stack::k_heartbeat, std::memory_order_relaxed,
                                          std::memory_order_relaxed);
}

void record_frames_in_handler(latent_stack& stack, worker& me) noexcept {
  if (!me.records_forks()) return;
  const task_record* const parent = me.current_task;
  const task_id of = parent != nullptr ? parent->id : task_id::none();
  record_each(stack, me, parent, [&](task_id number, const latent_frame& frame) {
    // A part takes memory: a loop notes it itself, between two blocks.
    return frame.kind->run_part == nullptr && me.trace->note_in_handler(number, of, frame.kind->label(frame));
  });
}

bool clear_requests(latent_stack& stack, const worker* me) noexcept {
  const bool hears_every_fork = me != nullptr && me->records_forks() && me->fork_detail == trace::fork_detail::every;
  const std::uintptr_t quiet = hears_every_fork ? latent_stack::k_heartbeat : stack.low_mark;
  // ordered by [L20]
  const bool is_fork_asked =
      stack.fork_limit.exchange(quiet, std::memory_order_relaxed) == latent_stack::k_fork_requested;
  return take_request(stack) || is_fork_asked;
}

namespace detail {

recorded_child::recorded_child(const latent_frame& frame) noexcept : recorded_child{number_in(frame.offer)} {}

recorded_child::recorded_child(task_id number) noexcept {
  if (!number.is_some()) return;
  worker* const me = worker::current();
  if (me == nullptr) return;
  task_record* const outer = me->current_task;
  task_.id = number;
  task_.home = &me->home;
  task_.inside = outer;
  if (outer != nullptr) task_.priority = outer->priority;
  me->publish_task(&task_);
  me->trace->start(number);
}

recorded_child::~recorded_child() {
  if (!task_.id.is_some()) return;
  worker* const me = worker::current();
  if (me == nullptr) return;
  task_record* const outer = task_.inside;
  me->trace->end(task_.id);
  me->publish_task(outer);
  if (outer != nullptr) me->trace->join(outer->id, task_.id);
}

}  // namespace detail

fork_heartbeat::fork_heartbeat(runtime::core& home, trace::session& session, bool may_interrupt)
    : home_{home},
      session_{session},
      may_interrupt_{may_interrupt && session.may_interrupt() && install_beat_handler()} {
  heard_ns_.resize(home_.workers.size(), monotonic_now_ns());
  // Without the thread only forks that others want are recorded.
  // owner-only
  if (thread_.start(home.chosen.name + "-beat", 0, [this] { run(); }))
    is_stopping_.store(true, std::memory_order_relaxed);
}

fork_heartbeat::~fork_heartbeat() {
  if (is_stopping_.exchange(true, std::memory_order_relaxed)) return;  // ordered by [K1], the parker's token
  rest_.unpark();
  thread_.join();
  if (!session_.is_recording()) return;
  // A short run may have ended before the thread beat once.
  const time_ns left_ns = monotonic_now_ns() - *std::ranges::max_element(heard_ns_);
  if (left_ns > 2 * std::max(k_slow_beat_ns, session_.beat_ns())) session_.note_hidden(left_ns);
}

void fork_heartbeat::run() noexcept {
  (void)::prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul);  // nanoseconds; the default would add 50 µs to every beat
  while (!is_stopping_.load(std::memory_order_relaxed)) {   // ordered by [K1], the parker's token
    const bool is_quiet = !session_.is_recording() || home_.idle().sleeping_hint() == home_.workers.size();
    (void)rest_.park(monotonic_now_ns() +
                     (is_quiet ? std::max(k_slow_beat_ns, session_.beat_ns()) : session_.beat_ns()));
    const time_ns now_ns = monotonic_now_ns();
    if (session_.is_recording()) beat_all(now_ns);
    if (!session_.is_recording() || is_quiet) std::ranges::fill(heard_ns_, now_ns);
  }
}

void fork_heartbeat::beat_all(time_ns now_ns) noexcept {
  for (worker& each : home_.workers) {
    time_ns& heard_ns = heard_ns_[each.self.value];
    const share_point::hearing found = each.point.beat();
    if (found == share_point::hearing::unheard && may_interrupt_) send_beat(each.point.thread_number());
    if (found != share_point::hearing::nothing) session_.note_hidden(now_ns - heard_ns);
    if (found != share_point::hearing::unheard) heard_ns = now_ns;
  }
}

}  // namespace filch::inline v0
