// Requests at share points, and how owners and visitors answer them.
#include "sharing_run.hpp"

#include <filch/base/assert.hpp>

#include <algorithm>
#include <utility>

namespace filch::inline v0::sim {
namespace {

// The part of a division that stays with its owner: whole cache lines where it is long.
std::uint64_t lower_half(std::uint64_t count) {
  constexpr std::uint64_t k_aligned = 64;
  const std::uint64_t half = count / 2;
  return half < 16 * k_aligned ? half : half / k_aligned * k_aligned;
}

}  // namespace

// Behind which element nothing is claimed.
std::uint64_t sharing_run::claimed_of(const actor& a, const activation& loop) const {
  const bool walks = a.at == state::walking && &loop == &stacks_[a.stack].open.back();
  return walks ? walk_of(a).claimed_by(now_ns_) : loop.next;
}

// The oldest frame of which a thief can get something.
activation* sharing_run::oldest_to_give(const actor& a) {
  if (a.stack == k_none) return nullptr;
  for (activation& each : stacks_[a.stack].open) {
    if (each.held != activation::frame::latent) continue;
    if (program_[each.what].what == program_part::kind::join) return &each;
    const std::uint64_t left = each.limit - claimed_of(a, each);
    if (left != 0 && left >= each.least) return &each;
  }
  return nullptr;
}

// A join shall answer there, and no fork would.
bool sharing_run::awaits_join(const actor& a) const {
  const bool runs = a.stack != k_none && (a.at == state::computing || a.at == state::walking || a.at == state::acting);
  return runs && a.is_join_asked && !a.is_fork_asked;
}

bool sharing_run::is_worth_answering(const activation& loop, std::uint64_t from) const {
  if (loop.is_few) return true;
  if (loop.limit - from < 2) return false;
  const time_ns left_ns = takes_ns(loop, from);
  const policy::demand& rules = rules_.rules();
  return left_ns >= rules.worth_waking_ns() || (left_ns >= rules.worth_awake_ns() && is_thief_awake());
}

// ---- requests -------------------------------------------------------------------------------------------------------

// Of what runs there: to be answered at the next fork or block, or at the next join.
void sharing_run::request(actor& of) {
  const bool is_join = rules_.goes_to_join(number_of(of), of.rules, can_visit_, has_latent(of));
  bool& asked = is_join ? of.is_join_asked : of.is_fork_asked;
  if (!std::exchange(asked, true)) ++counts_.requests;
  if (of.at != state::walking) return;
  const std::uint64_t block_end = walk_of(of).claimed_by(now_ns_);
  if (block_end < newest(of).goal && is_worth_answering(newest(of), block_end)) walk_to(of, block_end);
}

// A sleeper would have requested, and may not yet, or nothing was there.
void sharing_run::defer(actor& of) {
  if (!std::exchange(of.is_deferred, true)) ++counts_.deferred;
}

void sharing_run::defer_request(actor& a) {
  if (sleeping_ == 0) return;
  defer(a);
  see_to_deferred(&a);
}

// A worker that lingers makes what is deferred, or the monitor thread does.
void sharing_run::see_to_deferred(actor* by) {
  if (lingering_ != 0) move_lingering();
  else call_monitor(by);
}

void sharing_run::flush_deferred(actor& of) {
  of.is_deferred = false;
  request(of);
}

// ---- answers --------------------------------------------------------------------------------------------------------

// At a fork, whose frame may be the oldest, or between two blocks.
void sharing_run::answer(actor& a) {
  a.is_fork_asked = a.is_join_asked = false;
  if (offer_oldest(a, share::half)) announce(a);
  else defer_request(a);
}

void sharing_run::answer_in_loop(actor& a) {
  if (has_latent(a)) return answer(a);
  // The fork that would be welcome answers itself.
  a.is_fork_asked = a.is_fork_asked || std::exchange(a.is_join_asked, false);
}

// The frame of this join is no longer there: an older one is offered.
void sharing_run::answer_at_join(actor& a) {
  a.is_fork_asked = a.is_join_asked = false;
  const bool has_offered = offer_oldest(a, share::half);
  if (!has_offered && a.cell != k_none) return defer_request(a);
  rules_.join_answered(number_of(a), a.rules, has_offered);
  if (has_offered) announce(a);
  else if (!a.rules.answers.do_answer()) request(a);
  else defer_request(a);
}

// ---- offers ---------------------------------------------------------------------------------------------------------

bool sharing_run::offer_oldest(actor& a, share how) {
  if (a.cell != k_none) return false;
  activation* const oldest = oldest_to_give(a);
  if (oldest == nullptr) return false;
  const std::uint64_t kept = how == share::all ? 0 : lower_half(oldest->left());
  put_out(a, *oldest, oldest->next + kept);
  a.owed_ns += costs_.offer_ns;
  return true;
}

// The child of a join, or the elements of a loop from `middle` on.
void sharing_run::put_out(actor& a, activation& of, std::uint64_t middle) {
  const offer_number made = offers_.make();
  offer& fresh = offers_[made];
  const program_part& part = program_[of.what];
  fresh.how = offer::state::offered;
  fresh.point = number_of(a);
  fresh.parent = stacks_[a.stack].task;
  fresh.offered_ns = now_ns_;
  fresh.is_range = part.what == program_part::kind::loop;
  fresh.older = of.offers;
  of.offers = made;
  if (fresh.is_range) {
    FILCH_ASSERT(middle < of.limit, middle, of.limit);
    fresh.what = of.what;
    fresh.is_few = of.is_few;
    fresh.elements = {middle, std::exchange(of.limit, middle)};
  } else {
    fresh.what = part.second;
    of.held = activation::frame::shared;
  }
  a.cell = made;
  ++cells_;
  ++counts_.offers;
  rules_.open_visits(number_of(a), a.rules);
  cut_waits();
}

// A sleeper is woken for the offer in the cell, unless the monitor thread sees to it.
void sharing_run::announce(actor& a) {
  const std::uint32_t who = number_of(a);
  if (rules_.monitor_wakes(who, a.rules.throttle.is_throttled(), lingering_ != 0, is_monitored())) return;
  if (has_place_for_sleeper(who)) notify(&a, wake_cause::owner);
  if (a.cell != k_none) offers_[a.cell].offered_ns = now_ns_;
}

// The stack joins what was offered, and no thief has it: its owner runs it. A sleeper that was woken for it may come
// too late, and no other worker knows that there is more.
void sharing_run::take_back(actor& a, offer_number which) {
  actor& at = actors_[offers_[which].point];
  FILCH_ASSERT(at.cell == which, at.cell, which);
  at.cell = k_none;
  --cells_;
  ++counts_.taken_back;
  const time_ns lain_ns = now_ns_ - offers_[which].offered_ns;
  offers_.free(which);
  rules_.child_over(number_of(a), a.rules, lain_ns, now_ns_);
  if (sleeping_ == 0) return;
  if (rules_.may_wake(number_of(a), a.rules, now_ns_)) request(a);
  else defer_request(a);
}

// ---- visits ---------------------------------------------------------------------------------------------------------

// Another thread offers what lies there, in the place of the owner. True: something is offered now.
bool sharing_run::visit(actor& of) {
  ++counts_.visits;
  if (of.cell == k_none) {
    if (activation* const oldest = oldest_to_give(of)) {
      const std::uint64_t from = claimed_of(of, *oldest);
      put_out(of, *oldest, from + lower_half(oldest->limit - from));
      of.is_fork_asked = of.is_join_asked = false;
    }
    delay(of, costs_.visited_ns);
  }
  const bool has_found = of.cell != k_none;
  if (has_found) ++counts_.visits_found;
  rules_.visit_over(number_of(of), of.rules, has_found, now_ns_);
  return has_found;
}

// The owner stands still for so long, and its loop may have become shorter.
void sharing_run::delay(actor& of, time_ns span_ns) {
  if (of.at != state::walking && of.at != state::computing) return;
  of.owed_ns += span_ns;
  if (of.at == state::computing) expect(of, of.until_ns + span_ns);
  else walk_to(of, std::min(newest(of).goal, newest(of).limit));
}

}  // namespace filch::inline v0::sim
