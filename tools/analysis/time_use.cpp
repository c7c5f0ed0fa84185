#include "time_use.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "worker_states.hpp"

namespace filch::analysis {
namespace {

// Waits that are told apart. A task that was woken through a lock and does not run yet is ready, but not for the
// verdict on the scheduler: while it is on its way the others still wait for the lock.
enum class waiting : std::uint8_t { ready, ready_with_lock, lock, outside, held };
constexpr std::size_t k_waitings = 5;

enum class change : std::uint8_t { worker, begins, ends, told };

struct moment {
  time_ns at_ns = 0;
  std::uint32_t subject = k_none;  // strand
  std::uint16_t worker = 0;
  change what = change::worker;
  std::uint8_t how = 0;  // worker_state or waiting
  std::uint32_t order = 0;
};

bool is_lock(std::string_view reason) {
  return reason.find("mutex") != std::string_view::npos || reason.find("lock") != std::string_view::npos ||
         reason.find("semaphore") != std::string_view::npos;
}

// How a worker counts; `told` is one that sleeps and is being woken.
constexpr std::size_t k_states = 7;
constexpr auto k_told = static_cast<std::uint8_t>(worker_state::asleep) + 1;

class sweep {
 public:
  sweep(const dag& graph, const trace::recording& from, const presence& present)
      : graph_{graph}, from_{from}, present_{present}, is_simulated_{from.about.source == "simulation"} {
    out_.by_worker.resize(graph.workers);
    out_.alone_ns.resize(graph.tasks.size());
    out_.own_alone_ns.resize(graph.tasks.size());
    out_.handling_ns.resize(graph.names.size() + 1);
    state_.resize(graph.workers, static_cast<std::uint8_t>(worker_state::awake));
    since_ns_.resize(graph.workers, graph.begin_ns);
    subject_.resize(graph.workers, k_none);
    passed_before_ns_.resize(graph.workers);
    count_[static_cast<std::size_t>(worker_state::awake)] = graph.workers;
  }

  usage run() {
    add_waits();
    add_workers();
    // What one worker does at one moment stays in its order.
    for (std::uint32_t i = 0; i != moments_.size(); ++i) moments_[i].order = i;
    std::ranges::sort(moments_, {}, [](const moment& each) { return std::pair{each.at_ns, each.order}; });
    time_ns before_ns = graph_.begin_ns;
    for (const moment& each : moments_) {
      const time_ns at_ns = std::clamp(each.at_ns, graph_.begin_ns, graph_.end_ns);
      if (at_ns > before_ns) pass(before_ns, at_ns - before_ns);
      before_ns = std::max(before_ns, at_ns);
      apply(each, at_ns);
    }
    if (graph_.end_ns > before_ns) pass(before_ns, graph_.end_ns - before_ns);
    for (std::uint32_t w = 0; w != graph_.workers; ++w) leave_state(w, graph_.end_ns);
    finish();
    return std::move(out_);
  }

 private:
  // ---- what happens ----

  void add(time_ns from_ns, time_ns to_ns, waiting how) {
    if (from_ns >= to_ns) return;
    moments_.push_back({from_ns, k_none, 0, change::begins, static_cast<std::uint8_t>(how)});
    moments_.push_back({to_ns, k_none, 0, change::ends, static_cast<std::uint8_t>(how)});
  }

  void note_wait(const strand& after, time_ns since_ns, time_ns until_ns, bool lock) {
    auto& entry = waits_[{after.reason, graph_.tasks[after.task].name}];
    entry.reason = after.reason;
    entry.task_name = graph_.tasks[after.task].name;
    entry.is_lock = lock;
    ++entry.count;
    entry.wait_ns += until_ns - since_ns;
  }

  void add_waits() {
    std::size_t next_edge = 0;
    for (std::uint32_t i = 0; i != graph_.strands.size(); ++i) {
      bool has_waker = false;
      for (; next_edge != graph_.edges.size() && graph_.edges[next_edge].to == i; ++next_edge) {
        has_waker |= graph_.edges[next_edge].kind == edge_kind::wake;
      }
      add_wait_of(graph_.strands[i], has_waker);
    }
  }

  void add_wait_of(const strand& after, bool has_waker) {
    const time_ns since_ns = after.before == k_none ? after.ready_ns : graph_.strands[after.before].end_ns;
    switch (after.why) {
      case entry::first:
      case entry::queued:
      case entry::joined:
        add(after.ready_ns, after.begin_ns, waiting::ready);
        break;
      case entry::cut:
        add(since_ns, after.begin_ns, waiting::held);
        break;
      case entry::woken: {
        const bool lock = is_lock(graph_.text_of(after.reason));
        if (lock || !has_waker) {
          add(since_ns, after.ready_ns, lock ? waiting::lock : waiting::outside);
          note_wait(after, since_ns, after.ready_ns, lock);
        }
        add(after.ready_ns, after.begin_ns, lock ? waiting::ready_with_lock : waiting::ready);
        break;
      }
      case entry::outside:
      case entry::blocked: {
        const bool lock = is_lock(graph_.text_of(after.reason));
        add(since_ns, after.begin_ns, lock ? waiting::lock : waiting::outside);
        note_wait(after, since_ns, after.begin_ns, lock);
        break;
      }
    }
  }

  [[nodiscard]] std::vector<std::vector<stretch_of_strands>> stretches() const {
    std::vector<std::vector<stretch_of_strands>> out(graph_.workers);
    for (std::uint32_t i = 0; i != graph_.strands.size(); ++i) {
      const strand& each = graph_.strands[i];
      auto& list = out[each.worker];
      const bool goes_on = each.why == entry::cut && !list.empty() && list.back().end_ns == each.begin_ns &&
                           each.before != k_none && graph_.strands[each.before].end_ns == each.begin_ns;
      if (goes_on) list.back().end_ns = each.end_ns;
      else list.push_back({each.begin_ns, each.end_ns, each.ready_ns, i});
    }
    return out;
  }

  void add_workers() {
    const auto states = states_of(stretches(), from_, graph_.begin_ns);
    for (std::uint32_t w = 0; w != graph_.workers; ++w) {
      for (const state_change& each : states[w]) {
        moments_.push_back({each.at_ns, each.strand, static_cast<std::uint16_t>(w), change::worker,
                            static_cast<std::uint8_t>(each.now)});
      }
      for (const trace::event& e : from_.workers[w]) add_told(e);
    }
    for (const trace::event& e : from_.outside) add_told(e);
  }

  void add_told(const trace::event& e) {
    if (e.kind != trace::event_kind::notify || e.detail >= graph_.workers) return;
    moments_.push_back({e.time_ns, k_none, static_cast<std::uint16_t>(e.detail), change::told, 0});
  }

  // ---- going through it ----

  [[nodiscard]] std::int64_t workers_in(worker_state which) const { return count_[static_cast<std::size_t>(which)]; }
  [[nodiscard]] std::int64_t tasks_in(waiting which) const { return waiting_[static_cast<std::size_t>(which)]; }

  // What an idle worker would be called now.
  enum idle_kind : std::size_t { k_idle_ready, k_idle_lock, k_idle_outside, k_idle_no_work, k_idle_kinds };
  [[nodiscard]] idle_kind kind_now() const {
    if (tasks_in(waiting::ready) > 0) return k_idle_ready;
    if (tasks_in(waiting::lock) > 0) return k_idle_lock;
    if (tasks_in(waiting::ready_with_lock) > 0) return k_idle_ready;
    return tasks_in(waiting::outside) > 0 ? k_idle_outside : k_idle_no_work;
  }

  // So much time passes in which nothing changes.
  void pass(time_ns since_ns, time_ns span_ns) {
    const std::int64_t working = workers_in(worker_state::work);
    const std::int64_t idle =
        graph_.workers - working - workers_in(worker_state::spawn) - workers_in(worker_state::steal);
    cut_moment(span_ns, working);
    const idle_kind kind = kind_now();
    passed_ns_[kind] += span_ns;
    if (idle == 0) return;
    const time_ns policy_before_ns = out_.policy_ns;
    if (kind == k_idle_ready && tasks_in(waiting::ready) > 0) pass_policy(span_ns);
    const double present = present_at(since_ns);
    if (kind == k_idle_no_work) pass_without_work(span_ns, idle * span_ns, working, present);
    const double own_ns = static_cast<double>(idle * span_ns) * present;
    out_.own_ns.any += own_ns;
    out_.own_ns.policy += static_cast<double>(out_.policy_ns - policy_before_ns) * present;
    if (kind == k_idle_lock) out_.own_ns.lock += own_ns;
    if (kind == k_idle_outside) out_.own_ns.outside += own_ns;
    if (kind == k_idle_no_work && working == 0) out_.own_ns.beside_none += own_ns;
    if (kind == k_idle_no_work && working > 1) out_.own_ns.beside_few += own_ns;
  }

  // Called with later and later moments.
  [[nodiscard]] double present_at(time_ns at_ns) {
    while (next_step_ != present_.steps.size() && present_.steps[next_step_].at_ns <= at_ns) ++next_step_;
    return next_step_ == 0 ? present_.usual : present_.steps[next_step_ - 1].share;
  }

  void pass_policy(time_ns span_ns) {
    const bool is_anybody_on_it = workers_in(worker_state::awake) + workers_in(worker_state::in_vain) + count_[k_told] +
                                      workers_in(worker_state::steal) + workers_in(worker_state::spawn) >
                                  0;
    const std::int64_t mine = workers_in(worker_state::in_vain) +
                              (is_simulated_ ? workers_in(worker_state::awake) : 0) +
                              (is_anybody_on_it ? 0 : workers_in(worker_state::asleep));
    out_.policy_ns += mine * span_ns;
    ready_time_ += static_cast<double>(mine * span_ns) * static_cast<double>(tasks_in(waiting::ready));
  }

  void pass_without_work(time_ns span_ns, time_ns lost_ns, std::int64_t working, double present) {
    if (working == 0) {
      out_.idle_beside_none_ns += lost_ns;
      out_.nothing_ns += span_ns;
    } else if (working == 1) {
      out_.idle_beside_one_ns += lost_ns;
      // The sum over all that run is the one that runs.
      if (running_ < graph_.tasks.size()) {
        out_.alone_ns[running_] += span_ns;
        out_.own_alone_ns[running_] += static_cast<time_ns>(static_cast<double>(span_ns) * present);
      }
    } else {
      out_.idle_beside_few_ns += lost_ns;
    }
  }

  void cut_moment(time_ns span_ns, std::int64_t working) {
    if (working == graph_.workers) out_.at.all_work_ns += span_ns;
    else if (tasks_in(waiting::ready) + tasks_in(waiting::ready_with_lock) > 0) out_.at.ready_ns += span_ns;
    else if (tasks_in(waiting::held) > 0) out_.at.held_ns += span_ns;
    else out_.at.short_of_work_ns += span_ns;
  }

  void apply(const moment& each, time_ns at_ns) {
    switch (each.what) {
      case change::begins:
        ++waiting_[each.how];
        break;
      case change::ends:
        --waiting_[each.how];
        break;
      case change::told:
        if (state_[each.worker] == static_cast<std::uint8_t>(worker_state::asleep)) go_to(each.worker, k_told, at_ns);
        break;
      case change::worker:
        go_to(each.worker, each.how, at_ns);
        subject_[each.worker] = each.subject;
        if (each.how == static_cast<std::uint8_t>(worker_state::work)) running_ += graph_.strands[each.subject].task;
        break;
    }
  }

  void go_to(std::uint32_t worker, std::uint8_t state, time_ns at_ns) {
    leave_state(worker, at_ns);
    --count_[state_[worker]];
    ++count_[state];
    state_[worker] = state;
  }

  // The time of a worker in its state goes to its account.
  void leave_state(std::uint32_t worker, time_ns at_ns) {
    const time_ns span_ns = at_ns - std::exchange(since_ns_[worker], at_ns);
    const auto before = std::exchange(passed_before_ns_[worker], passed_ns_);
    time_use& own = out_.by_worker[worker];
    switch (static_cast<worker_state>(state_[worker])) {
      case worker_state::work:
        own.work_ns += span_ns;
        running_ -= graph_.strands[subject_[worker]].task;
        break;
      case worker_state::spawn:
        own.spawn_ns += span_ns;
        handle(worker, span_ns);
        break;
      case worker_state::steal:
        own.steal_ns += span_ns;
        handle(worker, span_ns);
        break;
      default:
        own.idle_ready_ns += passed_ns_[k_idle_ready] - before[k_idle_ready];
        own.blocked_lock_ns += passed_ns_[k_idle_lock] - before[k_idle_lock];
        own.blocked_outside_ns += passed_ns_[k_idle_outside] - before[k_idle_outside];
        own.idle_no_work_ns += passed_ns_[k_idle_no_work] - before[k_idle_no_work];
        break;
    }
  }

  void handle(std::uint32_t worker, time_ns span_ns) {
    const std::uint32_t name = graph_.tasks[graph_.strands[subject_[worker]].task].name;
    out_.handling_ns[std::min<std::size_t>(name, graph_.names.size())] += span_ns;
  }

  void finish() {
    for (const time_use& each : out_.by_worker) {
      out_.use.work_ns += each.work_ns;
      out_.use.spawn_ns += each.spawn_ns;
      out_.use.steal_ns += each.steal_ns;
      out_.use.idle_ready_ns += each.idle_ready_ns;
      out_.use.idle_no_work_ns += each.idle_no_work_ns;
      out_.use.blocked_lock_ns += each.blocked_lock_ns;
      out_.use.blocked_outside_ns += each.blocked_outside_ns;
    }
    if (out_.policy_ns != 0) out_.ready_while_policy = ready_time_ / static_cast<double>(out_.policy_ns);
    for (const auto& [key, each] : waits_) out_.waits.push_back(each);
    std::ranges::sort(out_.waits, std::greater{}, &waited_for::wait_ns);
  }

  using idle_times = std::array<time_ns, k_idle_kinds>;

  const dag& graph_;
  const trace::recording& from_;
  const presence& present_;
  const bool is_simulated_;
  usage out_;
  std::vector<moment> moments_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, waited_for> waits_;  // by reason and name

  std::array<std::int64_t, k_states> count_{};      // workers
  std::array<std::int64_t, k_waitings> waiting_{};  // tasks
  std::uint64_t running_ = 0;                       // the sum of the numbers of all tasks that run
  idle_times passed_ns_{};
  double ready_time_ = 0;
  std::size_t next_step_ = 0;
  // By worker.
  std::vector<std::uint8_t> state_;
  std::vector<time_ns> since_ns_;
  std::vector<std::uint32_t> subject_;
  std::vector<idle_times> passed_before_ns_;
};

}  // namespace

usage usage_of(const dag& graph, const trace::recording& from, const presence& present) {
  return sweep{graph, from, present}.run();
}

}  // namespace filch::analysis
