// The idle protocol and the parker under the model checker, with no spinning before the sleep.
//
// Property: no wake-up is lost: work that was put into a queue is done, whoever was just falling asleep. One submission
// to sleeping workers wakes one. Oracle: the checker reports "no thread can run" when all workers sleep and work is
// left; counts of work done and of wake-ups. Method: the queue is the weakest there can be, a counter touched with
// relaxed operations only, so that nothing but the protocol's own fences orders anything. The worker below is the
// runtime's worker reduced to its use of the protocol. Deadlines never rescue a worker that nobody woke.
#include "scenario.hpp"

#include <filch/park/idle.hpp>

#include <cstdint>

namespace filch::check {
namespace {

using park::duty;
using park::park_outcome;

constexpr auto k_relaxed_order = std::memory_order_relaxed;

// Workers that share one queue of anonymous pieces of work and stop when `total` pieces are done.
class pool {
 public:
  pool(std::uint32_t workers, int total, std::uint32_t max_searching = 64)
      : idle{workers, max_searching}, total_{total} {}

  void submit() {
    work_.fetch_add(1, k_relaxed_order);
    idle.notify();
  }

  // What a worker does; it starts without searching.
  void work(worker_id self, time_ns deadline_ns = k_never_ns) {
    bool searching = false;
    while (!is_stopped()) {
      if (take()) {
        if (searching) leave_search();
        searching = false;
        run_one();
        continue;
      }
      if (!searching) {
        searching = idle.try_start_searching();
        if (searching) continue;
      }
#ifdef FILCH_MUTANT_RECHECK_BEFORE_ANNOUNCE
      if (has_work() || is_stopped()) continue;
      idle.announce_sleep(self, searching);
#else
      idle.announce_sleep(self, searching);
#ifndef FILCH_MUTANT_NO_RECHECK
      if (has_work() || is_stopped()) {
        idle.retract_sleep(self);
        searching = true;
        continue;
      }
#endif
#endif
      const bool is_chosen = lingers && (idle.is_chosen(self) || idle.is_chosen(self));
      const park_outcome how = idle.sleep(self, deadline_ns);
      require(!is_chosen || how == park_outcome::notified, "a token that was seen is there");
      if (how == park_outcome::notified) ++wakes;
      searching = true;
    }
    if (searching) (void)idle.stop_searching();
  }

  // The first piece of work to start ends only when the second has started: one worker alone cannot do both.
  void make_first_wait_for_second() { first_waits_for_second_ = true; }

  void settle() {
    require(done_ == total_, "all work is done", done_, total_);
    require(idle.sleeping_hint() == 0, "nobody is left asleep");
    require(idle.searching_hint() == 0, "nobody is left counted as searching", idle.searching_hint());
  }

  park::idle<atomics> idle;
  unsigned wakes = 0;
  bool lingers = false;  // looks for its token before it sleeps

 private:
  [[nodiscard]] bool is_stopped() const { return stop_.load(k_relaxed_order) != 0; }
  [[nodiscard]] bool has_work() const { return work_.load(k_relaxed_order) != 0; }

  bool take() {
    int seen = work_.load(k_relaxed_order);
    while (seen != 0) {
      if (work_.compare_exchange(seen, seen - 1, k_relaxed_order, k_relaxed_order)) return true;
    }
    return false;
  }

  void leave_search() {
    if (idle.stop_searching() == duty::recheck && has_work()) idle.notify();
  }

  void run_one() {
    const int order = ++started_;
    if (first_waits_for_second_ && order == 1) (void)second_started_.park();
    if (first_waits_for_second_ && order == 2) second_started_.unpark();
    if (++done_ != total_) return;
    stop_.store(1, k_relaxed_order);
    idle.notify_all();
  }

  int total_;
  int started_ = 0;
  int done_ = 0;
  bool first_waits_for_second_ = false;
  park::parker<atomics> second_started_;
  atomics::atomic<int> work_{0};
  atomics::atomic<int> stop_{0};
};

void submissions(context& c, std::uint32_t workers, int pieces, std::uint32_t max_searching,
                 time_ns deadline_ns = k_never_ns) {
  pool p{workers, pieces, max_searching};
  for (std::uint32_t i = 0; i != workers; ++i) c.thread("worker", [&p, i, deadline_ns] { p.work({i}, deadline_ns); });
  for (int i = 0; i != pieces; ++i) p.submit();
  c.join_all();
  p.settle();
}

void submissions_to_one_who_lingers(context& c, time_ns deadline_ns) {
  pool p{1, 1};
  p.lingers = true;
  c.thread("worker", [&] { p.work({0}, deadline_ns); });
  p.submit();
  c.join_all();
  p.settle();
}

// The first worker relies on the second, which sleeps: whoever was seen searching must not just walk off with its work.
void work_that_waits_for_other_work(context& c) {
  pool p{2, 2};
  p.make_first_wait_for_second();
  for (std::uint32_t i = 0; i != 2; ++i) c.thread("worker", [&p, i] { p.work({i}); });
  p.submit();
  p.submit();
  c.join_all();
  p.settle();
}

void two_submitters(context& c) {
  pool p{1, 2};
  c.thread("worker", [&] { p.work({0}); });
  c.thread("submitter", [&] { p.submit(); });
  p.submit();
  c.join_all();
  p.settle();
}

// Both workers sleep; one piece of work comes; exactly one is woken for it, and the other only by the end.
void one_submission_wakes_one(context& c) {
  park::idle<atomics> idle{2};
  int woken = 0;
  for (std::uint32_t i = 0; i != 2; ++i) {
    idle.announce_sleep({i}, false);
    c.thread("worker", [&, i] {
      require(idle.sleep({i}) == park_outcome::notified, "woken by a token");
      ++woken;
      (void)idle.stop_searching();
    });
  }
  const worker_id first = idle.notify();
  require(first.is_some(), "a sleeper is woken");
  const worker_id second = idle.notify();
  require(!second.is_some() || woken >= 1, "a burst wakes nobody while the first still searches");
  (void)idle.notify_all();
  c.join_all();
  require(woken == 2 && idle.sleeping_hint() == 0 && idle.searching_hint() == 0, "everybody was woken once");
}

// Work that only one worker may do: it must be woken even if others search, and never overlooked.
void pinned_work(context& c) {
  park::idle<atomics> idle{2};
  atomics::atomic<int> inbox{0};
  require(idle.try_start_searching(), "somebody else searches all the time");
  c.thread("worker", [&] {
    bool searching = false;
    while (inbox.load(k_relaxed_order) == 0) {
      idle.announce_sleep({1}, searching);
      if (inbox.load(k_relaxed_order) != 0) {
        idle.retract_sleep({1});
      } else {
        (void)idle.sleep({1});
      }
      searching = true;
    }
    if (searching) (void)idle.stop_searching();
  });
  inbox.store(1, k_relaxed_order);
  idle.notify_worker({1});
  c.join_all();
  (void)idle.stop_searching();
  require(idle.sleeping_hint() == 0 && idle.searching_hint() == 0, "nobody is left counted");
}

// What the waker wrote before the token is visible to the woken.
void a_token_hands_over(context& c, time_ns deadline_ns) {
  park::parker<atomics> place;
  atomics::var<int> gift{0};
  c.thread("sleeper", [&, deadline_ns] {
    if (place.park(deadline_ns) == park_outcome::notified) require(gift.get() == 1, "the gift is there");
  });
  gift.set(1);
  place.unpark();
  c.join_all();
}

// Two givers, whose tokens may become one: the sleeper goes to sleep again only if it has not seen both gifts.
void tokens_that_become_one_hand_over_both_gifts(context& c) {
  park::parker<atomics> place;
  atomics::atomic<int> gifts[2];
  for (auto& gift : gifts) {
    c.thread("giver", [&] {
      gift.store(1, k_relaxed_order);
      place.unpark();
    });
  }
  while (gifts[0].load(k_relaxed_order) == 0 || gifts[1].load(k_relaxed_order) == 0) (void)place.park();
  c.join_all();
}

// Two tokens before a sleep are one; after it was consumed the next sleep waits for a new one.
void tokens_do_not_add_up(context& c) {
  park::parker<atomics> place;
  int slept = 0;
  place.unpark();
  place.unpark();
  c.thread("sleeper", [&] {
    (void)place.park();
    slept = 1;
    (void)place.park();
    slept = 2;
  });
  while (slept == 0) atomics::pause();
  place.unpark();
  c.join_all();
  require(slept == 2, "both sleeps ended");
}

// A token after a time-out is not lost and belongs to the next sleep.
void a_late_token_is_kept(context& c) {
  park::parker<atomics> place;
  atomics::var<int> gift{0};
  bool handed_over = false;
  c.thread("sleeper", [&] {
    while (place.park(1) == park_outcome::timed_out) atomics::pause();
    handed_over = gift.get() == 1;
  });
  gift.set(1);
  place.unpark();
  c.join_all();
  require(handed_over, "the token came through");
}

void registering_twice(context& c) {
  park::idle<atomics> idle{2};
  idle.announce_sleep({0}, false);
  idle.announce_sleep({0}, false);
  c.join_all();
}

options strict(options how) {
  how.timeouts_rescue = false;
  return how;
}

}  // namespace

std::vector<scenario> all_scenarios() {
  return {
      {"a_token_hands_over", bounded(3, 6), [](context& c) { a_token_hands_over(c, k_never_ns); }},
      {"a_token_hands_over_before_a_deadline", bounded(3, 6), [](context& c) { a_token_hands_over(c, 1); }},
      {"tokens_that_become_one_hand_over_both_gifts", bounded(3, 5), tokens_that_become_one_hand_over_both_gifts},
      {"tokens_do_not_add_up", bounded(3, 5), tokens_do_not_add_up},
      {"a_late_token_is_kept", bounded(3, 5), a_late_token_is_kept},
      {"one_worker_one_submission", strict(bounded(3, 5)), [](context& c) { submissions(c, 1, 1, 64); }},
      {"one_worker_two_submissions", strict(bounded(2, 4)), [](context& c) { submissions(c, 1, 2, 64); }},
      {"one_worker_two_submitters", strict(bounded(2, 3)), two_submitters},
      {"two_workers_two_submissions", strict(bounded(2, 3)), [](context& c) { submissions(c, 2, 2, 64); }},
      {"work_that_waits_for_other_work", strict(sampled(20'000, 3'000'000)), work_that_waits_for_other_work},
      {"two_workers_one_may_search", strict(bounded(2, 3)), [](context& c) { submissions(c, 2, 2, 1); }},
      {"two_workers_with_deadlines", strict(bounded(1, 2)), [](context& c) { submissions(c, 2, 1, 64, 1); }},
      {"one_who_lingers", strict(bounded(3, 5)), [](context& c) { submissions_to_one_who_lingers(c, k_never_ns); }},
      {"one_who_lingers_with_a_deadline", strict(bounded(2, 4)),
       [](context& c) { submissions_to_one_who_lingers(c, 1); }},
      {"one_submission_wakes_one", bounded(2, 3), one_submission_wakes_one},
      {"pinned_work_is_not_overlooked", strict(bounded(3, 5)), pinned_work},
      {"three_workers_three_submissions", strict(sampled(20'000, 3'000'000)),
       [](context& c) { submissions(c, 3, 3, 64); }},
      {"registering_twice_is_refused", bounded(0, 0), registering_twice, failure::assertion},
  };
}

}  // namespace filch::check
