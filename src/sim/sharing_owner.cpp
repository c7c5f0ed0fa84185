// What runs on a stack: works, joins and loops, until time must pass or a join has to wait.
#include "sharing_run.hpp"

#include <filch/base/assert.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace filch::inline v0::sim {
namespace {

constexpr std::uint64_t k_few = 32;  // as in algo/detail/pace.hpp

}  // namespace

sharing_run::then sharing_run::advance(actor& a) {
  if (stacks_[a.stack].open.empty()) return end_stack(a);
  activation& top = newest(a);
  const program_part& part = program_[top.what];
  switch (part.what) {
    case program_part::kind::join:
      return advance_join(a);
    case program_part::kind::loop:
      return advance_loop(a);
    case program_part::kind::work:
      break;
  }
  if (top.at == activation::stage::end) {
    pop(a);
    return then::run;
  }
  top.at = activation::stage::end;
  ++counts_.leaves;
  return compute(a, part.before_ns);
}

sharing_run::then sharing_run::compute(actor& a, time_ns work_ns) {
  if (work_ns == 0) return then::run;
  const std::uint32_t who = std::min(number_of(a), workers() - 1);  // an external thread is as fast as the last worker
  time_ns span_ns = machine_.duration_ns(who, work_ns);
  if (!machine_.disturbances.empty()) span_ns = machine_.disturbed_ns(who, now_ns_ + a.owed_ns, span_ns);
  return pause(a, state::computing, activity::work, span_ns);
}

void sharing_run::begin(actor& a, part_id what) {
  stacks_[a.stack].open.push_back({.what = what, .limit = program_[what].count, .since_ns = now_ns_});
}

// ---- joins ----------------------------------------------------------------------------------------------------------

sharing_run::then sharing_run::advance_join(actor& a) {
  using stage = activation::stage;
  activation& top = newest(a);
  const program_part& part = program_[top.what];
  switch (top.at) {
    case stage::begin:
      top.at = stage::fork;
      return compute(a, part.before_ns);
    case stage::fork:
      top.at = stage::first;
      top.held = activation::frame::latent;
      ++counts_.forks;
      a.owed_ns += costs_.fork_ns;
      if (a.is_fork_asked) answer(a);
      begin(a, part.first);
      return then::run;
    case stage::first:
      if (std::exchange(top.held, activation::frame::none) == activation::frame::shared) {
        const offer& child = offers_[top.offers];
        if (child.how == offer::state::taken) {
          top.at = stage::joined;
          return suspend(a, top.offers);
        }
        if (child.how == offer::state::done) {
          top.at = stage::joined;
          return then::run;
        }
        take_back(a, std::exchange(top.offers, k_none));
      } else if (a.is_join_asked) {
        answer_at_join(a);
      }
      a.owed_ns += costs_.join_ns;
      top.at = stage::after;
      begin(a, part.second);
      return then::run;
    case stage::joined:
      a.trace.join(stacks_[a.stack].task, offers_[top.offers].task);
      offers_.free(std::exchange(top.offers, k_none));
      if (a.is_join_asked) answer_at_join(a);
      [[fallthrough]];
    case stage::after:
      top.at = stage::end;
      return compute(a, part.after_ns);
    default:
      pop(a);
      return then::run;
  }
}

// ---- loops ----------------------------------------------------------------------------------------------------------

sharing_run::then sharing_run::advance_loop(actor& a) {
  switch (newest(a).at) {
    case activation::stage::begin:
      return begin_loop(a);
    case activation::stage::serial:
      return walk_serially(a);
    case activation::stage::open:
      return program_[newest(a).what].element.is_some() ? claim_inside(a) : claim(a);
    case activation::stage::settle:
      return settle_part(a);
    default:
      pop(a);
      return then::run;
  }
}

// How long what is left behind `from` takes one worker.
time_ns sharing_run::takes_ns(const activation& loop, std::uint64_t from) const {
  const program_part& part = program_[loop.what];
  if (part.element.is_some()) return program_.work_ns(part.element) * static_cast<time_ns>(loop.limit - from);
  return part.elements_take_ns(loop.limit) - part.elements_take_ns(from);
}

sharing_run::then sharing_run::begin_loop(actor& a) {
  activation& top = newest(a);
  const program_part& part = program_[top.what];
  if (!top.is_part) top.is_few = top.left() < k_few;
  // One element alone could only be given away, and be taken back, again and again.
  const bool is_one = top.left() == 1;
  if (!is_one && (top.is_few || top.is_part || part.element.is_some())) return open_frame(a);
  if (part.element.is_some()) {
    top.at = activation::stage::end;
    begin(a, part.element);
    return then::run;
  }
  if (!is_one && !costs_known_[top.what.value]) {
    top.at = activation::stage::serial;
    top.block = 0;
    return then::run;
  }
  if (!is_one && takes_ns(top, top.next) >= rules_.rules().worth_awake_ns()) return open_frame(a);
  top.at = activation::stage::end;
  counts_.leaves += top.left();
  return compute(a, takes_ns(top, top.next));
}

// Without a frame, in blocks that grow, until it is known that what is left is worth one.
sharing_run::then sharing_run::walk_serially(actor& a) {
  activation& top = newest(a);
  const policy::demand& rules = rules_.rules();
  if (top.block != 0) {
    const auto took_ns = static_cast<std::uint64_t>(now_ns_ - top.since_ns);
    const auto block_ns = static_cast<std::uint64_t>(rules.block_ns());
    costs_known_[top.what.value] = true;
    if (4 * took_ns >= block_ns && takes_ns(top, top.next) >= rules.worth_awake_ns()) return open_frame(a);
    const int room = static_cast<int>(std::bit_width(block_ns)) - static_cast<int>(std::bit_width(took_ns));
    top.block = room >= 0 ? top.block << std::min(room, 6) : std::max<std::uint64_t>(top.block >> -room, 1);
  } else {
    top.block = 1;
  }
  if (top.left() == 0) {
    pop(a);
    return then::run;
  }
  const std::uint64_t from = top.next;
  top.since_ns = now_ns_;
  top.next += std::min(top.block, top.left());
  counts_.leaves += top.next - from;
  a.owed_ns += costs_.look_ns;
  return compute(a, takes_ns(top, from) - takes_ns(top, top.next));
}

// One frame stands for all that is left.
sharing_run::then sharing_run::open_frame(actor& a) {
  activation& top = newest(a);
  const program_part& part = program_[top.what];
  const policy::demand& rules = rules_.rules();
  top.at = activation::stage::open;
  top.held = activation::frame::latent;
  ++counts_.forks;
  a.owed_ns += costs_.fork_ns;
  if (top.is_few) {
    top.blocks = block_schedule::of_single_elements(top.next);
  } else {
    const time_ns work_ns = program_.work_ns(top.what);
    const bool is_worth = !is_wanted(a) || takes_ns(top, top.next) >= rules.worth_waking_ns() || is_thief_awake();
    top.least = is_worth ? elements_in(rules.worth_awake_ns(), work_ns, part.count) + 1 : top.left() + 1;
    top.blocks = block_schedule{top.next, top.left(), work_ns, part.count, rules};
  }
  if (a.is_fork_asked) answer(a);
  return then::run;
}

element_walk sharing_run::walk_of(const actor& a) const {
  const activation& top = stacks_[a.stack].open.back();
  const std::uint32_t who = std::min(number_of(a), workers() - 1);
  return {program_[top.what], top.blocks, machine_, who, top.next, top.limit, a.since_ns + a.owed_ns};
}

// Through plain elements up to there, where a block ends or the elements do.
void sharing_run::walk_to(actor& a, std::uint64_t to) {
  newest(a).goal = to;
  expect(a, walk_of(a).done_ns(to));
}

// All that is left at one go, or one block if there is a request that can be answered behind it.
sharing_run::then sharing_run::claim(actor& a) {
  activation& top = newest(a);
  if (top.left() == 0) return close_frame(a);
  a.at = state::walking;
  a.does = activity::work;
  const std::uint64_t block_end = std::min(top.blocks.end_of(top.next, 0), top.limit);
  walk_to(a, is_wanted(a) && is_worth_answering(top, block_end) ? block_end : top.limit);
  return then::pause;
}

void sharing_run::end_walk(actor& a) {
  activation& top = newest(a);
  counts_.leaves += top.goal - top.next;
  const time_ns looked_ns = static_cast<time_ns>(top.blocks.blocks(top.next, top.goal)) * costs_.look_ns;
  a.spent[static_cast<std::size_t>(activity::work)] -= looked_ns;
  a.spent[static_cast<std::size_t>(activity::overhead)] += looked_ns;
  top.next = top.goal;
  if (is_wanted(a) && is_worth_answering(top, top.next)) answer_in_loop(a);
}

// Elements that run parts: all of a block were claimed before the first begins.
sharing_run::then sharing_run::claim_inside(actor& a) {
  activation& top = newest(a);
  if (top.is_inside && ++top.element == top.next) {
    top.is_inside = false;
    if (!top.is_few) a.owed_ns += costs_.look_ns;
    if (is_wanted(a) && (top.is_few || is_worth_answering(top, top.next))) answer_in_loop(a);
  }
  if (!top.is_inside) {
    if (top.left() == 0) return close_frame(a);
    top.element = top.next;
    top.next = std::min(top.blocks.end_of(top.next, 0), top.limit);
    top.is_inside = true;
  }
  begin(a, program_[top.what].element);
  return then::run;
}

sharing_run::then sharing_run::close_frame(actor& a) {
  activation& top = newest(a);
  top.held = activation::frame::none;
  top.at = activation::stage::settle;
  a.owed_ns += costs_.join_ns;
  if (a.is_join_asked) answer_at_join(a);
  return then::run;
}

// The newest part first: done, still with a thief, or left to its owner.
sharing_run::then sharing_run::settle_part(actor& a) {
  activation& top = newest(a);
  if (top.offers == k_none) {
    pop(a);
    return then::run;
  }
  const offer_number which = top.offers;
  const offer part = offers_[which];
  if (part.how == offer::state::taken) return suspend(a, which);
  top.offers = part.older;
  if (part.how == offer::state::offered) {
    take_back(a, which);
    push_part(a, part);
  } else {
    a.trace.join(stacks_[a.stack].task, part.task);
    offers_.free(which);
  }
  return then::run;
}

void sharing_run::push_part(actor& a, const offer& of) {
  stacks_[a.stack].open.push_back({.what = of.what,
                                   .is_few = of.is_few,
                                   .is_part = true,
                                   .next = of.elements.begin,
                                   .limit = of.elements.end,
                                   .since_ns = now_ns_});
}

// ---- stacks ---------------------------------------------------------------------------------------------------------

// The thief begins with what it has taken.
void sharing_run::begin_offer(actor& a, offer_number which) {
  const stack_number fresh = stacks_.make();
  offer& taken = offers_[which];
  sharing_stack& made = stacks_[fresh];
  made.runs_at = number_of(a);
  made.runs = which;
  made.task = taken.task;
  made.began_ns = now_ns_;
  a.stack = fresh;
  if (taken.is_range) push_part(a, taken);
  else begin(a, taken.what);
  const bool has_moved = taken.point != number_of(a) && is_worker(taken.point);
  if (has_moved && !costs_.migration_ns.empty()) {
    a.owed_ns += costs_.migration_at_ns(machine_.distance(id_of(taken.point), id_of(a)));
  }
  a.trace.start(taken.task);
}

// The stack waits for a child that a thief runs. A worker leaves it, an external thread sleeps.
sharing_run::then sharing_run::suspend(actor& a, offer_number until_done) {
  offers_[until_done].waiter = a.stack;
  if (!is_worker(number_of(a))) {
    a.at = state::blocked;
    a.does = activity::block;
    a.awaited = k_no_ticket;
    if (sleeping_ != 0) call_monitor(&a);
    return then::pause;
  }
  (void)offer_oldest(a, share::all);
  a.trace.suspend(stacks_[a.stack].task);
  ++a.counts[trace::count::suspends];
  a.stack = k_none;
  a.search->begin();
  return then::look;
}

void sharing_run::resume(actor& a, stack_number which) {
  sharing_stack& of = stacks_[which];
  a.stack = which;
  a.owed_ns += costs_.resume_ns;
  const std::uint32_t before = std::exchange(of.runs_at, number_of(a));
  if (before != of.runs_at && !costs_.migration_ns.empty()) {
    a.owed_ns += costs_.migration_at_ns(machine_.distance(id_of(before), id_of(a)));
  }
  ++a.counts[trace::count::resumes];
  a.trace.resume(of.task);
}

sharing_run::then sharing_run::end_stack(actor& a) {
  if (a.owed_ns != 0) return pause(a, state::computing, activity::overhead, 0);  // first what it owes passes
  const offer_number runs = stacks_[a.stack].runs;
  return runs == k_none ? advance_phase(a) : end_offer(a, runs);
}

// The worker goes on with the stack that waits for this child, if one does, or looks for work.
sharing_run::then sharing_run::end_offer(actor& a, offer_number which) {
  const sharing_stack& mine = stacks_[a.stack];
  offer& done = offers_[which];
  const std::uint32_t point = done.point;
  rules_.child_over(point, actors_[point].rules, now_ns_ - mine.began_ns, now_ns_);
  a.trace.end(mine.task);
  ++a.counts[trace::count::executed];
  stacks_.free(std::exchange(a.stack, k_none));
  done.how = offer::state::done;
  const stack_number waiter = std::exchange(done.waiter, k_none);
  if (waiter != k_none && is_worker(stacks_[waiter].runs_at)) {
    resume(a, waiter);
    return then::run;
  }
  if (waiter != k_none) {
    a.owed_ns += costs_.notify_ns;
    expect(actors_[outside()], now_ns_ + costs_.wake_ns + costs_.switch_ns);
  }
  a.search->begin();
  return then::look;
}

// ---- phases ---------------------------------------------------------------------------------------------------------

// Does an external thread request help when it begins with this?
bool sharing_run::is_worth_a_request(part_id what) const {
  const bool is_known_loop = program_[what].what == program_part::kind::loop && costs_known_[what.value];
  return is_known_loop && program_.work_ns(what) >= rules_.rules().worth_waking_ns();
}

sharing_run::then sharing_run::advance_phase(actor& a) {
  if (phase_stage_ == phase_stage::running) {
    phase_ns_.push_back(now_ns_ - phase_began_ns_);
    phase_stage_ = phase_stage::before;
    ++phase_;
  }
  if (phase_ == program_.phases().size()) {
    if (is_worker(number_of(a))) {
      a.trace.end(stacks_[a.stack].task);
      ++a.counts[trace::count::executed];
    }
    stop(run_end::complete);
    return then::pause;
  }
  const program_phase& now = program_.phases()[phase_];
  if (phase_stage_ == phase_stage::before && now.pause_ns != 0) {
    phase_stage_ = phase_stage::paused;
    return pause(a, state::pausing, activity::block, now.pause_ns);
  }
  phase_stage_ = phase_stage::running;
  phase_began_ns_ = now_ns_;
  begin(a, now.what);
  if (!is_worker(number_of(a))) {
    if (is_worth_a_request(now.what) && sleeping_ + searching_ != 0) request(a);
    call_monitor(&a);
  }
  return then::run;
}

}  // namespace filch::inline v0::sim
