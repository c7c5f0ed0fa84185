// The deque under the model checker.
//
// Property: every item that was pushed is taken exactly once, by the owner or by one thief, and whoever takes it sees
// what its maker wrote into it. Oracle: a count per item, and plain data inside each item that the checker watches for
// races. Method: few items, few threads, tiny rings, so that growth, wrap-around and the race for the last item happen
// in nearly every execution.
#include "scenario.hpp"

#include <filch/queue/deque.hpp>

#include <array>
#include <cstdint>
#include <memory>

namespace filch::check {
namespace {

// What a deque's item points to: written by the maker, read by the taker.
struct payload {
  atomics::var<int> number{0};
};

using item = payload*;
using deque = queue::deque<item, atomics>;
using queue::steal_status;

// The items of one execution and how often each was taken.
template <std::size_t Count>
class ledger {
 public:
  item make(int i) {
    at(i).number.set(i + 1);
    return &at(i);
  }

  void take(item taken) {
    require(!is_poison(taken), "nobody is given what lay in a discarded ring");
    require(taken >= &payloads_[0] && taken < payloads_.data() + Count, "what is taken was pushed");
    const auto i = taken - &payloads_[0];
    require(taken->number.get() == i + 1, "the taker sees what the maker wrote", taken->number.get());
    require(++taken_[static_cast<std::size_t>(i)] == 1, "an item is taken once", i);
  }

  // Everything that is left is the owner's; then the books must balance.
  void settle(deque& d) {
    for (auto rest = d.owner().pop(); rest; rest = d.owner().pop()) take(*rest);
    for (std::size_t i = 0; i != Count; ++i) require(taken_[i] == 1, "no item is lost", i);
  }

  bool steal_from(deque& d) {
    const auto stolen = d.thief().steal();
    if (stolen.is_taken()) take(stolen.item);
    return stolen.is_taken();
  }

  void pop_from(deque& d) {
    if (const auto popped = d.owner().pop()) take(*popped);
  }
  void pop_oldest_from(deque& d) {
    if (const auto popped = d.owner().pop_oldest()) take(*popped);
  }

 private:
  payload& at(int i) { return payloads_[static_cast<std::size_t>(i)]; }

  std::array<payload, Count> payloads_;
  std::array<int, Count> taken_{};
};

constexpr std::uint64_t k_near_signed_wrap = static_cast<std::uint64_t>(INT64_MAX) - 1;
constexpr std::uint64_t k_near_wrap = UINT64_MAX - 1;

void last_item(context& c, std::uint64_t first_index, int thieves) {
  deque d{2, first_index};
  ledger<1> items;
  for (int i = 0; i != thieves; ++i) c.thread("thief", [&] { items.steal_from(d); });
  d.owner().push(items.make(0));
  items.pop_from(d);
  c.join_all();
  items.settle(d);
}

void two_items_two_thieves(context& c) {
  deque d{2};
  ledger<2> items;
  for (int i = 0; i != 2; ++i) c.thread("thief", [&] { items.steal_from(d); });
  d.owner().push(items.make(0));
  d.owner().push(items.make(1));
  items.pop_from(d);
  c.join_all();
  items.settle(d);
}

// Pop's store to bottom is all that the thief reads: it must still bring the older item with it.
void older_items_stay_visible_after_a_pop(context& c) {
  deque d{4};
  ledger<2> items;
  c.thread("thief", [&] {
    items.steal_from(d);
    items.steal_from(d);
  });
  d.owner().push(items.make(0));
  d.owner().push(items.make(1));
  items.pop_from(d);
  items.pop_from(d);
  c.join_all();
  items.settle(d);
}

// A pop that finds the deque empty restores bottom; the next push and the thief must agree about it.
void push_after_an_empty_pop(context& c) {
  deque d{2};
  ledger<2> items;
  c.thread("thief", [&] {
    items.steal_from(d);
    items.steal_from(d);
  });
  d.owner().push(items.make(0));
  items.pop_from(d);
  d.owner().push(items.make(1));
  items.pop_from(d);
  c.join_all();
  items.settle(d);
}

void growth(context& c, std::uint64_t first_index, int thefts) {
  deque d{1, first_index};
  ledger<3> items;
  c.thread("thief", [&, thefts] {
    for (int i = 0; i != thefts; ++i) items.steal_from(d);
  });
  for (int i = 0; i != 3; ++i) d.owner().push(items.make(i));
  c.join_all();
  items.settle(d);
}

// A full ring whose oldest item lies in the middle: growth must keep the order of indices, not of slots.
void growth_of_a_wrapped_ring(context& c) {
  deque d{2};
  ledger<4> items;
  c.thread("thief", [&] { items.steal_from(d); });
  d.owner().push(items.make(0));
  items.pop_oldest_from(d);
  for (int i = 1; i != 4; ++i) d.owner().push(items.make(i));
  items.pop_from(d);
  c.join_all();
  items.settle(d);
}

void a_full_ring_is_not_empty(context& c) {
  deque d{2};
  ledger<2> items;
  d.owner().push(items.make(0));
  d.owner().push(items.make(1));
  require(d.owner().capacity() == 2, "two items fill the ring");
  items.pop_from(d);
  items.pop_from(d);
  c.join_all();
  items.settle(d);
}

// Slots are used again while a thief may still hold an old index.
void slots_are_reused(context& c) {
  deque d{1};
  ledger<3> items;
  c.thread("thief", [&] {
    items.steal_from(d);
    items.steal_from(d);
  });
  for (int i = 0; i != 3; ++i) {
    d.owner().push(items.make(i));
    items.pop_from(d);
  }
  c.join_all();
  items.settle(d);
}

void fifo_owner(context& c, int thieves) {
  deque d{2};
  ledger<2> items;
  for (int i = 0; i != thieves; ++i) c.thread("thief", [&] { items.steal_from(d); });
  d.owner().push(items.make(0));
  d.owner().push(items.make(1));
  items.pop_oldest_from(d);
  items.pop_oldest_from(d);
  c.join_all();
  items.settle(d);
}

// An owner may change its order from call to call.
void mixed_order_owner(context& c) {
  deque d{2};
  ledger<3> items;
  c.thread("thief", [&] {
    items.steal_from(d);
    items.steal_from(d);
  });
  d.owner().push(items.make(0));
  d.owner().push(items.make(1));
  items.pop_oldest_from(d);
  items.pop_from(d);
  d.owner().push(items.make(2));
  items.pop_from(d);
  c.join_all();
  items.settle(d);
}

// After the burst the deque goes back to its small ring; a thief that still looks at the large one gets nothing from
// it.
void trim_after_a_burst(context& c, bool with_lifo_pops) {
  deque d{1};
  ledger<3> items;
  c.thread("thief", [&] {
    items.steal_from(d);
    items.steal_from(d);
  });
  d.owner().push(items.make(0));
  d.owner().push(items.make(1));
  for (int i = 0; i != 2; ++i) {
    if (with_lifo_pops) items.pop_from(d);
    else items.pop_oldest_from(d);
  }
  d.owner().trim();
  d.owner().push(items.make(2));
  c.join_all();
  items.settle(d);
}

// Grown, trimmed and grown again: the large ring is used a second time.
void trim_and_grow_again(context& c) {
  deque d{1};
  ledger<4> items;
  c.thread("thief", [&] {
    items.steal_from(d);
    items.steal_from(d);
  });
  for (int round = 0; round != 2; ++round) {
    d.owner().push(items.make(2 * round));
    d.owner().push(items.make(2 * round + 1));
    items.pop_from(d);
    items.pop_from(d);
    d.owner().trim();
  }
  c.join_all();
  items.settle(d);
}

void steal_half(context& c, int pops) {
  deque victim{1};
  deque own{1};
  ledger<4> items;
  c.thread("thief", [&] {
    const auto batch = victim.thief().steal_half(own.owner(), 8);
    if (batch.is_taken()) items.take(batch.item);
    for (auto rest = own.owner().pop(); rest; rest = own.owner().pop()) items.take(*rest);
  });
  for (int i = 0; i != 4; ++i) victim.owner().push(items.make(i));
  for (int i = 0; i != pops; ++i) items.pop_from(victim);
  c.join_all();
  items.settle(victim);
}

// What a thief has moved to its own deque can be stolen on from there, with everything its maker wrote.
void stolen_items_are_stolen_again(context& c) {
  deque first{4};
  deque second{4};
  ledger<4> items;
  for (int i = 0; i != 4; ++i) first.owner().push(items.make(i));
  c.thread("thief", [&] {
    const auto batch = first.thief().steal_half(second.owner(), 8);
    if (batch.is_taken()) items.take(batch.item);
    items.pop_from(second);
  });
  c.thread("thief's thief", [&] { items.steal_from(second); });
  items.pop_from(first);
  c.join_all();
  for (auto rest = second.owner().pop(); rest; rest = second.owner().pop()) items.take(*rest);
  items.settle(first);
}

// A thief sleeps between its look at top and its claim while 256 items pass through the same slot: a claim by an index
// of 8 bits would succeed. FIFO, because there every item moves top. The body is the thief, so that one pause suffices.
void an_index_is_not_used_again(context& c) {
  deque d{1};
  ledger<1> last;
  payload passing;
  d.owner().push(&passing);
  c.thread("owner", [&] {
    for (int i = 0; i != 255; ++i) {
      (void)d.owner().pop_oldest();
      d.owner().push(&passing);
    }
    (void)d.owner().pop_oldest();
    d.owner().push(last.make(0));
  });
  const auto stolen = d.thief().steal();
  c.join_all();
  if (stolen.is_taken() && stolen.item != &passing) last.take(stolen.item);
  for (auto rest = d.owner().pop(); rest; rest = d.owner().pop()) {
    if (*rest != &passing) last.take(*rest);
  }
  last.settle(d);
}

void robbing_oneself(context& c) {
  deque d{2};
  ledger<2> items;
  d.owner().push(items.make(0));
  d.owner().push(items.make(1));
  (void)d.thief().steal_half(d.owner(), 8);
  c.join_all();
}

// The first executions of a depth-first search let the body pause at its last steps: before its claim, for one.
options one_pause() { return {.mode = exhaustive{.preemptions = 1, .max_executions = 1'000}}; }

// The trimmed ring is given up while items are left: the owner must refuse.
void trim_of_a_deque_that_is_not_empty(context& c) {
  deque d{1};
  ledger<2> items;
  c.thread("thief", [&] { items.steal_from(d); });
  d.owner().push(items.make(0));
  d.owner().push(items.make(1));
  d.owner().trim();
  c.join_all();
  items.settle(d);
}

}  // namespace

std::vector<scenario> all_scenarios() {
  return {
      {"a_full_ring_is_not_empty", bounded(1, 1), a_full_ring_is_not_empty},
      {"the_last_item_goes_to_exactly_one_of_owner_and_thief", bounded(3, 5), [](context& c) { last_item(c, 0, 1); }},
      {"the_last_item_near_signed_wrap", bounded(3, 4), [](context& c) { last_item(c, k_near_signed_wrap, 1); }},
      {"the_last_item_near_wrap", bounded(3, 4), [](context& c) { last_item(c, k_near_wrap, 1); }},
      {"the_last_item_goes_to_exactly_one_of_owner_and_two_thieves", bounded(2, 3),
       [](context& c) { last_item(c, 0, 2); }},
      {"two_items_two_thieves", bounded(2, 3), two_items_two_thieves},
      {"older_items_stay_visible_after_a_pop", bounded(2, 3), older_items_stay_visible_after_a_pop},
      {"push_after_an_empty_pop", bounded(2, 3), push_after_an_empty_pop},
      {"growth_under_theft", bounded(2, 4), [](context& c) { growth(c, 0, 2); }},
      {"growth_under_theft_near_wrap", bounded(2, 3), [](context& c) { growth(c, k_near_wrap, 2); }},
      {"growth_of_a_wrapped_ring", bounded(2, 3), growth_of_a_wrapped_ring},
      {"slots_are_reused", bounded(2, 3), slots_are_reused},
      {"fifo_owner_against_a_thief", bounded(3, 4), [](context& c) { fifo_owner(c, 1); }},
      {"fifo_owner_against_two_thieves", bounded(2, 3), [](context& c) { fifo_owner(c, 2); }},
      {"mixed_order_owner", bounded(2, 3), mixed_order_owner},
      {"trim_after_a_burst", bounded(2, 3), [](context& c) { trim_after_a_burst(c, true); }},
      {"trim_after_a_fifo_burst", bounded(2, 3), [](context& c) { trim_after_a_burst(c, false); }},
      {"trim_of_a_deque_that_is_not_empty", bounded(2, 4), trim_of_a_deque_that_is_not_empty},
      {"trim_and_grow_again", bounded(2, 3), trim_and_grow_again},
      {"steal_half_while_the_owner_pushes", bounded(1, 2), [](context& c) { steal_half(c, 0); }},
      {"steal_half_while_the_owner_pops", bounded(1, 2), [](context& c) { steal_half(c, 2); }},
      {"stolen_items_are_stolen_again", bounded(1, 2), stolen_items_are_stolen_again},
      {"three_thieves", sampled(20'000, 3'000'000), [](context& c) { last_item(c, k_near_wrap, 3); }},
      {"growth_with_long_thefts", sampled(20'000, 3'000'000), [](context& c) { growth(c, 0, 4); }},
      {"an_index_is_not_used_again", one_pause(), an_index_is_not_used_again},
      {"robbing_oneself_is_refused", bounded(0, 0), robbing_oneself, failure::assertion},
  };
}

}  // namespace filch::check
