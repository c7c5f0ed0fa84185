#include "heartbeat.hpp"

#include "heartbeat_signal.hpp"

#include <sys/prctl.h>

#include <algorithm>

namespace filch::inline v0 {
namespace {

// While nothing is recorded, and while all workers sleep.
constexpr time_ns k_slow_beat_ns = 500 * k_ns_per_us;

}  // namespace

void prepare_recording(latent_stack& stack, const worker& me) noexcept {
  const trace::session& session = *me.trace.session();
  stack.shows_loops = me.is_only && me.trace.records_forks();
  if (!me.trace.leaves_forks_out()) return;
  std::uintptr_t limit = stack.fork_limit.load(std::memory_order_relaxed);  // hint
  if (session.has_forks() || limit >= latent_stack::k_heartbeat) return;
  // statistic: a request for work is more important
  (void)stack.fork_limit.compare_exchange(limit, latent_stack::k_heartbeat, std::memory_order_relaxed,
                                          std::memory_order_relaxed);
}

fork_heartbeat::fork_heartbeat(std::deque<worker>& workers, const wakeups& wakes, trace::session& session,
                               const std::string& name, bool may_interrupt)
    : workers_{workers},
      wakes_{wakes},
      session_{session},
      may_interrupt_{may_interrupt && session.may_interrupt() && install_heartbeat_handler()} {
  heard_ns_.resize(workers_.size(), monotonic_now_ns());
  // Without the thread only forks that are requested are recorded.
  if (thread_.start(name, 0, [this] { run(); })) is_stopping_.store(true, std::memory_order_relaxed);  // owner-only
}

fork_heartbeat::~fork_heartbeat() {
  if (is_stopping_.exchange(true, std::memory_order_relaxed)) return;  // ordered by [K1], the parker's token
  rest_.unpark();
  thread_.join();
  if (!session_.is_recording()) return;
  // A short run may have ended before the first heartbeat.
  const time_ns left_ns = monotonic_now_ns() - *std::ranges::max_element(heard_ns_);
  if (left_ns > 2 * std::max(k_slow_beat_ns, session_.beat_ns())) session_.note_hidden(left_ns);
}

void fork_heartbeat::run() noexcept {
  (void)::prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul);  // nanoseconds; the default would add 50 µs to every pause
  while (!is_stopping_.load(std::memory_order_relaxed)) {   // ordered by [K1], the parker's token
    const bool is_quiet = !session_.is_recording() || wakes_.sleeping_hint() == workers_.size();
    (void)rest_.park(monotonic_now_ns() +
                     (is_quiet ? std::max(k_slow_beat_ns, session_.beat_ns()) : session_.beat_ns()));
    const time_ns now_ns = monotonic_now_ns();
    if (session_.is_recording()) beat_all(now_ns);
    if (!session_.is_recording() || is_quiet) std::ranges::fill(heard_ns_, now_ns);
  }
}

void fork_heartbeat::beat_all(time_ns now_ns) noexcept {
  using hearing = request_board::hearing;
  for (worker& each : workers_) {
    time_ns& heard_ns = heard_ns_[each.self.value];
    const hearing found = each.point.requests.beat();
    if (found == hearing::unheard && may_interrupt_) send_heartbeat(each.point.requests.thread_number());
    if (found != hearing::nothing) session_.note_hidden(now_ns - heard_ns);
    if (found != hearing::unheard) heard_ns = now_ns;
  }
}

}  // namespace filch::inline v0
