// The kernels of sharing on request under the model checker: the transfer cell where a frame is offered, the counter
// where a parent waits, the rest of the monitor thread, the word by which others request work, and visits: of a stack's
// list of frames, of a loop's range, and of a local work.
//
// Properties: an offer is got by exactly one of its owner and the thieves, complete; a parent is continued exactly
// once, by whoever counts to zero, and then everything its children did is visible, and its own state is to whom
// continues it; a request stands until it is taken, and whoever takes it sees who sleeps and relies on it; a visitor
// and the owner never touch the same frame, element or group at a time, though the owner takes no lock and no fence
// where nobody visits. Oracles: counts, and plain data that the checker watches for races.
#include "scenario.hpp"

#include <filch/share/claimed_range.hpp>
#include <filch/share/join_counter.hpp>
#include <filch/share/visit.hpp>
#include <share/lingering.hpp>
#include <share/transfer_cell.hpp>
#include <share/on_call.hpp>
#include <share/request_cell.hpp>

#include <array>

namespace filch::check {
namespace {

struct offered {
  atomics::var<int> contents{0};
};

void owner_against_thieves(context& c, int thieves) {
  transfer_cell<offered, atomics> cell;
  offered task;
  atomics::atomic<int> got{0};
  for (int i = 0; i != thieves; ++i) {
    c.thread("thief", [&] {
      offered* const taken = cell.take();
      if (taken == nullptr) return;
      require(taken->contents.get() == 7, "what is taken is complete");
      got.fetch_add(1, std::memory_order_relaxed);
    });
  }
  task.contents.set(7);
  cell.offer(task);
  if (cell.take_back(task)) got.fetch_add(1, std::memory_order_relaxed);
  c.join_all();
  require(got.load(std::memory_order_relaxed) == 1, "exactly one gets it");
}

// An offer that nobody takes back goes to one thief, and the owner may offer again.
void two_offers(context& c) {
  transfer_cell<offered, atomics> cell;
  std::array<offered, 2> tasks;
  atomics::atomic<int> got{0};
  c.thread("thief", [&] {
    for (int i = 0; i != 2; ++i) {
      if (offered* const taken = cell.take()) {
        require(taken->contents.get() == 7, "what is taken is complete");
        got.fetch_add(1, std::memory_order_relaxed);
      }
    }
  });
  for (offered& task : tasks) {
    task.contents.set(7);
    cell.offer(task);
    if (cell.take_back(task)) got.fetch_add(1, std::memory_order_relaxed);
  }
  c.join_all();
  require(got.load(std::memory_order_relaxed) == 2, "each is got once");
}

struct parent {
  atomics::var<int> state{0};
};

// Whoever counts to zero is the parent from then on; if all have ended before, the parent resumes by itself.
void children_end_while_their_parent_waits(context& c, int children) {
  join_counter<parent, atomics> ends{static_cast<std::uint32_t>(children)};
  std::array<atomics::var<int>, 2> results;
  parent who;
  atomics::atomic<int> continued{0};
  const auto go_on = [&] {
    for (int i = 0; i != children; ++i) require(results[static_cast<std::size_t>(i)].get() == 7, "results are visible");
    who.state.set(2);
    continued.fetch_add(1, std::memory_order_relaxed);
  };
  for (int i = 0; i != children; ++i) {
    c.thread("child", [&, i] {
      results[static_cast<std::size_t>(i)].set(7);
      if (parent* const waiting = ends.finish()) {
        require(waiting == &who && who.state.get() == 1, "the parent is complete");
        go_on();
      }
    });
  }
  if (ends.is_done()) {
    go_on();
  } else {
    who.state.set(1);
    if (ends.wait(who)) go_on();
  }
  c.join_all();
  require(continued.load(std::memory_order_relaxed) == 1, "it goes on once");
}

// A child that adds another one before it ends, as in a scope.
void a_child_spawns_another(context& c) {
  join_counter<parent, atomics> ends{1};
  std::array<atomics::var<int>, 2> results;
  parent who;
  atomics::atomic<int> continued{0};
  const auto go_on = [&] {
    require(results[0].get() == 7 && results[1].get() == 7, "results are visible");
    continued.fetch_add(1, std::memory_order_relaxed);
  };
  c.thread("child", [&] {
    ends.add();
    for (auto& result : results) {
      result.set(7);
      if (ends.finish() != nullptr) go_on();
    }
  });
  if (ends.is_done() || ends.wait(who)) go_on();
  c.join_all();
  require(continued.load(std::memory_order_relaxed) == 1, "it goes on once");
}

// The one that watches rests until it has seen every change; a call that nobody hears is a deadlock.
void a_change_is_noticed(context& c, int callers) {
  on_call<atomics> watch;
  std::array<atomics::atomic<int>, 2> changes;
  for (int i = 0; i != callers; ++i) {
    c.thread("caller", [&, i] {
      changes[static_cast<std::size_t>(i)].store(1, std::memory_order_relaxed);
      (void)watch.call();
    });
  }
  int seen = 0;
  const auto count = [&] {
    int sum = 0;
    for (int i = 0; i != callers; ++i) sum += changes[static_cast<std::size_t>(i)].load(std::memory_order_relaxed);
    return sum;
  };
  while (seen != callers) {
    watch.rest([&] { return count() != seen; });
    seen = count();
  }
  c.join_all();
}

// A thread that finds the monitor awake leaves the change to it, and calls it otherwise. Left to a monitor that goes to
// rest without having seen it, it is a deadlock.
void a_change_is_left_to_one_who_is_awake(context& c) {
  on_call<atomics> watch;
  atomics::atomic<int> change{0};
  atomics::atomic<int> seen_to{0};
  c.thread("changer", [&] {
    change.store(1, std::memory_order_relaxed);
    if (!watch.is_resting()) return;
    seen_to.fetch_add(1, std::memory_order_relaxed);
    change.store(2, std::memory_order_relaxed);
    (void)watch.call();
  });
  do {
    watch.rest([&] { return change.load(std::memory_order_relaxed) != 0; });
  } while (change.load(std::memory_order_relaxed) == 0);
  if (change.load(std::memory_order_relaxed) == 1) seen_to.fetch_add(1, std::memory_order_relaxed);
  c.join_all();
  require(seen_to.load(std::memory_order_relaxed) >= 1, "somebody sees to it");
}

constexpr std::uintptr_t k_join_requested = 0;

// The owner resumes comparing with other values, and answers where it finds itself asked, as a stack does at its joins,
// or because it looks anyway, as at its fork limit. Whoever sleeps in the end has either been seen by an answer, or its
// request stands. `is_one_awake`: another asks, too, and does not sleep.
void a_request_stands_until_it_is_taken(context& c, bool is_one_awake) {
  atomics::atomic<std::uintptr_t> word{1};
  atomics::atomic<int> sleepers{0};
  if (is_one_awake) c.thread("awake", [&] { post_request(word, k_join_requested); });
  c.thread("sleeper", [&] {
    sleepers.store(1, std::memory_order_relaxed);
    atomics::fence(std::memory_order_seq_cst);
    post_request(word, k_join_requested);
  });
  bool is_seen = false;
  const auto answer = [&](std::uintptr_t value) {
    if (take_request<atomics>(word, k_join_requested, value)) is_seen |= sleepers.load(std::memory_order_relaxed) != 0;
  };
  set_unless_requested(word, k_join_requested, 2);
  if (word.load(std::memory_order_relaxed) == k_join_requested) answer(2);
  answer(3);
  c.join_all();
  require(is_seen || word.load(std::memory_order_relaxed) == k_join_requested, "nobody sleeps whom no one knows of");
}

// A thread flushes the deferred request, while the owner takes the one that stands: the owner has nothing to offer and
// defers it, or it looks who sleeps, and another worker goes to sleep, for which a request was deferred already. No
// worker sleeps in the end that is neither seen nor has a request that stands or is deferred.
void a_deferred_request_is_made(context& c, bool is_one_to_sleep) {
  atomics::atomic<std::uintptr_t> word{k_join_requested};
  deferred_request<atomics> deferred;
  deferred.defer();
  atomics::atomic<int> sleepers{0};
  c.thread("payer", [&] {
    if (deferred.take()) post_request(word, k_join_requested);
  });
  if (is_one_to_sleep) {
    c.thread("sleeper", [&] {
      sleepers.store(1, std::memory_order_relaxed);
      atomics::fence(std::memory_order_seq_cst);
      deferred.defer();
    });
  }
  bool is_seen = false;
  if (take_request<atomics>(word, k_join_requested, 1)) {
    if (is_one_to_sleep) is_seen = sleepers.load(std::memory_order_relaxed) != 0;
    else deferred.defer();
  }
  c.join_all();
  require(is_seen || deferred.is_deferred() || word.load(std::memory_order_relaxed) == k_join_requested,
          "no request is lost");
}

// A thread that defers while a worker lingers leaves it to that one; otherwise it calls the monitor thread. Left to a
// worker that has stopped and looked before, it would be forgotten.
void a_deferral_is_not_left_to_a_worker_that_has_stopped(context& c) {
  lingering_count<atomics> lingering;
  deferred_request<atomics> deferred;
  atomics::atomic<int> told{0};
  lingering.begin();
  c.thread("owner", [&] {
    deferred.defer();
    if (!lingering.is_seen_to()) told.fetch_add(1, std::memory_order_relaxed);
  });
  lingering.end();
  const bool is_seen = deferred.is_deferred();
  c.join_all();
  require(is_seen || told.load(std::memory_order_relaxed) != 0, "it is known to one of them");
}

// ---- visits ---------------------------------------------------------------------------------------------------------

// The owner changes plain data between begin() and end(), a visitor between enter() and leave().
void owner_and_visitor_take_turns(context& c, int visits) {
  detail::point_lock<atomics> point;
  detail::owner_gate<atomics> changes;
  atomics::var<int> list{0};
  int taken = 0;
  c.thread("visitor", [&] {
    for (int i = 0; i != visits; ++i) {
      point.lock();
      if (changes.enter()) {
        list.set(list.get() + 1);
        ++taken;
        changes.leave();
      }
      point.unlock();
    }
  });
  for (int i = 0; i != 2; ++i) {
    changes.begin();
    list.set(list.get() + 1);
    changes.end();
  }
  c.join_all();
  require(list.get() == 2 + taken, "no change is lost");
}

// A stack's list with frames at falling addresses, and what its visitors have seen of it: as latent.hpp has it.
class visited_stack {
 public:
  static constexpr int k_frames = 3;  // the first is the bottom
  struct frame {
    frame* older = nullptr;
    atomics::var<int> contents{0};
    bool was_seen = false;
    std::uintptr_t address = 0;
  };

  visited_stack() {
    for (int i = 0; i != k_frames; ++i) frames_[index(i)].address = static_cast<std::uintptr_t>(100 - i);
  }
  void fork(int which, int value) {
    frame& made = frames_[index(which)];
    made.contents.set(value);
    made.older = newest_.load(std::memory_order_relaxed);
    detail::link_newest(newest_, &made);
  }
  // As a join: the frame is the owner's own from here on.
  void unlink(int which) {
    frame& last = frames_[index(which)];
    detail::unlink_newest<atomics>(newest_, last.older);
    if (last.address >= watch_.load(std::memory_order_relaxed)) {
      point_.lock();
      if (&last == last_seen_.get()) forget(last);
      point_.unlock();
    }
    last.contents.set(0);
  }
  void visit() {
    point_.lock();
    frame* const newest = detail::newest_for_visitor<atomics>(newest_, watch_, k_join_requested);
    for (const frame* each = newest; each != &frames_[0]; each = each->older) {
      require(each->contents.get() != 0, "a linked frame is complete");
    }
    // One that was unlinked while a visitor saw it is still `last_seen`, until its join comes to the share point.
    if (newest != last_seen_.get() && newest != last_seen_.get()->older) last_seen_.set(newest);
    (void)take_request<atomics>(watch_, k_join_requested, watch());
    point_.unlock();
  }

 private:
  static std::size_t index(int which) { return static_cast<std::size_t>(which); }
  void forget(const frame& last) {
    last_seen_.set(last.older);
    set_unless_requested(watch_, k_join_requested, watch());
  }
  std::uintptr_t watch() const { return last_seen_.get() == &frames_[0] ? UINTPTR_MAX : last_seen_.get()->address; }

  detail::point_lock<atomics> point_;
  std::array<frame, k_frames> frames_;
  atomics::atomic<frame*> newest_{&frames_[0]};
  atomics::atomic<std::uintptr_t> watch_{UINTPTR_MAX};
  atomics::var<frame*> last_seen_{&frames_[0]};
};

// The owner forks and joins, and uses the same memory for the next frame, while somebody looks at its list.
void a_visited_frame_stays_until_its_join(context& c, int visitors, int visits) {
  visited_stack stack;
  for (int i = 0; i != visitors; ++i) {
    c.thread("visitor", [&] {
      for (int n = 0; n != visits; ++n) stack.visit();
    });
  }
  stack.fork(1, 1);
  stack.fork(2, 2);
  stack.unlink(2);
  stack.fork(2, 3);
  stack.unlink(2);
  stack.unlink(1);
  c.join_all();
}

// Every element is done once: by the owner, or by one of the visitors, who divide what is left.
void an_element_is_claimed_or_divided(context& c, std::size_t count, std::size_t most, int visits) {
  struct nobody {};
  detail::point_lock<atomics> point;
  detail::claimed_range<atomics> range{{0, count}};
  atomics::atomic<nobody*> newest{nullptr};
  atomics::atomic<std::uintptr_t> join_limit{1};
  std::array<atomics::var<int>, 4> done;
  const auto run = [&](index_range what) {
    for (std::size_t i = what.begin; i != what.end; ++i) done[i].set(done[i].get() + 1);
  };
  c.thread("visitor", [&] {
    for (int i = 0; i != visits; ++i) {
      point.lock();
      (void)detail::newest_for_visitor<atomics>(newest, join_limit, k_join_requested);
      const index_range left = range.left();
      const index_range part = range.take_upper(left.begin + left.size() / 2);
      (void)take_request<atomics>(join_limit, k_join_requested, 1);
      point.unlock();
      run(part);
    }
  });
  while (true) {
    const auto now = range.claim(most, join_limit, k_join_requested);
    index_range what = now.what;
    if (!now.is_sure) {
      point.lock();
      what = range.claim_again(what);
      point.unlock();
    }
    if (what.begin == what.end) break;
    run(what);
  }
  c.join_all();
  for (std::size_t i = 0; i != count; ++i) require(done[i].get() == 1, "each element is done once");
}

}  // namespace

std::vector<scenario> all_scenarios() {
  return {
      {"an_offer_goes_to_one_of_owner_and_thief", bounded(3, 6), [](context& c) { owner_against_thieves(c, 1); }},
      {"an_offer_goes_to_one_of_owner_and_two_thieves", bounded(3, 5), [](context& c) { owner_against_thieves(c, 2); }},
      {"two_offers_one_after_the_other", bounded(3, 6), two_offers},
      {"a_child_ends_while_its_parent_waits", bounded(3, 6),
       [](context& c) { children_end_while_their_parent_waits(c, 1); }},
      {"two_children_end_while_their_parent_waits", bounded(3, 5),
       [](context& c) { children_end_while_their_parent_waits(c, 2); }},
      {"a_child_spawns_another", bounded(3, 6), a_child_spawns_another},
      {"a_change_is_noticed", bounded(3, 6), [](context& c) { a_change_is_noticed(c, 1); }},
      {"two_changes_are_noticed", bounded(3, 5), [](context& c) { a_change_is_noticed(c, 2); }},
      {"a_change_is_left_to_one_who_is_awake", bounded(3, 6), a_change_is_left_to_one_who_is_awake},
      {"a_request_stands_until_it_is_taken", bounded(3, 6),
       [](context& c) { a_request_stands_until_it_is_taken(c, false); }},
      {"a_request_stands_beside_another", bounded(3, 5),
       [](context& c) { a_request_stands_until_it_is_taken(c, true); }},
      {"a_deferred_request_is_made", bounded(3, 6), [](context& c) { a_deferred_request_is_made(c, false); }},
      {"a_request_deferred_for_a_sleeper_is_made", bounded(3, 5),
       [](context& c) { a_deferred_request_is_made(c, true); }},
      {"a_deferral_is_not_left_to_a_worker_that_has_stopped", bounded(3, 6),
       a_deferral_is_not_left_to_a_worker_that_has_stopped},
      {"owner_and_visitor_take_turns", bounded(3, 6), [](context& c) { owner_and_visitor_take_turns(c, 1); }},
      {"owner_and_visitor_take_turns_twice", bounded(2, 5), [](context& c) { owner_and_visitor_take_turns(c, 2); }},
      {"a_visited_frame_stays_until_its_join", bounded(3, 6),
       [](context& c) { a_visited_frame_stays_until_its_join(c, 1, 1); }},
      {"a_frame_that_is_visited_twice_stays", bounded(2, 5),
       [](context& c) { a_visited_frame_stays_until_its_join(c, 1, 2); }},
      {"a_frame_with_two_visitors_stays", bounded(2, 4),
       [](context& c) { a_visited_frame_stays_until_its_join(c, 2, 1); }},
      {"an_element_is_claimed_or_divided", bounded(3, 6),
       [](context& c) { an_element_is_claimed_or_divided(c, 3, 1, 1); }},
      {"a_range_is_divided_twice", bounded(2, 5), [](context& c) { an_element_is_claimed_or_divided(c, 4, 1, 2); }},
      {"a_block_is_claimed_or_divided", bounded(2, 5),
       [](context& c) { an_element_is_claimed_or_divided(c, 4, 2, 2); }},
  };
}

}  // namespace filch::check
