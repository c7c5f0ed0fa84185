// Exercise 2: what goes wrong when two threads use a plain list as a deque. Nothing is drawn at random here: two
// operations are cut into their single reads and writes, and all ways to interleave these are carried out.
#include <array>

#include "exercise.hpp"

namespace filch::tool {
namespace {

// A list of at most four tasks as memory holds it: slots, and how many of them are in use.
struct plain_list {
  std::array<int, 5> slots{};
  int size = 0;
};

enum class verb : std::uint8_t { push, pop, steal };

constexpr int k_nothing = 0;

// One thread that carries out one operation, a read or write of shared memory at a time.
struct thread_state {
  verb does = verb::pop;
  int pushes = k_nothing;  // the task that a push puts in

  int step = 0;
  int seen_size = 0;
  int moved = k_nothing;  // between the read and the write of a shift
  int got = k_nothing;
  bool is_done = false;
};

// At the newest end: read the size, write or read the slot, write the size.
void step_at_end(thread_state& t, plain_list& list) {
  const auto last = static_cast<std::size_t>(t.does == verb::push ? t.seen_size : t.seen_size - 1);
  switch (t.step++) {
    case 0:
      t.seen_size = list.size;
      t.is_done = t.does == verb::pop && t.seen_size == 0;
      return;
    case 1:
      if (t.does == verb::push) list.slots[last] = t.pushes;
      if (t.does == verb::pop) t.got = list.slots[last];
      return;
    default:
      list.size = t.does == verb::push ? t.seen_size + 1 : t.seen_size - 1;
      t.is_done = true;
  }
}

// At the oldest end: read the size and the first slot, shift every other slot down, write the size.
void step_steal(thread_state& t, plain_list& list) {
  const int step = t.step++;
  if (step == 0) {
    t.seen_size = list.size;
    t.is_done = t.seen_size == 0;
    return;
  }
  if (step == 1) {
    t.got = list.slots[0];
    return;
  }
  const int shift = (step - 2) / 2;
  if (shift >= t.seen_size - 1) {
    list.size = t.seen_size - 1;
    t.is_done = true;
    return;
  }
  const auto to = static_cast<std::size_t>(shift);
  if (step % 2 == 0) {
    t.moved = list.slots[to + 1];
  } else {
    list.slots[to] = t.moved;
  }
}

struct tally {
  std::uint64_t ways = 0;
  std::uint64_t right = 0;
  std::uint64_t doubled = 0;  // a task was given out twice
  std::uint64_t lost = 0;     // a task is nowhere any more
};

// Every task once: held by a thread or in the list.
void judge(const plain_list& list, const thread_state& a, const thread_state& b, int tasks, tally& into) {
  bool is_doubled = false;
  bool is_lost = false;
  for (int task = 1; task <= tasks; ++task) {
    int found = (a.got == task ? 1 : 0) + (b.got == task ? 1 : 0);
    for (int i = 0; i < list.size; ++i) found += list.slots[static_cast<std::size_t>(i)] == task ? 1 : 0;
    is_doubled = is_doubled || found > 1;
    is_lost = is_lost || found == 0;
  }
  ++into.ways;
  into.doubled += is_doubled ? 1 : 0;
  into.lost += is_lost ? 1 : 0;
  into.right += is_doubled || is_lost ? 0 : 1;
}

void interleave(const plain_list& list, const thread_state& a, const thread_state& b, int tasks, tally& into) {
  if (a.is_done && b.is_done) {
    judge(list, a, b, tasks, into);
    return;
  }
  for (const bool is_first : {true, false}) {
    if ((is_first ? a : b).is_done) continue;
    plain_list next = list;
    thread_state next_a = a;
    thread_state next_b = b;
    thread_state& moves = is_first ? next_a : next_b;
    if (moves.does == verb::steal) {
      step_steal(moves, next);
    } else {
      step_at_end(moves, next);
    }
    interleave(next, next_a, next_b, tasks, into);
  }
}

struct race {
  const char* name;
  verb first;
  verb second;
  int in_list;
};

constexpr race k_races[] = {{"pop against steal, one task left", verb::pop, verb::steal, 1},
                            {"pop against steal, three tasks", verb::pop, verb::steal, 3},
                            {"steal against steal, three tasks", verb::steal, verb::steal, 3},
                            {"push against steal, two tasks", verb::push, verb::steal, 2}};

tally count(const race& what) {
  plain_list list;
  for (int task = 1; task <= what.in_list; ++task) list.slots[static_cast<std::size_t>(list.size++)] = task;
  int tasks = what.in_list;
  thread_state a{.does = what.first};
  if (what.first == verb::push) a.pushes = ++tasks;
  tally found;
  interleave(list, a, thread_state{.does = what.second}, tasks, found);
  return found;
}

exercise_answer answer(const exercise_options&) {
  exercise_answer out;
  text_table table{{"two at once", "ways", "right", "a task twice", "a task lost"}};
  for (const race& each : k_races) {
    const tally found = count(each);
    table.add({each.name, std::to_string(found.ways), std::to_string(found.right), std::to_string(found.doubled),
               std::to_string(found.lost)});
    out.json["rows"].push_back({{"race", each.name},
                                {"ways", found.ways},
                                {"right", found.right},
                                {"twice", found.doubled},
                                {"lost", found.lost}});
  }
  out.tables.push_back(
      {"All interleavings of two operations on a plain list, read by read and write by write", std::move(table)});
  out.sentence =
      "Every pair is unsafe: pop and steal hand out the last task twice, two thieves take the same one, and a push "
      "while a thief shifts the list loses a task or repeats one; only a lock, or a deque whose owner and thieves "
      "settle "
      "the last task with one atomic operation, is right in all of them.";
  return out;
}

}  // namespace

constinit const exercise k_exercise_races{
    .number = 2,
    .question = "Which operations of a deque made of a plain list are unsafe when two threads call them at once?",
    .has_seeds = false,
    .answer = answer};

}  // namespace filch::tool
