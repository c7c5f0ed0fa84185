// One run of the worker model; model_clock.hpp, model_search.hpp, model_tasks.hpp and model_stuck.hpp define it, and
// worker_model.cpp includes them all. `Trace` is trace::virtual_recorder, or trace::null_recorder when nothing is
// recorded.
//
// Every worker is in one state and has at most one event pending that counts, the one whose ticket it holds; an event
// with another ticket was overtaken and is skipped. When its event comes, the worker continues until time must pass.
//
// (I1) ready_ = tasks in deques, mails and injectors: what the search of some worker can find.
// (I2) stealable_[w] = tasks in the deques and the mail of w: the size that thieves see. Pinned ones count only for
//      placement; in the size for thieves they could attract one to the same victim for ever.
// (I3) searching_ = workers with is_searching set. A woken worker is one of them from the moment it is chosen.
// (I4) A worker's time from since_ns on is not yet in its books: first owed_ns of overhead, then its activity.
// (I5) busy_ = workers that run, carry or wake, or sit in a join that is over: the run cannot be stuck while there is
//      one.
// (I6) kept[w] = tasks in whose joins worker w helps, the innermost last. A blocked worker has no event pending and its
//      task in `current`.
#pragma once

#include "load_tree.hpp"
#include "sleeper_list.hpp"
#include "task_memory.hpp"

#include <filch/base/random.hpp>
#include <filch/policy/placement.hpp>
#include <filch/policy/search.hpp>
#include <filch/policy/wake.hpp>
#include <filch/sim/event_lanes.hpp>
#include <filch/sim/worker_model.hpp>
#include <filch/trace/recorder.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace filch::inline v0::sim {

// Of the recording's names: trace::k_fork_reason.
inline constexpr trace::name_id k_fork_name{0};

template <class Trace>
class model final : private task_context {
 public:
  model(const machine_model& machine, const policy::search_options& policy, workload& load, const run_options& options);

  run_result run();

 private:
  enum class state : std::uint8_t {
    looking,   // a look that brought nothing takes its time
    carrying,  // a look that brought `current` takes its time
    running,   // `current` computes
    waiting,   // between two rounds of looking
    parked,    // no event is pending
    waking,
    blocked,  // sits in the join of `current`; no event is pending
  };
  // In the order of time_use.
  enum class activity : std::uint8_t { work, overhead, steal, wait, park, block };
  static constexpr std::size_t k_activities = 6;

  // In waiters_: the signal came before a task waited for it.
  static constexpr task_place k_given = k_no_place - 1;

  // What a worker does now.
  enum class then : std::uint8_t { look, run, pause };

  struct band_queues {
    task_ring own;
    task_ring mail;
    task_ring pinned;
  };

  struct sim_worker {
    sim_worker(policy::search asks, Trace writes) : search{std::move(asks)}, trace{writes} {}

    policy::search search;
    state at = state::looking;
    activity does = activity::overhead;
    bool is_searching = false;
    bool is_listed = false;  // in waiting_
    bool is_busy = false;    // counted in busy_
    bool has_kept = false;   // kept is not empty: it lies far away
    task_place current = k_no_place;
    ticket awaited = k_no_ticket;
    time_ns since_ns = 0;
    time_ns owed_ns = 0;
    time_ns exposed_until_ns = 0;   // thieves lose until then
    time_ns linger_ns = 0;          // of being parked, so much is left until it sleeps
    std::uint32_t inbox_size = 0;   // mail and pinned, all bands
    std::uint32_t pinned_size = 0;  // … of these, pinned
    std::array<time_ns, k_activities> spent{};
    std::array<band_queues, policy::k_priorities> bands;
    trace::count_values counts;
    [[no_unique_address]] Trace trace;
    std::vector<task_place> kept;
  };

  // What thieves see.
  struct policy_view {
    const model& home;
    [[nodiscard]] std::uint32_t size_hint(worker_id of) const { return home.stealable_[of.value]; }
    [[nodiscard]] bool bands_in_use() const { return home.bands_in_use_; }
    // Asked only where victims have no list, so the tree is there.
    [[nodiscard]] worker_id most_loaded(std::span<const worker_id> except, random_stream& random) const {
      const load_tree::answer most = home.most_loaded_->largest(except);
      if (most.ties == 0 || most.key == 0) return worker_id::none();
      return home.most_loaded_->tie(most, most.ties == 1 ? 0 : random.below(most.ties), except);
    }
  };
  // What placement sees.
  struct load_view {
    const model& home;
    [[nodiscard]] std::uint32_t size_hint(worker_id of) const {
      return home.stealable_[of.value] + home.workers_[of.value].pinned_size;
    }
    [[nodiscard]] bool knows_least_loaded() const { return true; }
    // Asked only with placement = least_loaded, so the tree is there. Its keys are the greater the less there is.
    [[nodiscard]] worker_id least_loaded(random_stream& random) const {
      const load_tree::answer least = home.least_loaded_->largest({});
      return home.least_loaded_->tie(least, least.ties == 1 ? 0 : random.below(least.ties), {});
    }
  };

  static std::size_t index(policy::priority band) { return static_cast<std::size_t>(band); }
  [[nodiscard]] worker_id id_of(const sim_worker& w) const {
    return worker_id{static_cast<std::uint32_t>(&w - workers_.data())};
  }
  [[nodiscard]] static task_id id_of(const task& t) { return task_id{t.number}; }
  [[nodiscard]] std::uint32_t home_of(const sim_worker& w) const { return id_of(w).value; }

  // The clock and the books (model_clock.hpp).
  Trace recorder_for(worker_id who);
  template <class Distance>
  void make_workers(const Distance& distance);
  void start_workers();
  void loop();
  void charge(sim_worker& w);
  void enter(sim_worker& w, state at);
  void set_busy(sim_worker& w, bool is_busy);
  then pause(sim_worker& w, state at, activity does, time_ns span_ns);
  void go_on(sim_worker& w);
  run_result results();

  // Runs that cannot go on (model_stuck.hpp).
  [[gnu::noinline]] bool is_stuck() const;
  [[gnu::noinline]] void explain_stuck(std::vector<stuck_join>& out);
  [[nodiscard]] std::unordered_map<task_place, stuck_join> find_children() const;

  // Looking for work (model_search.hpp).
  then look(sim_worker& w);
  bool take_inbox(sim_worker& w, policy::priority band);
  bool take_local(sim_worker& w, policy::priority band);
  bool take_injected(sim_worker& w, policy::priority band);
  then look_at_victim(sim_worker& w, const policy::step& step);
  void add_stealable(sim_worker& w, std::uint32_t tasks);
  void remove_stealable(sim_worker& w, std::uint32_t tasks);
  [[gnu::noinline]] void rank(const sim_worker& w);
  policy::outcome rob(sim_worker& thief, const policy::step& step);
  void start_searching(sim_worker& w);
  void stop_searching(sim_worker& w);
  then wait(sim_worker& w, time_ns span_ns);
  void cut_wait(sim_worker& w);
  bool park(sim_worker& w, time_ns linger_ns);
  void announce(sim_worker* origin);
  void wake_one(sim_worker* origin);
  void wake(sim_worker& sleeper, sim_worker* by);

  // Tasks (model_tasks.hpp).
  void begin_task(sim_worker& w);
  then advance(sim_worker& w);
  then fork(sim_worker& w);
  then join(sim_worker& w, join_mode how);
  [[gnu::noinline]] then keep_in_join(sim_worker& w, join_mode how);
  then wait_for_signal(sim_worker& w, std::uint64_t which);
  [[gnu::noinline]] task_place take_waiter(std::uint64_t which);
  then finish(sim_worker& w, std::uint64_t signal);
  [[gnu::noinline]] bool finish_join(sim_worker& w, task_place parent);
  bool has_kept_ready(const sim_worker& w) { return w.has_kept && tasks_[w.kept.back()].pending == 0; }
  [[gnu::noinline]] then go_on_with_kept(sim_worker& w);
  [[gnu::noinline]] void unblock(sim_worker& w);
  [[gnu::noinline]] void charge_migration(sim_worker& w, task& subject);
  task_place make(std::uint64_t word0, std::uint64_t word1, policy::priority band);
  void push(sim_worker& w, task_place what);
  void take_arrivals();
  void place(const arrival& what);
  void schedule_arrivals();
  void end_if_done() {
    if (living_ != 0 || has_arrival_) return;
    has_arrival_ = load_.next_after_all(now_ns_, next_arrival_);
    if (has_arrival_) return schedule_arrivals();
    is_done_ = true;
    end_ = run_end::complete;
  }
  [[gnu::noinline]] void stop(run_end why) {
    is_done_ = true;
    end_ = why;
  }

  void spawn(std::uint64_t word0, std::uint64_t word1, policy::priority band) override;
  void release(std::uint64_t word0, std::uint64_t word1, policy::priority band) override;
  void inject(std::uint64_t word0, std::uint64_t word1, policy::priority band) override;
  void signal(std::uint64_t which) override;
  [[nodiscard]] time_ns now_ns() const override { return now_ns_; }
  [[nodiscard]] worker_id worker() const override { return id_of(*asked_); }
  [[nodiscard]] std::uint32_t queue_size() const override {
    std::uint32_t sum = 0;
    for (const band_queues& band : asked_->bands) sum += band.own.size();
    return sum;
  }

  // Fixed.
  const machine_model& machine_;
  const policy::search_options& policy_;
  workload& load_;
  const run_options& options_;
  const bool has_migration_;
  const bool has_disturbances_;

  // The clock.
  time_ns now_ns_ = 0;
  event_lanes<std::uint32_t> pending_;  // of workers, and of arrivals under the number of workers
  std::uint64_t events_ = 0;
  bool is_done_ = false;
  run_end end_ = run_end::until;

  // Workers.
  std::vector<sim_worker> workers_;
  std::vector<std::uint32_t> stealable_;
  bool is_ranked_ = false;                 // one of the two is there
  std::optional<load_tree> most_loaded_;   // of stealable_, where thieves without a list want the largest
  std::optional<load_tree> least_loaded_;  // of what placement sees, where it wants the least
  sleeper_list sleepers_;
  std::vector<std::uint32_t> waiting_;  // workers that may be waiting: those with is_listed
  std::uint32_t searching_ = 0;
  std::uint32_t busy_ = 0;
  policy::wake_policy wakes_;
  random_stream wake_random_;

  // Tasks.
  task_pool tasks_;
  std::array<task_ring, policy::k_priorities> injectors_;
  std::uint64_t ready_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t living_ = 0;
  std::uint64_t suspended_ = 0;
  std::uint32_t blocked_ = 0;  // workers
  bool bands_in_use_ = false;
  std::vector<task_place> waiters_;   // by signal: the waiting task, k_no_place, or k_given
  sim_worker* asked_ = nullptr;       // whose task is asked
  task_place youngest_ = k_no_place;  // the child it made last
  bool has_arrival_ = false;
  arrival next_arrival_{};
  policy::placement_policy placement_;
  random_stream placement_random_;
  [[no_unique_address]] Trace outside_;
};

}  // namespace filch::inline v0::sim
