// The kernels of coroutines under the model checker: the count of children, the global free list, requests to stop.
//
// Properties: exactly one strand resumes with the parent, after all children, and sees what they did; a batch that was
// put is taken by at most one thread, complete, and is not lost; a request to stop reaches who wants to be told, before
// or after, with what was done before it, at every point below that has not gone, and touches none that has. Oracles:
// counts, and plain data and memory that the checker watches.
#include "scenario.hpp"

#include <filch/coro/join_state.hpp>
#include <filch/coro/join_count.hpp>
#include <filch/coro/stop_tree.hpp>
#include <coro/global_free_list.hpp>

#include <array>

namespace filch::check {
namespace {

// Strands of so many children each. The parent's state is plain: two that go on would race.
void strands_end(context& c, std::array<std::uint32_t, 3> strands) {
  coro::join_count<atomics> unfinished{strands[0] + strands[1] + strands[2]};
  std::array<atomics::var<int>, 3> results;
  atomics::var<int> parent{0};
  const auto run = [&](std::size_t i) {
    results[i].set(7);
    if (!unfinished.end(strands[i])) return;
    for (std::size_t k = 0; k != 3; ++k) require(strands[k] == 0 || results[k].get() == 7, "results are visible");
    parent.set(parent.get() + 1);
  };
  for (std::size_t i = 1; i != 3; ++i) {
    if (strands[i] != 0) c.thread("strand", [&run, i] { run(i); });
  }
  run(0);
  c.join_all();
  require(parent.get() == 1, "the parent goes on once");
}

struct batch {
  atomics::var<int> contents{0};
};

// Both put what they have and take what they find; what is left is counted.
void batches_are_exchanged(context& c, int turns) {
  coro::global_free_list<batch, 2, atomics> shared;
  std::array<batch, 2> batches;
  atomics::atomic<int> kept{0};
  const auto exchange = [&](batch& own) {
    batch* held = &own;
    for (int i = 0; i != turns; ++i) {
      if (held != nullptr) {
        held->contents.set(held->contents.get() + 1);
        if (shared.put(held)) held = nullptr;
      }
      if (held == nullptr) held = shared.take();
      if (held != nullptr) held->contents.set(held->contents.get() + 1);
    }
    if (held != nullptr) kept.fetch_add(1, std::memory_order_relaxed);
  };
  c.thread("other", [&] { exchange(batches[1]); });
  exchange(batches[0]);
  c.join_all();
  int left = 0;
  while (shared.take() != nullptr) ++left;
  require(kept.load(std::memory_order_relaxed) + left == 2, "no batch is lost or doubled");
}

// One slot and two who put: one is refused and keeps its batch.
void a_full_free_list_refuses(context& c) {
  coro::global_free_list<batch, 1, atomics> shared;
  std::array<batch, 2> batches;
  atomics::atomic<int> refused{0};
  const auto put = [&](batch& own) {
    own.contents.set(7);
    if (shared.put(&own)) return;
    own.contents.set(8);
    refused.fetch_add(1, std::memory_order_relaxed);
  };
  c.thread("other", [&] { put(batches[1]); });
  put(batches[0]);
  c.join_all();
  require(refused.load(std::memory_order_relaxed) == 1, "one slot holds one");
  batch* const held = shared.take();
  require(held != nullptr && held->contents.get() == 7 && shared.take() == nullptr, "the one that was not refused");
}

// Two who take what a third has put.
void one_of_two_takes_it(context& c) {
  coro::global_free_list<batch, 1, atomics> shared;
  batch only;
  atomics::atomic<int> taken{0};
  const auto take = [&] {
    batch* const held = shared.take();
    if (held == nullptr) return;
    require(held->contents.get() == 7, "what is taken is complete");
    held->contents.set(8);
    taken.fetch_add(1, std::memory_order_relaxed);
  };
  c.thread("taker", take);
  c.thread("taker", take);
  only.contents.set(7);
  require(shared.put(&only), "there is room");
  c.join_all();
  take();
  require(taken.load(std::memory_order_relaxed) <= 1, "it is taken once");
}

// Who is told of a request to stop. What it holds is plain: who tells it must see it complete. Whoever releases it last
// destroys it; so the checker sees a node that is told too late, or never released.
struct listener : coro::stop_node_base<listener, atomics> {
  explicit listener(atomics::atomic<int>& count) : told{count} { contents.set(5); }

  void request_stop() {
    require(contents.get() == 5, "the node is complete");
    if (turn.get() == 0) turn.set(told.fetch_add(1, std::memory_order_release) + 1);
  }

  atomics::var<int> contents{0};
  atomics::var<int> turn{0};  // which it was of those that were told, from 1 on
  atomics::atomic<int>& told;
};
using stop_point = coro::stop_point<listener, atomics>;
using stop_link = coro::stop_link<listener, atomics>;

void release(listener& node) {
  if (node.release()) atomics::destroy(&node);
}
void request(stop_point& of) {
  auto told = of.request();
  while (listener* const node = told.pop()) {
    node->request_stop();
    release(*node);
  }
}
// Publishes a node at `at` unless there is one.
listener& listen(stop_point& at, atomics::atomic<int>& told) {
  auto* const made = atomics::make<listener>(told);
  listener* const holds = at.publish(*made);
  if (holds != made) atomics::destroy(made);
  require(holds->contents.get() == 5, "the node is complete");
  return *holds;
}

// A point below another one, and the link to it. Its owner leaves before it destroys it.
struct below {
  explicit below(stop_point& parent) : above{parent} {}

  stop_point& above;
  stop_point own;
  stop_link link{own};
};
void destroy(below* one) {
  one->above.leave(one->link);
  if (listener* const node = one->own.look().node) release(*node);
  atomics::destroy(one);
}

// One requests a stop after it has written something, one wants to be told, one only looks.
void a_stop_is_requested(context& c, bool is_watched) {
  stop_point point;
  atomics::atomic<int> told{0};
  atomics::var<int> before{0};
  c.thread("requester", [&] {
    before.set(7);
    request(point);
  });
  if (is_watched) {
    c.thread("watcher", [&] {
      if (point.is_requested()) require(before.get() == 7, "what was done before the request is visible");
      if (listener* const node = point.look().node) require(node->contents.get() == 5, "the node is complete");
    });
  }
  listener& node = listen(point, told);
  if (told.load(std::memory_order_acquire) == 1) require(before.get() == 7, "what was done before is visible");
  c.join_all();
  require(told.load(std::memory_order_acquire) == 1, "the request arrives");
  release(node);
}

// Two want to be told: both hold on to the same node.
void two_want_to_be_told(context& c) {
  stop_point point;
  atomics::atomic<int> told{0};
  std::array<listener*, 2> holds{};
  c.thread("other", [&] { holds[1] = &listen(point, told); });
  holds[0] = &listen(point, told);
  c.join_all();
  require(holds[0] == holds[1], "there is one node");
  release(*holds[0]);
}

// Two request the same stop: the node is told once.
void two_request_a_stop(context& c) {
  stop_point point;
  atomics::atomic<int> told{0};
  listener& node = listen(point, told);
  c.thread("other", [&] { request(point); });
  request(point);
  c.join_all();
  require(told.load(std::memory_order_acquire) == 1, "it is told");
  release(node);
}

// The owner requests a stop and leaves: nobody who comes now or later takes the point for one that is out of reach.
void a_stop_is_requested_before_nobody_can(context& c) {
  stop_point point;
  c.thread("owner", [&] {
    request(point);
    point.make_final();
  });
  const auto look = [&] {
    const bool is_out_of_reach = point.is_out_of_reach();
    const auto seen = point.look();
    require(!is_out_of_reach && (!seen.is_final || seen.is_requested), "the request is not lost");
  };
  look();
  c.join_all();
  look();
}

// A point is linked below another while a stop is requested there, and goes again.
void a_point_comes_and_goes(context& c, bool stays, bool is_listened_to) {
  stop_point above;
  atomics::var<int> before{0};
  atomics::atomic<int> told{0};
  auto* const one = atomics::make<below>(above);
  c.thread("requester", [&] {
    before.set(7);
    request(above);
  });
  const bool is_linked = above.enter(one->link);
  if (!is_linked) require(before.get() == 7, "what was done before the request is visible");
  if (is_listened_to) (void)listen(one->own, told);
  if (one->own.is_requested()) require(before.get() == 7, "what was done before the request is visible");
  if (stays) {
    c.join_all();
    require(!is_linked || one->own.is_requested(), "the request arrives");
    require(!is_linked || !is_listened_to || told.load(std::memory_order_acquire) == 1, "and is told");
  }
  destroy(one);
  c.join_all();
}

// Seven points below another, in three layers; nobody else is there.
void a_stop_reaches_every_point(context&) {
  stop_point root;
  atomics::atomic<int> told{0};
  std::array<below*, 7> each{};
  const auto make = [&](std::size_t i, stop_point& above) {
    each[i] = atomics::make<below>(above);
    require(above.enter(each[i]->link), "no stop was requested yet");
  };
  for (const std::size_t i : {0u, 1u}) make(i, root);
  for (const std::size_t i : {2u, 3u, 4u}) make(i, each[0]->own);
  for (const std::size_t i : {5u, 6u}) make(i, each[3]->own);
  std::array<const listener*, 3> nodes{&listen(each[0]->own, told), &listen(each[3]->own, told),
                                       &listen(each[6]->own, told)};
  request(root);
  for (const below* one : each) require(one->own.is_requested(), "it is marked");
  require(told.load(std::memory_order_acquire) == 3, "each node is told");
  for (std::size_t i = 0; i != nodes.size(); ++i) {
    require(nodes[i]->turn.get() == 3 - static_cast<int>(i), "those below are told first");
  }
  for (std::size_t i = each.size(); i-- != 0;) destroy(each[i]);
}

// Two requests go down a chain of two, and the nodes of the second are told before what is left of the first.
void nodes_come_before_others(context&) {
  atomics::atomic<int> told{0};
  std::array<stop_point, 4> points;
  stop_link first{points[1]};
  stop_link second{points[3]};
  require(points[0].enter(first) && points[2].enter(second), "no stop was requested yet");
  std::array<listener*, 4> nodes{};
  for (std::size_t i = 0; i != nodes.size(); ++i) nodes[i] = &listen(points[i], told);
  auto left = points[0].request();
  left.add(points[2].request());
  left.add({});
  while (listener* const node = left.pop()) {
    node->request_stop();
    release(*node);
  }
  const std::array<int, 4> turns{4, 3, 2, 1};
  for (std::size_t i = 0; i != nodes.size(); ++i) require(nodes[i]->turn.get() == turns[i], "it is told in its turn");
  points[0].leave(first);
  points[2].leave(second);
  for (listener* const node : nodes) release(*node);
}

// Three points below another; one of them has one below itself. Some go while a stop is requested above.
void a_stop_goes_down_a_tree(context& c, bool is_requested_twice) {
  stop_point root;
  atomics::atomic<int> told{0};
  std::array<below*, 3> each{};
  each[0] = atomics::make<below>(root);
  each[1] = atomics::make<below>(root);
  each[2] = atomics::make<below>(each[0]->own);
  for (below* one : each) require(one->above.enter(one->link), "no stop was requested yet");
  (void)listen(each[2]->own, told);
  c.thread("requester", [&] { request(root); });
  if (is_requested_twice) c.thread("other requester", [&] { request(each[0]->own); });
  destroy(each[1]);
  c.join_all();
  require(each[0]->own.is_requested() && each[2]->own.is_requested(), "the request arrives");
  require(told.load(std::memory_order_acquire) == 1, "and is told");
  destroy(each[2]);
  destroy(each[0]);
}

// A chain that ends from below while a stop is requested above.
void a_chain_ends(context& c) {
  stop_point root;
  atomics::atomic<int> told{0};
  auto* const upper = atomics::make<below>(root);
  auto* const lower = atomics::make<below>(upper->own);
  require(root.enter(upper->link) && upper->own.enter(lower->link), "no stop was requested yet");
  (void)listen(lower->own, told);
  c.thread("requester", [&] { request(root); });
  destroy(lower);
  destroy(upper);
  c.join_all();
}

// Two points in a circle, each requested by another thread.
void points_lie_in_a_circle(context& c) {
  std::array<stop_point, 2> points;
  stop_link forth{points[1]};
  stop_link back{points[0]};
  require(points[0].enter(forth) && points[1].enter(back), "no stop was requested yet");
  c.thread("other", [&] { request(points[1]); });
  request(points[0]);
  points[0].leave(forth);
  c.join_all();
  points[1].leave(back);
  require(points[0].is_requested() && points[1].is_requested(), "both are asked");
}

// One ends, one waits or looks: exactly one of them resumes with the waiter, and sees what was done.
void a_task_ends_while_it_is_waited_for(context& c, bool looks_first) {
  struct waiter {
    atomics::var<int> contents{0};
  };
  coro::join_state<waiter, atomics> ending;
  waiter who;
  atomics::var<int> result{0};
  atomics::var<int> continued{0};
  c.thread("ending", [&] {
    result.set(7);
    const auto after = ending.end();
    require(!after.is_left, "the owner is there");
    if (after.waiter != nullptr) {
      require(after.waiter->contents.get() == 5, "the waiter is complete");
      continued.set(continued.get() + 1);
    }
  });
  who.contents.set(5);
  if ((looks_first && ending.has_ended()) || ending.wait(who)) {
    require(result.get() == 7, "what was done is visible");
    continued.set(continued.get() + 1);
  }
  c.join_all();
  require(continued.get() == 1, "who waits goes on once");
}

// One ends, its owner leaves: exactly one of them destroys the task, and knows what the other did with it.
void a_task_ends_while_its_owner_leaves(context& c) {
  struct none {};
  struct record {
    coro::join_state<none, atomics> ending;
    atomics::var<int> result{0};
    atomics::var<int> of_owner{0};
  };
  auto* const made = atomics::make<record>();
  const auto destroy = [=] {
    require(made->result.get() == 7 && made->of_owner.get() == 5, "both are done with it");
    atomics::destroy(made);
  };
  c.thread("ending", [=] {
    made->result.set(7);
    const auto after = made->ending.end();
    require(after.waiter == nullptr, "nobody waits");
    if (after.is_left) destroy();
  });
  made->of_owner.set(5);
  if (made->ending.leave()) destroy();
  c.join_all();
}

}  // namespace

std::vector<scenario> all_scenarios() {
  return {
      {"a_task_ends_while_it_is_waited_for", bounded(3, 6),
       [](context& c) { a_task_ends_while_it_is_waited_for(c, false); }},
      {"a_task_ends_while_it_is_looked_at", bounded(3, 6),
       [](context& c) { a_task_ends_while_it_is_waited_for(c, true); }},
      {"a_stop_is_requested", bounded(3, 6), [](context& c) { a_stop_is_requested(c, false); }},
      {"a_stop_is_requested_and_watched", bounded(2, 4), [](context& c) { a_stop_is_requested(c, true); }},
      {"two_want_to_be_told_of_a_stop", bounded(3, 6), two_want_to_be_told},
      {"two_request_a_stop", bounded(3, 6), two_request_a_stop},
      {"a_stop_is_requested_before_nobody_can", bounded(3, 6), a_stop_is_requested_before_nobody_can},
      {"a_point_comes_before_or_after_a_stop", bounded(3, 6),
       [](context& c) { a_point_comes_and_goes(c, true, false); }},
      {"a_point_listens_before_or_after_a_stop", bounded(2, 4),
       [](context& c) { a_point_comes_and_goes(c, true, true); }},
      {"a_point_comes_and_goes", bounded(3, 6), [](context& c) { a_point_comes_and_goes(c, false, false); }},
      {"a_point_listens_and_goes", bounded(2, 4), [](context& c) { a_point_comes_and_goes(c, false, true); }},
      {"a_stop_reaches_every_point", bounded(1, 1), a_stop_reaches_every_point},
      {"nodes_come_before_others", bounded(1, 1), nodes_come_before_others},
      {"a_stop_goes_down_a_tree", bounded(2, 4), [](context& c) { a_stop_goes_down_a_tree(c, false); }},
      {"two_stops_go_down_a_tree", bounded(2, 3), [](context& c) { a_stop_goes_down_a_tree(c, true); }},
      {"a_chain_ends_while_a_stop_goes_down", bounded(2, 4), a_chain_ends},
      {"two_stops_go_round_a_circle", bounded(2, 4), points_lie_in_a_circle},
      {"a_task_ends_while_its_owner_leaves", bounded(3, 6), a_task_ends_while_its_owner_leaves},
      {"one_strand_with_all_children", bounded(2, 4), [](context& c) { strands_end(c, {3, 0, 0}); }},
      {"two_strands_of_one_child_each", bounded(3, 6), [](context& c) { strands_end(c, {1, 1, 0}); }},
      {"three_strands_of_different_length", bounded(3, 6), [](context& c) { strands_end(c, {1, 3, 2}); }},
      {"batches_are_exchanged", bounded(3, 6), [](context& c) { batches_are_exchanged(c, 1); }},
      {"batches_are_exchanged_twice", bounded(2, 4), [](context& c) { batches_are_exchanged(c, 2); }},
      {"a_full_free_list_refuses", bounded(3, 6), a_full_free_list_refuses},
      {"one_of_two_takes_a_batch", bounded(3, 6), one_of_two_takes_it},
  };
}

}  // namespace filch::check
