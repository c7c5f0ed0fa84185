// Sharing on request as a whole under the model checker: the parties of share_parties.hpp, in small programs where
// several pairs of fences act together. share_model.cpp has the kernels one by one.
//
// Properties: the child of each frame, and each element of a loop, is run exactly once, by one party; a join that waits
// is resumed; no thief sleeps for ever while a frame that its owner does not come to is left. Oracles: counts in plain
// data that the checker watches for races, and "no thread can run": a long function of the owner ends only when a thief
// has begun with its frame, so a request that is forgotten stops everything. Only the owner has deadlines, and they
// pass only when all others have come to rest.
#include "share_parties.hpp"

#include <array>
#include <cstddef>

namespace filch::check {
namespace {

// Frames of one stack, at falling addresses.
template <std::size_t Count>
class frames {
 public:
  frame& operator[](std::size_t depth) { return memory_[Count - 1 - depth]; }

 private:
  std::array<frame, Count> memory_;
};

void start_others(context& c, sharing& all, std::uint32_t thieves) {
  for (std::uint32_t i = 0; i != thieves; ++i) c.thread("thief", [&all, i] { all.be_thief({i + 1}); });
  c.thread("monitor", [&all] { all.be_monitor(); });
}

void finish(context& c, sharing& all) {
  all.end();
  c.join_all();
}

// The owner forks and computes for long.
void a_long_function_is_helped(context& c, std::uint32_t thieves, circumstances how) {
  sharing all{thieves + 1, how};
  stack here;
  frames<2> own;
  all.listen(here, false);
  all.begin_task();
  all.fork(own[0]);
  start_others(c, all, thieves);
  all.wait_until_helped(own[0]);
  require(!all.join(own[0]), "its child was taken");
  finish(c, all);
}

// Two forks, of which both are to be taken.
void two_forks_are_taken(context& c, std::uint32_t thieves, circumstances how) {
  sharing all{thieves + 1, how};
  stack here;
  frames<2> own;
  all.listen(here, false);
  all.begin_task();
  all.fork(own[0]);
  all.fork(own[1]);
  start_others(c, all, thieves);
  all.wait_until_helped(own[0]);
  all.wait_until_helped(own[1]);
  require(!all.join(own[1]) && !all.join(own[0]), "their children were taken");
  finish(c, all);
}

// A recursion ends, and another one begins, of which a fork is to be taken: what is requested at the last joins of the
// first, which have nothing left to offer, must not be forgotten.
void a_phase_ends_and_another_begins(context& c, std::uint32_t thieves, circumstances how) {
  sharing all{thieves + 1, how};
  stack here;
  frames<2> own;
  all.listen(here, false);
  all.begin_task();
  start_others(c, all, thieves);
  all.fork(own[0]);
  all.fork(own[1]);
  (void)all.join(own[1]);
  (void)all.join(own[0]);
  all.fork(own[0]);
  all.work_until_helped(own[0], own[1]);
  (void)all.join(own[0]);
  finish(c, all);
}

// One thief runs a child that ends when the other one has helped: what was left to the first must not be forgotten.
void a_thief_is_busy(context& c, circumstances how) {
  sharing all{3, how};
  stack here;
  frames<3> own;
  all.make_child_last(own[0], own[1]);
  all.listen(here, false);
  all.begin_task();
  start_others(c, all, 2);
  all.fork(own[0]);
  all.work_until_helped(own[0], own[2]);
  all.fork(own[1]);
  all.work_until_helped(own[1], own[2]);
  (void)all.join(own[1]);
  (void)all.join(own[0]);
  finish(c, all);
}

// A recursion ends, one thief finds something else to do, and another recursion begins.
void a_thief_is_chosen_for_something_else(context& c, circumstances how) {
  sharing all{3, how};
  stack here;
  frames<2> own;
  all.listen(here, false);
  all.begin_task();
  start_others(c, all, 2);
  all.wait_for_sleepers(2);
  all.fork(own[0]);
  all.fork(own[1]);
  (void)all.join(own[1]);
  (void)all.join(own[0]);
  all.submit_until_helped(own[0]);
  all.fork(own[0]);
  all.work_until_helped(own[0], own[1]);
  (void)all.join(own[0]);
  finish(c, all);
}

// Without visits: the owner forks and joins until a thief has its outermost fork.
void forks_and_joins_answer(context& c, std::uint32_t thieves, circumstances how) {
  how.can_visit = false;
  sharing all{thieves + 1, how};
  stack here;
  frames<3> own;
  all.listen(here, false);
  all.begin_task();
  start_others(c, all, thieves);
  all.fork(own[0]);
  while (!sharing::is_helped(own[0])) {
    all.fork(own[1]);
    (void)all.join(own[1]);
    atomics::pause();
  }
  (void)all.join(own[0]);
  finish(c, all);
}

// The owner's worker begins a task while a thief falls asleep. Joins are to answer, so its first fork does not.
void a_task_begins_beside_a_sleeper(context& c, circumstances how) {
  sharing all{2, how};
  stack here;
  frames<2> own;
  all.listen(here, false);
  start_others(c, all, 1);
  all.begin_task();
  all.fork(own[0]);
  all.work_until_helped(own[0], own[1]);
  (void)all.join(own[0]);
  finish(c, all);
}

// The owner goes on with another stack: requests to the one before went to another word.
void the_owner_changes_its_stack(context& c, circumstances how) {
  sharing all{2, how};
  stack before;
  stack after;
  frames<1> first;
  frames<2> second;
  all.listen(before, false);
  all.begin_task();
  start_others(c, all, 1);
  all.fork(first[0]);
  (void)all.join(first[0]);
  all.listen(after, true);
  all.fork(second[0]);
  all.work_until_helped(second[0], second[1]);
  (void)all.join(second[0]);
  finish(c, all);
}

// A thread that is no worker comes to where nobody watches, and forks what a thief must take.
void an_external_thread_comes(context& c, circumstances how) {
  sharing all{2, how};
  stack here;
  frames<2> own;
  start_others(c, all, 1);
  all.begin_external(here);
  all.fork(own[0]);
  all.work_until_helped(own[0], own[1]);
  (void)all.join(own[0]);
  all.end_external();
  finish(c, all);
}

// A loop is one frame, of which visitors, the owner and thieves take parts.
void a_loop_is_divided(context& c, std::size_t count, circumstances how) {
  sharing all{2, how};
  stack here;
  frames<1> own;
  detail::claimed_range<atomics> elements{{0, count}};
  own[0].range = &elements;
  std::array<atomics::var<int>, 4> done;
  const auto run = [&](index_range what) {
    for (std::size_t i = what.begin; i != what.end; ++i) done[i].set(done[i].get() + 1);
  };
  all.listen(here, false);
  all.begin_task();
  all.fork(own[0]);
  c.thread("thief", [&] { all.be_thief({1}, run); });
  c.thread("monitor", [&] { all.be_monitor(); });
  index_range what{0, 0};
  if (all.claim(own[0], what)) {
    run(what);
    all.wait_until_helped(own[0]);  // a long element
  }
  while (all.claim(own[0], what)) run(what);
  (void)all.join(own[0]);
  all.settle_parts(run);
  finish(c, all);
  for (std::size_t i = 0; i != count; ++i) require(done[i].get() == 1, "each element is done once");
}

// A deadline passes only when no thread can run: a scenario learns by it that all have come to rest.
options quiet(options how) {
  how.early_timeouts = 0;
  return how;
}

}  // namespace

std::vector<scenario> all_scenarios() {
  const options chance = quiet(sampled(50'000, 3'000'000));
  return {
      {"a_thief_is_chosen_for_something_else", chance,
       [](context& c) { a_thief_is_chosen_for_something_else(c, {.refusals = 3}); }},
      {"a_lingering_thief_is_chosen_for_something_else", chance,
       [](context& c) { a_thief_is_chosen_for_something_else(c, {.lingers = true, .refusals = 4}); }},
      {"a_thief_is_chosen_where_joins_answer", chance,
       [](context& c) { a_thief_is_chosen_for_something_else(c, {.refusals = 2, .joins_answer = true}); }},
      {"a_thief_is_busy", chance, [](context& c) { a_thief_is_busy(c, {.refusals = 3}); }},
      {"a_thief_is_busy_and_one_lingers", chance,
       [](context& c) { a_thief_is_busy(c, {.lingers = true, .refusals = 3}); }},
      {"a_thief_is_busy_where_joins_answer", chance,
       [](context& c) { a_thief_is_busy(c, {.refusals = 3, .joins_answer = true}); }},
      {"a_phase_ends_and_another_begins", chance,
       [](context& c) { a_phase_ends_and_another_begins(c, 1, {.refusals = 4}); }},
      {"a_phase_ends_beside_two_thieves", chance,
       [](context& c) { a_phase_ends_and_another_begins(c, 2, {.lingers = true, .refusals = 4}); }},
      {"a_task_begins_beside_a_sleeper", chance,
       [](context& c) { a_task_begins_beside_a_sleeper(c, {.refusals = 2, .joins_answer = true}); }},
      {"the_owner_changes_its_stack", chance,
       [](context& c) { the_owner_changes_its_stack(c, {.refusals = 1, .joins_answer = true}); }},
      {"an_external_thread_comes", chance, [](context& c) { an_external_thread_comes(c, {.refusals = 2}); }},
      {"one_of_two_thieves_helps", chance, [](context& c) { a_long_function_is_helped(c, 2, {.refusals = 1}); }},
      {"a_lingering_thief_helps", chance,
       [](context& c) { a_long_function_is_helped(c, 2, {.lingers = true, .refusals = 2}); }},
      {"the_monitor_announces_an_offer", chance,
       [](context& c) { a_long_function_is_helped(c, 2, {.is_throttled = true, .refusals = 2}); }},
      {"two_forks_are_taken", chance, [](context& c) { two_forks_are_taken(c, 1, {.refusals = 2}); }},
      {"two_forks_are_taken_by_two", chance, [](context& c) { two_forks_are_taken(c, 2, {.refusals = 2}); }},
      {"forks_answer", chance, [](context& c) { forks_and_joins_answer(c, 1, {.refusals = 2}); }},
      {"joins_answer", chance, [](context& c) { forks_and_joins_answer(c, 2, {.refusals = 2, .joins_answer = true}); }},
      {"a_loop_is_divided", chance, [](context& c) { a_loop_is_divided(c, 3, {.refusals = 1}); }},
      {"a_long_function_is_helped", quiet(bounded(2, 3)), [](context& c) { a_long_function_is_helped(c, 1, {}); }},
      {"a_long_function_is_helped_late", quiet(bounded(1, 2)),
       [](context& c) { a_long_function_is_helped(c, 1, {.refusals = 2}); }},
  };
}

}  // namespace filch::check
