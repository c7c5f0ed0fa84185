// One run of the simulated body of sharing on request. sharing_clock.cpp, sharing_owner.cpp, sharing_offers.cpp,
// sharing_search.cpp, sharing_sleep.cpp and sharing_monitor.cpp define it.
//
// An actor is a worker, or the external thread that runs the phases; each has a share point, at which others request
// work and find offers. Every actor is in one state and has at most one event pending that counts, the one whose ticket
// it holds. When its event comes, it goes on until time must pass.
//
// (I1) cells_ = offers in cells.
// (I2) searching_ = workers with is_searching set. A worker that was chosen to wake is one from then on.
// (I3) sleepers_ = workers that have announced their sleep and were not chosen: such that linger, too.
// (I4) An actor's time from since_ns on is not yet in its books: first owed_ns of overhead, then its activity.
// (I5) A request stands at its share point until the stack that runs there takes it, also if another
//      stack has run there in between.
#pragma once

#include "sharing_rules.hpp"
#include "sharing_stack.hpp"
#include "sleeper_list.hpp"

#include <filch/base/random.hpp>
#include <filch/policy/search.hpp>
#include <filch/policy/wake.hpp>
#include <filch/sim/event_lanes.hpp>
#include <filch/sim/sharing_model.hpp>
#include <filch/trace/recorder.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace filch::inline v0::sim {

// Writes what happens, if it is recorded.
class sharing_recorder final : public trace::recorder_verbs<sharing_recorder> {
 public:
  sharing_recorder() = default;
  sharing_recorder(worker_id worker, const time_ns& now_ns, std::vector<trace::event>& out)
      : inner_{trace::virtual_recorder{worker, now_ns, out}} {}

  [[nodiscard]] bool is_enabled() const noexcept { return inner_.has_value(); }
  void record(const trace::event& what) {
    if (inner_) inner_->record(what);
  }

 private:
  std::optional<trace::virtual_recorder> inner_;
};

class sharing_run {
 public:
  sharing_run(const machine_model& machine, const policy::search_options& policy, const policy::demand& rules,
              const sharing_program& program, const sharing_options& options);

  sharing_result run();

 private:
  enum class state : std::uint8_t {
    acting,     // its event has come, and it goes on
    looking,    // a look that brought nothing takes its time
    carrying,   // a look that brought an offer takes its time
    computing,  // a piece of work, or an overhead
    walking,    // plain elements of a loop, block after block
    pausing,    // of the caller, between two phases
    waiting,    // between two rounds of looking
    lingering,  // has announced its sleep, and is awake
    awaiting,   // the same, for an answer to its last request
    asleep,     // no event is pending
    waking,
    blocked,  // an external thread, in a join; no event is pending
    away,     // an external thread that is not needed
  };
  // In the order of time_use.
  enum class activity : std::uint8_t { work, overhead, steal, wait, park, block };
  static constexpr std::size_t k_activities = 6;

  // What an actor does now.
  enum class then : std::uint8_t { look, run, pause };

  // Of a worker on its way to sleep.
  struct sleep_times {
    time_ns asleep_ns = 0;  // since when
    time_ns asked_ns = 0;   // its last request
    time_ns linger_until_ns = 0;
    time_ns flush_ns = 0;         // when it makes deferred requests again
    time_ns press_ns = 0;         // when it visits
    time_ns latest_press_ns = 0;  // however often it requests meanwhile
  };

  struct actor {
    std::optional<policy::search> search;  // of a worker
    rule_state rules{};
    state at = state::away;
    activity does = activity::overhead;
    bool is_searching = false;
    bool is_listed = false;      // in waiting_
    bool may_await_due = false;  // it has stolen since it parked the last time
    stack_number stack = k_none;
    ticket awaited = k_no_ticket;
    time_ns until_ns = 0;  // the time of that event
    time_ns since_ns = 0;
    time_ns owed_ns = 0;

    // Its share point.
    offer_number cell = k_none;
    bool is_fork_asked = false;
    bool is_join_asked = false;
    bool is_deferred = false;
    // What the monitor thread knows of it.
    bool was_asked = false;
    std::uint32_t waits = 0;

    // As a thief, and on its way to sleep.
    offer_number loot = k_none;
    time_ns unaged_ns = -1;  // when the last offer was made that was too fresh for it
    time_ns stolen_ns = 0;
    sleep_times sleep;

    std::array<time_ns, k_activities> spent{};
    trace::count_values counts;
    sharing_recorder trace;
  };

  struct no_sizes {
    [[nodiscard]] std::uint32_t size_hint(worker_id) const { return 0; }
    [[nodiscard]] bool bands_in_use() const { return false; }
    [[nodiscard]] worker_id most_loaded(std::span<const worker_id>, random_stream&) const { return worker_id::none(); }
  };

  struct monitor {
    enum class state : std::uint8_t { none, resting, waking, pausing };
    state at = state::resting;
    ticket awaited = k_no_ticket;
    time_ns next_look_ns = 0;
    time_ns due_ns = k_never_ns;    // when the next deferred request may be made
    time_ns again_ns = k_never_ns;  // when what it has just requested is answered, or is not
    std::uint32_t seen_phase = UINT32_MAX;
    policy::monitor_pace pace;
  };

  [[nodiscard]] std::uint32_t workers() const { return machine_.workers; }
  [[nodiscard]] std::uint32_t outside() const { return machine_.workers; }  // the external thread among the actors
  [[nodiscard]] bool is_worker(std::uint32_t who) const { return who < workers(); }
  [[nodiscard]] std::uint32_t number_of(const actor& a) const {
    return static_cast<std::uint32_t>(&a - actors_.data());
  }
  [[nodiscard]] static worker_id id_of(std::uint32_t worker) { return worker_id{worker}; }
  [[nodiscard]] worker_id id_of(const actor& a) const {
    return is_worker(number_of(a)) ? worker_id{number_of(a)} : worker_id::none();
  }

  // The clock and the books (sharing_clock.cpp).
  void make_actors();
  void start();
  void loop();
  void go_on(actor& a);
  void charge(actor& a);
  then pause(actor& a, state at, activity does, time_ns span_ns);
  void expect(actor& a, time_ns at_ns);
  void stop(run_end why);
  sharing_result results();

  // What runs on a stack (sharing_owner.cpp).
  then advance(actor& a);
  then advance_join(actor& a);
  then advance_loop(actor& a);
  then begin_loop(actor& a);
  then walk_serially(actor& a);
  then open_frame(actor& a);
  then claim(actor& a);
  then claim_inside(actor& a);
  then close_frame(actor& a);
  void push_part(actor& a, const offer& of);
  void pop(actor& a) { stacks_[a.stack].open.pop_back(); }
  then settle_part(actor& a);
  then compute(actor& a, time_ns work_ns);
  void end_walk(actor& a);
  void begin(actor& a, part_id what);
  void begin_offer(actor& a, offer_number what);
  then suspend(actor& a, offer_number until_done);
  then end_stack(actor& a);
  then end_offer(actor& a, offer_number done);
  then advance_phase(actor& a);
  [[nodiscard]] bool is_worth_a_request(part_id what) const;
  [[nodiscard]] time_ns takes_ns(const activation& loop, std::uint64_t from) const;
  void resume(actor& a, stack_number which);
  [[nodiscard]] activation& newest(actor& a) { return stacks_[a.stack].open.back(); }
  [[nodiscard]] element_walk walk_of(const actor& a) const;

  // Requests and offers (sharing_offers.cpp).
  [[nodiscard]] activation* oldest_to_give(const actor& a);
  [[nodiscard]] std::uint64_t claimed_of(const actor& a, const activation& loop) const;
  [[nodiscard]] bool has_latent(const actor& a) { return oldest_to_give(a) != nullptr; }
  [[nodiscard]] bool withholds(const actor& a) { return a.cell == k_none && has_latent(a); }
  [[nodiscard]] bool awaits_join(const actor& a) const;
  void request(actor& of);
  [[nodiscard]] bool is_worth_answering(const activation& loop, std::uint64_t from) const;
  [[nodiscard]] bool is_thief_awake() const { return lingering_ != 0 || searching_ != 0; }
  void walk_to(actor& a, std::uint64_t to);
  [[nodiscard]] bool is_wanted(const actor& a) const { return a.is_fork_asked || a.is_join_asked; }
  void answer(actor& a);
  void answer_in_loop(actor& a);
  void answer_at_join(actor& a);
  enum class share : std::uint8_t { half, all };
  bool offer_oldest(actor& a, share how);
  void put_out(actor& a, activation& of, std::uint64_t middle);
  void announce(actor& a);
  void defer(actor& of);
  void defer_request(actor& a);
  void see_to_deferred(actor* by);
  void take_back(actor& a, offer_number which);
  [[nodiscard]] bool visit(actor& of);
  void delay(actor& of, time_ns span_ns);
  void flush_deferred(actor& of);

  // Looking for work (sharing_search.cpp).
  then look(actor& a);
  then look_at_victim(actor& a, const policy::step& step);
  [[nodiscard]] policy::outcome rob(actor& thief, actor& victim);
  [[nodiscard]] bool is_aged(const actor& of);
  void take_offer(actor& thief, actor& from);
  void request_again(actor& thief, actor& of, bool has_taken);
  void pass_on(actor& thief, const actor& robbed);
  [[nodiscard]] bool take_own_offer(actor& a);
  [[nodiscard]] bool take_from_outside(actor& a);
  then carry(actor& a, time_ns span_ns);
  void start_searching(actor& a);
  void stop_searching(actor& a);
  [[nodiscard]] bool has_work(const actor& for_whom);
  then wait(actor& a, time_ns span_ns);
  void cut_waits();

  // Sleeping and waking (sharing_sleep.cpp).
  then park(actor& a, time_ns linger_ns);
  [[nodiscard]] time_ns request_before_sleep(actor& a);
  void linger(actor& a);
  void end_linger(actor& a, bool has_lingered);
  void await_answer(actor& a);
  void fall_asleep(actor& a);
  [[nodiscard]] bool visit_for(actor& a);
  [[nodiscard]] bool is_any_deferred() const;
  [[nodiscard]] bool is_work_withheld_from(const actor& a);
  [[nodiscard]] bool computes_outside() const;
  [[nodiscard]] bool has_place_for_sleeper(std::uint32_t asker);
  [[nodiscard]] bool has_place_awake(std::uint32_t asker);
  enum class wake_cause : std::uint8_t { owner, thief, monitor, itself };
  void notify(actor* by, wake_cause why);
  void wake(actor& sleeper, actor* by, wake_cause why);
  void move_lingering();

  // The monitor thread (sharing_monitor.cpp).
  void call_monitor(actor* by);
  void go_on_with_monitor();
  [[nodiscard]] bool must_watch();
  [[nodiscard]] bool look_around();
  [[nodiscard]] bool look_at(actor& of);
  void look_at_outside(actor& of);
  [[nodiscard]] bool is_monitored() const;
  void schedule_look(time_ns at_ns);

  // Fixed.
  const machine_model& machine_;
  const machine_costs& costs_;
  const policy::search_options& policy_;
  const sharing_program& program_;
  const sharing_options& options_;
  asked_rules rules_;
  const bool can_visit_;

  // The clock.
  time_ns now_ns_ = 0;
  event_lanes<std::uint32_t> pending_;  // of actors, and of the monitor thread under the number behind them
  std::uint64_t events_ = 0;
  std::uint64_t steps_ = 0;  // of actors, also such that take no time: they could go on for ever
  bool is_done_ = false;
  run_end end_ = run_end::until;

  // Actors.
  std::vector<actor> actors_;  // the workers, and the external thread
  monitor monitor_;
  sleeper_list sleepers_;
  std::uint32_t sleeping_ = 0;
  std::uint32_t searching_ = 0;
  std::uint32_t lingering_ = 0;
  std::vector<std::uint32_t> waiting_;  // those that may be waiting: is_listed
  policy::wake_policy wakes_;
  random_stream wake_random_;

  // Work.
  number_pool<sharing_stack> stacks_;
  number_pool<offer> offers_;
  std::uint32_t cells_ = 0;
  std::vector<bool> costs_known_;  // by part
  std::uint32_t phase_ = 0;        // of the caller
  enum class phase_stage : std::uint8_t { before, paused, running };
  phase_stage phase_stage_ = phase_stage::before;
  time_ns phase_began_ns_ = 0;
  std::uint64_t tasks_ = 0;
  sharing_counts counts_;
  std::vector<time_ns> phase_ns_;
};

}  // namespace filch::inline v0::sim
