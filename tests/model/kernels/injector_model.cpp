// The injector and the inbox, and the queue below both, under the model checker.
//
// Property: every node that was pushed comes out exactly once, complete, and in the order of its producer; a bounded
// injector never holds more than its bound. Oracle: counts per node and plain data in each. Method: two producers, one
// or two consumers, two or three nodes.
#include "scenario.hpp"

#include <filch/queue/inbox.hpp>
#include <filch/queue/injector.hpp>

#include <array>
#include <cstdint>

namespace filch::check {
namespace {

using queue::push_status;
using queue::steal_status;

struct node : queue::basic_link<atomics> {
  atomics::var<int> number{0};
};

// The taker frees what it took: whatever still touches the node then is a race.
template <std::size_t Count>
class ledger {
 public:
  ledger() = default;
  ledger(const ledger&) = delete;
  ledger& operator=(const ledger&) = delete;
  ~ledger() {
    for (node* left : nodes_) {
      if (left != nullptr) atomics::destroy(left);
    }
  }

  node* make(int i) {
    node* const fresh = atomics::make<node>();
    fresh->number.set(i + 1);
    return nodes_[static_cast<std::size_t>(i)] = fresh;
  }

  int take(queue::basic_link<atomics>* link) {
    require(link != nullptr, "a taken node is a node");
    auto* const taken = static_cast<node*>(link);
    std::size_t i = 0;
    while (i != Count && nodes_[i] != taken) ++i;
    require(i != Count, "what is taken was pushed, and is taken once");
    require(taken->number.get() == static_cast<int>(i) + 1, "the taker sees what the maker wrote");
    nodes_[i] = nullptr;
    ++total_;
    atomics::destroy(taken);
    return static_cast<int>(i);
  }

  [[nodiscard]] int total() const { return total_; }

 private:
  std::array<node*, Count> nodes_{};
  int total_ = 0;
};

// Takes until `wanted` nodes were taken by all consumers together.
template <class Queue, class Ledger>
void consume(Queue& queue, Ledger& nodes, int wanted) {
  while (nodes.total() < wanted) {
    const auto result = queue.pop();
    if (result.is_taken()) nodes.take(result.item);
    else atomics::pause();
  }
}

void one_producer_keeps_its_order(context& c) {
  queue::injector<atomics> injector;
  ledger<3> nodes;
  c.thread("producer", [&] {
    for (int i = 0; i != 3; ++i) injector.push(nodes.make(i));
  });
  int expected = 0;
  while (expected != 3) {
    const auto result = injector.pop();
    if (result.is_taken()) require(nodes.take(result.item) == expected++, "first in, first out");
    else atomics::pause();
  }
  c.join_all();
  require(injector.is_empty() && injector.pop().status == steal_status::empty, "nothing is left");
}

void two_producers(context& c) {
  queue::injector<atomics> injector;
  ledger<2> nodes;
  for (int i = 0; i != 2; ++i) c.thread("producer", [&, i] { injector.push(nodes.make(i)); });
  consume(injector, nodes, 2);
  c.join_all();
}

void two_consumers(context& c) {
  queue::injector<atomics> injector;
  ledger<2> nodes;
  c.thread("producer", [&] {
    injector.push(nodes.make(0));
    injector.push(nodes.make(1));
  });
  c.thread("consumer", [&] { consume(injector, nodes, 2); });
  consume(injector, nodes, 2);
  c.join_all();
}

// A node that came out may go in again at once.
void a_node_is_used_again(context& c) {
  queue::injector<atomics> injector;
  ledger<1> other;
  node again;
  c.thread("producer", [&] { injector.push(other.make(0)); });
  injector.push(&again);
  int seen = 0;
  while (seen != 2 || other.total() != 1) {
    const auto result = injector.pop();
    if (!result.is_taken()) {
      atomics::pause();
    } else if (result.item == &again) {
      if (++seen == 1) injector.push(&again);
    } else {
      other.take(result.item);
    }
  }
  c.join_all();
}

void a_chain_comes_out_in_order(context& c) {
  queue::injector<atomics> injector;
  ledger<3> nodes;
  c.thread("producer", [&] {
    node* first = nodes.make(0);
    node* last = nodes.make(1);
    first->next.store(last, std::memory_order_relaxed);
    injector.push_list(first, last, 2);
  });
  c.thread("other producer", [&] { injector.push(nodes.make(2)); });
  int last_of_chain = -1;
  while (nodes.total() != 3) {
    const auto status = injector.pop_batch(2, [&](auto* link) {
      const int i = nodes.take(link);
      if (i != 2) require(i == ++last_of_chain, "a chain keeps its order");
    });
    if (status != steal_status::taken) atomics::pause();
  }
  c.join_all();
}

void a_bound_holds(context& c) {
  queue::injector<atomics> injector{1};
  ledger<2> nodes;
  int pushed = 0;
  for (int i = 0; i != 2; ++i) {
    c.thread("producer", [&, i] {
      if (injector.try_push(nodes.make(i)) == push_status::pushed) ++pushed;
    });
  }
  c.join_all();
  int held = 0;
  while (true) {
    const auto result = injector.pop();
    if (!result.is_taken()) break;
    nodes.take(result.item);
    ++held;
  }
  require(held == pushed, "what was accepted is there", held, pushed);
  require(held == 1, "a bound of one holds exactly one of two", held);
}

// Whoever sees an empty injector after a fence may sleep: a push that came before the fence is counted.
void an_empty_look_after_a_fence_is_true(context& c) {
  queue::injector<atomics> injector;
  ledger<1> nodes;
  atomics::atomic<int> sleeper{0};
  bool saw_sleeper = false;
  c.thread("producer", [&] {
    injector.push(nodes.make(0));
    atomics::fence(std::memory_order_seq_cst);
    saw_sleeper = sleeper.load(std::memory_order_relaxed) == 1;
  });
  sleeper.store(1, std::memory_order_relaxed);
  atomics::fence(std::memory_order_seq_cst);
  const bool empty = injector.is_empty();
  c.join_all();
  require(!empty || saw_sleeper, "the sleeper sees the work or the producer sees the sleeper");
  consume(injector, nodes, 1);
}

void inbox_with_two_senders(context& c) {
  queue::inbox<atomics> inbox;
  ledger<3> nodes;
  c.thread("sender", [&] {
    inbox.push(nodes.make(0));
    inbox.push(nodes.make(1));
  });
  c.thread("other sender", [&] { inbox.push(nodes.make(2)); });
  int last = -1;
  while (nodes.total() != 3) {
    const auto result = inbox.pop();
    if (!result.is_taken()) {
      atomics::pause();
      continue;
    }
    const int i = nodes.take(result.item);
    if (i != 2) require(i == ++last, "a sender's tasks keep their order");
  }
  c.join_all();
  require(inbox.is_empty() && inbox.pop().status == steal_status::empty, "nothing is left");
}

// A sender that has counted its node and not yet linked it: the owner hears "lost", never "empty".
void a_counted_node_is_never_called_empty(context& c) {
  queue::inbox<atomics> inbox;
  ledger<1> nodes;
  c.thread("sender", [&] { inbox.push(nodes.make(0)); });
  const bool counted = !inbox.is_empty();
  const auto result = inbox.pop();
  if (result.is_taken()) nodes.take(result.item);
  require(!counted || result.status != steal_status::empty, "a counted node is not called empty");
  c.join_all();
  consume(inbox, nodes, 1);
}

}  // namespace

std::vector<scenario> all_scenarios() {
  return {
      {"one_producer_keeps_its_order", bounded(2, 4), one_producer_keeps_its_order},
      {"two_producers", bounded(2, 3), two_producers},
      {"two_consumers", bounded(2, 3), two_consumers},
      {"a_node_is_used_again", bounded(2, 3), a_node_is_used_again},
      {"a_chain_comes_out_in_order", bounded(2, 3), a_chain_comes_out_in_order},
      {"a_bound_holds", bounded(3, 5), a_bound_holds},
      {"an_empty_look_after_a_fence_is_true", bounded(3, 5), an_empty_look_after_a_fence_is_true},
      {"inbox_with_two_senders", bounded(2, 3), inbox_with_two_senders},
      {"a_counted_node_is_never_called_empty", bounded(3, 5), a_counted_node_is_never_called_empty},
      {"two_producers_two_consumers", sampled(20'000, 3'000'000),
       [](context& c) {
         queue::injector<atomics> injector;
         ledger<4> nodes;
         for (int p = 0; p != 2; ++p) {
           c.thread("producer", [&, p] {
             injector.push(nodes.make(2 * p));
             injector.push(nodes.make(2 * p + 1));
           });
         }
         c.thread("consumer", [&] { consume(injector, nodes, 4); });
         consume(injector, nodes, 4);
         c.join_all();
       }},
  };
}

}  // namespace filch::check
