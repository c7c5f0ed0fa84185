// The parties of sharing on request under the model checker: an owner that forks and joins, thieves that search, linger
// and sleep, and the monitor thread. Each is the library's, reduced to its use of the protocol: the kernels are the
// library's own, the code between them follows src/share and src/runtime step by step, and time is a choice.
//
// Behind `#ifdef`: bugs of the code between the kernels, which tests/model/mutants/catalogue.py puts back.
#pragma once

#include "scenario.hpp"

#include <filch/park/idle.hpp>
#include <filch/share/claimed_range.hpp>
#include <filch/share/join_counter.hpp>
#include <filch/share/visit.hpp>
#include <share/frame_list.hpp>
#include <share/lingering.hpp>
#include <share/on_call.hpp>
#include <share/request_cell.hpp>
#include <share/transfer_cell.hpp>

#include <array>
#include <cstdint>

namespace filch::check {

// A pointer to which accesses are watched for races.
template <class T>
class watched_pointer {
 public:
  watched_pointer() = default;
  watched_pointer& operator=(T* to) {
    to_.set(to);
    return *this;
  }
  operator T*() const { return to_.get(); }
  T* operator->() const { return to_.get(); }

 private:
  atomics::var<T*> to_{nullptr};
};

struct made_offer;

struct frame {
  watched_pointer<frame> older;
  watched_pointer<frame> newer;
  watched_pointer<made_offer> offer;
  atomics::var<int> runs{0};                        // of its child
  atomics::atomic<int> helped{0};                   // a thief has begun with it, or with a part of it
  detail::claimed_range<atomics>* range = nullptr;  // not null: it is a loop
  frame* lasts_until_helped = nullptr;              // not null: its child is a long function
};

// As latent_stack.
struct stack {
  static constexpr std::uintptr_t k_fork_requested = UINTPTR_MAX;
  static constexpr std::uintptr_t k_join_requested = 0;
  static constexpr std::uintptr_t k_no_join_limit = UINTPTR_MAX;

  frame bottom;
  atomics::atomic<frame*> newest{&bottom};
  atomics::atomic<std::uintptr_t> join_limit{k_no_join_limit};
  atomics::atomic<std::uintptr_t> fork_limit{0};
  atomics::atomic<frame*> last_seen{&bottom};
  atomics::atomic<frame*> last_shared{&bottom};
  atomics::atomic<frame*> last_recorded{&bottom};
};

// As offered_task. Two references: the frame's and the cell's.
struct made_offer {
  explicit made_offer(frame& whose) : of{&whose} {}
  void release() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) atomics::destroy(this);
  }

  frame* const of;
  atomics::var<index_range> part{index_range{0, 0}};
  watched_pointer<made_offer> older_part;
  join_counter<park::parker<atomics>, atomics> children{1};
  atomics::atomic<int> references{2};
};

[[nodiscard]] inline std::uintptr_t address(const frame& of) { return reinterpret_cast<std::uintptr_t>(&of); }

// As in range_frame.hpp.
[[nodiscard]] inline bool pass_if_spent(frame& one) { return one.range != nullptr && one.range->left().size() == 0; }

// How the parties behave where the library measures time or depends on the system.
struct circumstances {
  bool can_visit = true;
  bool is_throttled = false;  // children were tiny: the monitor thread announces offers
  bool lingers = false;       // the first thief does
  unsigned refusals = 0;      // how often the throttle forbids a request, at any place: a choice
  bool joins_answer = false;
};

class sharing {
 public:
  sharing(std::uint32_t workers, circumstances how) : how_{how}, idle_{workers} {
    if (how.joins_answer) answers_.store(1, std::memory_order_relaxed);
  }

  // ---- the owner ----------------------------------------------------------------------------------------------------

  // The stack runs from now on. `may_have_missed`: another one ran before, which may have got requests.
  void listen(stack& running, bool may_have_missed);
  // The owner's worker has found something to do.
  void begin_task();
  // The owner is an external thread, which begins with a join, or ends one. It gets no request at first.
  void begin_external(stack& running);
  void end_external() { bump_sections(); }
  // Where a scenario begins beside workers that sleep.
  void wait_for_sleepers(std::uint32_t count) const {
    while (idle_.sleeping_hint() != count) atomics::pause();
  }
  void fork(frame& made);
  // Unlinks the newest frame, and runs its child or waits for it. True: the owner has run the child.
  bool join(frame& last);
  // A long function, which ends when a thief has begun with the frame.
  void wait_until_helped(frame& one);
  // The same, but it forks `inner` and joins it when nobody else can run: then a request must stand. A fork that has
  // compared its frame with the limit and not linked it yet is seen by nobody: what was requested in that moment, the
  // next one answers.
  void work_until_helped(frame& one, frame& inner);
  [[nodiscard]] static bool is_helped(const frame& one) { return one.helped.load(std::memory_order_acquire) != 0; }
  // The owner's next elements of a loop; false: nothing is left.
  [[nodiscard]] bool claim(frame& loop, index_range& what);
  // After the loop's join: runs what no thief has taken, waits for the others, and hands each part to `run`.
  template <class Run>
  void settle_parts(const Run& run);
  // Something that a thief does and the owner does not: it takes until a thief has begun with the frame.
  void submit_until_helped(frame& one);
  // The same for the child of `taken`.
  void make_child_last(frame& taken, frame& until_helped) { taken.lasts_until_helped = &until_helped; }
  // The others stop.
  void end();

  // ---- the others ---------------------------------------------------------------------------------------------------

  // `run_part` runs a part of a loop.
  template <class RunPart>
  void be_thief(worker_id self, const RunPart& run_part);
  void be_thief(worker_id self) {
    be_thief(self, [](index_range) {});
  }
  void be_monitor();

 private:
  // ---- any thread ---------------------------------------------------------------------------------------------------
  [[nodiscard]] bool is_stopped() const { return stop_.load(std::memory_order_relaxed) != 0; }
  [[nodiscard]] bool may_wake();
  [[nodiscard]] static bool has_latent_work(const stack& of);
  [[nodiscard]] stack* running() const { return running_.load(std::memory_order_acquire); }
  [[nodiscard]] bool withholds() const;
  [[nodiscard]] bool awaits_join() const;
  [[nodiscard]] bool is_external_inside() const { return sections_.load(std::memory_order_relaxed) % 2 != 0; }
  [[nodiscard]] bool is_work_withheld() const;
  void request();
  void request(stack& of);
  void flush_deferred();
  void announce_deferred();
  void call_monitor() { (void)monitor_.call(); }
  // Which sleeper is woken is the policy's: a choice.
  void notify() {
    (void)idle_.notify([](const worker_id*, std::size_t count) { return choose(static_cast<unsigned>(count)); });
  }
  [[nodiscard]] bool visit();
  [[nodiscard]] made_offer* make_offer(stack& of, frame* newest);
  [[nodiscard]] static bool clear_requests(stack& of);

  // ---- the owner ----
  void bump_sections() { sections_.store(sections_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  [[nodiscard]] bool promote_oldest();
  void announce_offer();
  void defer();
  void offer_latent();
  void answer_at_join();
  void note_taken_back();
  [[nodiscard]] bool join_slow_path(frame& last);
  void wait_for(made_offer& taken);
  static void run_child(frame& of);

  // ---- a thief ----
  [[nodiscard]] made_offer* take();
  template <class RunPart>
  void run(made_offer& taken, const RunPart& run_part);
  void be_busy_until_helped(frame& one);
  [[nodiscard]] frame* take_submitted();
  [[nodiscard]] bool has_work() const;
  void stop_searching();
  void doze(worker_id self, bool is_searching);
  void linger(worker_id self);
  void press(worker_id self);
  [[nodiscard]] bool visit_for(worker_id self);

  // ---- the monitor thread ----
  [[nodiscard]] bool must_watch() const;
  [[nodiscard]] bool look();

  circumstances how_;
  // The runtime's.
  park::idle<atomics> idle_;
  on_call<atomics> monitor_;
  lingering_count<atomics> lingering_;
  atomics::atomic<int> stop_{0};
  atomics::atomic<frame*> submitted_{nullptr};
  // The owner's share point.
  detail::point_lock<atomics> lock_;
  transfer_cell<made_offer, atomics> cell_;
  deferred_request<atomics> deferred_;
  atomics::atomic<stack*> running_{nullptr};
  atomics::atomic<int> answers_{0};
  atomics::atomic<int> is_running_{0};  // the owner's worker runs a task
  atomics::atomic<int> sections_{0};    // of an external thread: odd while it is inside a join
  // The owner's own.
  stack* here_ = nullptr;
  watched_pointer<made_offer> parts_;  // of its loop, the newest; written with the point closed
  park::parker<atomics> joins_;
  park::parker<atomics> long_function_;
  park::parker<atomics> busy_;  // of the one thief that runs something long
  // The monitor thread's own.
  unsigned waits_ = 0;
};

// ---- any thread -----------------------------------------------------------------------------------------------------

// As wake_throttle: it refuses for a while.
inline bool sharing::may_wake() {
  if (how_.refusals == 0 || choose(2) == 0) return true;
  --how_.refusals;
  return false;
}

inline bool sharing::has_latent_work(const stack& of) {
  return of.newest.load(std::memory_order_relaxed) != of.last_shared.load(std::memory_order_relaxed);
}

inline bool sharing::withholds() const {
  if (cell_.has_offer()) return false;
  const stack* const of = running();
  return of != nullptr && has_latent_work(*of);
}

// Its joins shall answer, and its forks do not: of what it forks only the monitor thread hears.
inline bool sharing::awaits_join() const {
  if (is_running_.load(std::memory_order_relaxed) == 0) return false;
  const stack* const of = running();
  return of != nullptr && of->join_limit.load(std::memory_order_relaxed) == stack::k_join_requested &&
         of->fork_limit.load(std::memory_order_relaxed) != stack::k_fork_requested;
}

inline bool sharing::is_work_withheld() const {
  return withholds() || cell_.has_offer() || deferred_.is_deferred() || awaits_join() || is_external_inside();
}

inline void sharing::request() {
  if (stack* const of = running()) request(*of);
}
inline void sharing::request(stack& of) {
  if (answers_.load(std::memory_order_relaxed) != 0 || (how_.can_visit && has_latent_work(of))) {
    post_request(of.join_limit, stack::k_join_requested);
  } else {
    post_request(of.fork_limit, stack::k_fork_requested);
  }
}

inline void sharing::flush_deferred() {
#ifdef FILCH_MUTANT_CLEAR_AFTER_REQUEST
  if (deferred_.is_deferred()) request();
  (void)deferred_.take();
#else
  if (deferred_.take()) request();
#endif
}

inline void sharing::announce_deferred() {
  if (!lingering_.is_seen_to()) call_monitor();
}

inline made_offer* sharing::make_offer(stack& of, frame* newest) {
  frame* const oldest = oldest_to_give(of, newest);
  if (oldest == nullptr) return nullptr;
  auto* const made = atomics::make<made_offer>(*oldest);
  if (oldest->range == nullptr) {
    oldest->offer = made;
    share_oldest(of, *oldest);
    return made;
  }
  const index_range left = oldest->range->left();
  made->part.set(oldest->range->take_upper(left.begin + left.size() / 2));
  made->older_part = static_cast<made_offer*>(parts_);
  parts_ = made;
  return made;
}

// True: somebody has requested work.
inline bool sharing::clear_requests(stack& of) {
  const bool is_fork_requested = of.fork_limit.exchange(0, std::memory_order_relaxed) == stack::k_fork_requested;
  return take_request<atomics>(of) || is_fork_requested;
}

// True: something is offered now.
inline bool sharing::visit() {
  if (cell_.has_offer()) return true;
  if (!lock_.try_lock()) return cell_.has_offer();
  stack* const of = running();
  if (!cell_.has_offer() && of != nullptr) {
    frame* const newest = detail::newest_for_visitor<atomics>(of->newest, of->join_limit, stack::k_join_requested);
    if (made_offer* const made = make_offer(*of, newest)) {
      (void)clear_requests(*of);
      cell_.offer(*made);
    }
  }
  lock_.unlock();
  return cell_.has_offer();
}

// ---- the owner ------------------------------------------------------------------------------------------------------

inline void sharing::listen(stack& next, bool may_have_missed) {
  here_ = &next;
#ifndef FILCH_MUTANT_NO_REQUEST_AT_A_SWITCH
  if (may_have_missed) request(next);
#endif
  running_.store(&next, std::memory_order_release);  // as [L6]
  if (is_running_.load(std::memory_order_relaxed) != 0) begin_task();
}

inline void sharing::begin_task() {
  is_running_.store(1, std::memory_order_relaxed);
#ifndef FILCH_MUTANT_BEGIN_WITHOUT_FENCE
  atomics::fence(std::memory_order_seq_cst);  // as [L21]
#endif
  if (awaits_join() && idle_.sleeping_hint() != 0) call_monitor();
}

inline void sharing::begin_external(stack& running) {
  here_ = &running;
  lock_.lock();
  running_.store(&running, std::memory_order_release);  // as [L6]
  lock_.unlock();
#ifdef FILCH_MUTANT_MONITOR_BEFORE_THE_SECTION
  call_monitor();
  bump_sections();
#else
  bump_sections();
  call_monitor();
#endif
}

inline bool sharing::promote_oldest() {
#ifndef FILCH_MUTANT_FULL_CELL
  if (cell_.has_offer()) return false;
#endif
  made_offer* const made = make_offer(*here_, here_->newest.load(std::memory_order_relaxed));
  if (made == nullptr) return false;
  cell_.offer(*made);
  return true;
}

inline void sharing::announce_offer() {
  if (!lingering_.is_anybody() && how_.is_throttled && !monitor_.is_resting()) return;
  notify();
}

// A request was taken, and nothing was offered for it.
inline void sharing::defer() {
  if (idle_.sleeping_hint() == 0) return;
#ifdef FILCH_MUTANT_MONITOR_BEFORE_DEFERRAL
  announce_deferred();
  deferred_.defer();
#else
  deferred_.defer();
  announce_deferred();
#endif
}

inline void sharing::fork(frame& made) {
  made.helped.store(0, std::memory_order_relaxed);
  made.older = here_->newest.load(std::memory_order_relaxed);
  const bool is_slow = address(made) < here_->fork_limit.load(std::memory_order_relaxed);
  detail::link_newest(here_->newest, &made);
  if (is_slow) offer_latent();
}

inline void sharing::offer_latent() {
  lock_.lock();
#ifdef FILCH_MUTANT_REQUEST_TAKEN_LAST
  const bool has_offered = promote_oldest();
  const bool is_wanted = clear_requests(*here_);
#else
  const bool is_wanted = clear_requests(*here_);
  const bool has_offered = is_wanted && promote_oldest();
#endif
  lock_.unlock();
  if (has_offered) return announce_offer();
#ifndef FILCH_MUTANT_REQUEST_DROPPED
  if (is_wanted) defer();
#endif
}

inline void sharing::answer_at_join() {
  lock_.lock();
#ifdef FILCH_MUTANT_REQUEST_TAKEN_LAST
  const bool has_offered = promote_oldest();
  (void)clear_requests(*here_);
#else
  (void)clear_requests(*here_);
  const bool has_offered = promote_oldest();
#endif
  lock_.unlock();
  if (!has_offered && cell_.has_offer()) return defer();
  answers_.store(has_offered ? 1 : 0, std::memory_order_relaxed);
  if (has_offered) return announce_offer();
  if (answers_.load(std::memory_order_relaxed) == 0) return request(*here_);
  defer();
}

inline void sharing::note_taken_back() {
#ifndef FILCH_MUTANT_TAKEN_BACK_IN_SILENCE
  if (idle_.sleeping_hint() == 0) return;
  if (!may_wake()) return defer();
  request(*here_);
#ifndef FILCH_MUTANT_REQUEST_AT_A_JOIN_IN_SILENCE
  if (awaits_join()) announce_deferred();
#endif
#endif
}

inline bool sharing::join(frame& last) {
  detail::unlink_newest<atomics>(here_->newest, static_cast<frame*>(last.older));
  const bool is_slow = address(last) >= here_->join_limit.load(std::memory_order_relaxed);
  const bool is_own = !is_slow || join_slow_path(last);
  if (is_own && last.range == nullptr) run_child(last);
  require(last.range != nullptr || last.runs.get() == 1, "its child was run once", last.runs.get());
  last.runs.set(0);  // its memory serves the next frame
  return is_own;
}

// True: the owner runs the child.
inline bool sharing::join_slow_path(frame& last) {
#ifndef FILCH_MUTANT_JOIN_WITHOUT_CLOSING
  lock_.lock();
#endif
  const bool was_seen = &last == here_->last_seen.load(std::memory_order_relaxed);
  const bool was_shared = was_seen && forget(*here_, last);
#ifndef FILCH_MUTANT_JOIN_WITHOUT_CLOSING
  lock_.unlock();
#endif
  const auto is_requested = [&] {
    return here_->join_limit.load(std::memory_order_relaxed) == stack::k_join_requested;
  };
  if (!was_shared || last.range != nullptr) {
    if (is_requested()) answer_at_join();
    return true;
  }
  made_offer& offer = *last.offer;
  if (cell_.take_back(offer)) {
    offer.release();
    offer.release();
    note_taken_back();
    return true;
  }
  wait_for(offer);
  offer.release();
  if (is_requested()) answer_at_join();
  return false;
}

inline void sharing::wait_for(made_offer& taken) {
  if (!taken.children.is_done() && !taken.children.wait(joins_)) (void)joins_.park();
}

inline void sharing::run_child(frame& of) { of.runs.set(of.runs.get() + 1); }

inline void sharing::wait_until_helped(frame& one) {
  while (!is_helped(one)) (void)long_function_.park();
}

inline void sharing::work_until_helped(frame& one, frame& inner) {
  constexpr time_ns k_when_nobody_can_run = 1;
  for (int forks = 0;; ++forks) {
    while (!is_helped(one)) {
      if (long_function_.park(k_when_nobody_can_run) == park::park_outcome::timed_out) break;
    }
    if (is_helped(one)) return;
    require(forks != 2, "a request that stands is answered");
    (void)atomics::heavy_fence(std::memory_order_seq_cst);  // a long time: all that was stored is visible
    require(here_->fork_limit.load(std::memory_order_relaxed) == stack::k_fork_requested,
            "no thief sleeps whose request was forgotten");
    fork(inner);
    (void)join(inner);
  }
}

inline bool sharing::claim(frame& loop, index_range& what) {
  const auto now = loop.range->claim(1, here_->join_limit, stack::k_join_requested);
  what = now.what;
  if (!now.is_sure) {
    lock_.lock();
    what = loop.range->claim_again(what);
    lock_.unlock();
    if (here_->join_limit.load(std::memory_order_relaxed) == stack::k_join_requested) offer_latent();
  }
  return what.size() != 0;
}

template <class Run>
void sharing::settle_parts(const Run& run) {
  while (parts_ != nullptr) {
    made_offer& part = *parts_;
    parts_ = static_cast<made_offer*>(part.older_part);
    if (cell_.take_back(part)) {
      run(part.part.get());
      part.release();
      note_taken_back();
    } else {
      wait_for(part);
    }
    part.release();
  }
}

inline void sharing::submit_until_helped(frame& one) {
  submitted_.store(&one, std::memory_order_release);
  notify();
}

inline void sharing::end() {
  stop_.store(1, std::memory_order_relaxed);
  (void)idle_.notify_all();
  monitor_.interrupt();
}

// ---- a thief --------------------------------------------------------------------------------------------------------

// Takes an offer. If there is more behind it, others may sleep that know of nothing.
inline made_offer* sharing::take() {
  made_offer* const taken = cell_.take();
  if (taken == nullptr) {
    if (!cell_.has_offer() && may_wake()) request();
    return nullptr;
  }
  if (may_wake()) request();
  else if (idle_.sleeping_hint() != 0) deferred_.defer();
#ifndef FILCH_MUTANT_NOT_PASSED_ON
  if (idle_.sleeping_hint() != 0) {
    if (withholds() || awaits_join()) call_monitor();
    else if (deferred_.is_deferred()) announce_deferred();
  }
#endif
  return taken;
}

template <class RunPart>
void sharing::run(made_offer& taken, const RunPart& run_part) {
  frame& of = *taken.of;
  of.helped.store(1, std::memory_order_release);
  long_function_.unpark();
  busy_.unpark();
  if (of.lasts_until_helped != nullptr) be_busy_until_helped(*of.lasts_until_helped);
  if (of.range != nullptr) run_part(taken.part.get());
  else run_child(of);
  if (park::parker<atomics>* const parent = taken.children.finish()) parent->unpark();
  taken.release();
}

inline void sharing::be_busy_until_helped(frame& one) {
  while (!is_helped(one)) (void)busy_.park();
}

inline frame* sharing::take_submitted() {
  if (submitted_.load(std::memory_order_relaxed) == nullptr) return nullptr;
  return submitted_.exchange(nullptr, std::memory_order_acquire);
}

inline bool sharing::has_work() const {
  return cell_.has_offer() || submitted_.load(std::memory_order_relaxed) != nullptr;
}

inline void sharing::stop_searching() {
  if (idle_.stop_searching() == park::duty::recheck && has_work()) notify();
}

template <class RunPart>
void sharing::be_thief(worker_id self, const RunPart& run_part) {
  bool is_searching = false;
  while (!is_stopped()) {
    if (frame* const until_helped = take_submitted()) {
      if (is_searching) stop_searching();
      is_searching = false;
      be_busy_until_helped(*until_helped);
      continue;
    }
    if (made_offer* const taken = take()) {
      if (is_searching) stop_searching();
      is_searching = false;
      run(*taken, run_part);
      continue;
    }
    if (!is_searching && idle_.try_start_searching()) {
      is_searching = true;
      continue;
    }
    doze(self, is_searching);
    is_searching = true;
  }
  if (is_searching) (void)idle_.stop_searching();
}

// Announces its sleep, requests, looks once more, lingers, sleeps. Returns counted as searching.
inline void sharing::doze(worker_id self, bool is_searching) {
#ifdef FILCH_MUTANT_REQUEST_BEFORE_SLEEP
  request();
  idle_.announce_sleep(self, is_searching);
#else
  idle_.announce_sleep(self, is_searching);
  if (may_wake()) request();
  else deferred_.defer();
#endif
  if (has_work() || is_stopped()) return idle_.retract_sleep(self);
  const bool lingers = how_.lingers && self == worker_id{1};
  if (lingers) linger(self);
#ifdef FILCH_MUTANT_NO_LOOK_BEHIND_LINGERING
  if (!lingers)
#endif
  {
#ifndef FILCH_MUTANT_SLEEP_WITHOUT_FENCE
    atomics::fence(std::memory_order_seq_cst);  // as [L22]
#endif
    if (!idle_.is_chosen(self) && is_work_withheld()) press(self);
  }
#ifndef FILCH_MUTANT_CHOSEN_IN_SILENCE
  if (lingers && idle_.is_chosen(self) && idle_.sleeping_hint() != 0 && is_work_withheld()) call_monitor();
#endif
  (void)idle_.sleep(self);
}

inline void sharing::linger(worker_id self) {
  constexpr int k_turns = 2;
  lingering_.begin();
  for (int turn = 0; turn != k_turns && !idle_.is_chosen(self); ++turn) {
    if (deferred_.is_deferred() && may_wake()) {
      flush_deferred();
    } else if (turn == k_turns - 1) {
      if (visit_for(self)) (void)idle_.notify_worker(self);
      else if (!deferred_.is_deferred() && is_work_withheld()) call_monitor();
    }
    atomics::pause();
  }
  lingering_.end();
}

inline void sharing::press(worker_id self) {
  const bool has_found = visit_for(self);
  if (has_found) (void)idle_.notify_worker(self);
  else if (!idle_.is_chosen(self)) call_monitor();
}

inline bool sharing::visit_for(worker_id self) {
  return how_.can_visit && !idle_.is_chosen(self) && withholds() && may_wake() && visit();
}

// ---- the monitor thread ---------------------------------------------------------------------------------------------

inline bool sharing::must_watch() const {
  if (idle_.sleeping_hint() == 0) return false;
#ifdef FILCH_MUTANT_MONITOR_OVERLOOKS_DEFERRED
  return withholds() || cell_.has_offer() || awaits_join();
#else
  return is_work_withheld();
#endif
}

// True: it has done something.
inline bool sharing::look() {
  constexpr unsigned k_most_waits = 2;
  if (idle_.sleeping_hint() == 0) return false;
  if (may_wake()) flush_deferred();
  if (cell_.has_offer()) notify();
  if (!withholds() && is_external_inside()) {  // it may be in a loop, which forks when it is requested to
    if (may_wake()) request();
    return false;
  }
  if (!withholds() || !may_wake()) {
    waits_ = awaits_join() ? waits_ + 1 : 0;
    if (waits_ < k_most_waits) return false;
    waits_ = 0;
    answers_.store(0, std::memory_order_relaxed);
    if (stack* const of = running()) post_request(of->fork_limit, stack::k_fork_requested);
    return false;
  }
  waits_ = 0;
  request();
  if (!how_.can_visit) return false;
  if (visit()) notify();
  return true;
}

inline void sharing::be_monitor() {
  while (!is_stopped()) {
    atomics::pause();  // between two looks
    if (look() || must_watch()) continue;
    monitor_.rest([this] { return must_watch() || is_stopped(); });
  }
}

}  // namespace filch::check
