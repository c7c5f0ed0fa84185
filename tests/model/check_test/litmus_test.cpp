// The classic shapes: store buffering, message passing, load buffering, IRIW, 2+2W, R, S, WRC, ISA2. litmus.hpp has the
// oracle and the method.
#include "litmus.hpp"

namespace filch::check::litmus {
namespace {

// ---- SB: each thread stores to its own location and reads the other's ----------------------------------------------

struct orders {
  std::memory_order store, load;
};

void store_buffering(context& c, registers& r, orders o, bool first_fence, bool second_fence) {
  A::atomic<int> x{0}, y{0};
  c.thread("first", [&] {
    x.store(1, o.store);
    if (first_fence) A::fence(memory_order_seq_cst);
    r[0] = y.load(o.load);
  });
  c.thread("second", [&] {
    y.store(1, o.store);
    if (second_fence) A::fence(memory_order_seq_cst);
    r[1] = x.load(o.load);
  });
  c.join_all();
}

constexpr orders k_all_relaxed{memory_order_relaxed, memory_order_relaxed};
constexpr orders k_release_acquire{memory_order_release, memory_order_acquire};
constexpr orders k_all_seq_cst{memory_order_seq_cst, memory_order_seq_cst};

TEST(store_buffering, relaxed_lets_both_threads_read_old) {
  expect(2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {},
         [](context& c, registers& r) { store_buffering(c, r, k_all_relaxed, false, false); });
}

TEST(store_buffering, release_and_acquire_let_both_threads_read_old) {
  expect(2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {},
         [](context& c, registers& r) { store_buffering(c, r, k_release_acquire, false, false); });
}

TEST(store_buffering, seq_cst_accesses_forbid_that_both_read_old) {
  expect(2, {{0, 1}, {1, 0}, {1, 1}}, {{0, 0}},
         [](context& c, registers& r) { store_buffering(c, r, k_all_seq_cst, false, false); });
}

TEST(store_buffering, seq_cst_fences_forbid_that_both_read_old) {
  expect(2, {{0, 1}, {1, 0}, {1, 1}}, {{0, 0}},
         [](context& c, registers& r) { store_buffering(c, r, k_all_relaxed, true, true); });
}

TEST(store_buffering, one_fence_alone_is_not_enough) {
  expect(2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {},
         [](context& c, registers& r) { store_buffering(c, r, k_all_relaxed, true, false); });
}

TEST(store_buffering, a_seq_cst_store_with_an_acquire_load_is_not_enough) {
  expect(2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {}, [](context& c, registers& r) {
    store_buffering(c, r, {memory_order_seq_cst, memory_order_acquire}, false, false);
  });
}

// One side has a fence and relaxed accesses, the other seq_cst accesses only. If both read old: the fenced load reads y
// from before the seq_cst store, so fence < store in S; the seq_cst load reads x from before the store that happens
// before the fence, so load < fence. But store < load: a cycle, so it is forbidden.
TEST(store_buffering, a_fence_on_one_side_and_seq_cst_accesses_on_the_other_forbid_that_both_read_old) {
  expect(2, {{0, 1}, {1, 0}, {1, 1}}, {{0, 0}}, [](context& c, registers& r) {
    A::atomic<int> x{0}, y{0};
    c.thread("fenced", [&] {
      x.store(1, memory_order_relaxed);
      A::fence(memory_order_seq_cst);
      r[0] = y.load(memory_order_relaxed);
    });
    c.thread("ordered", [&] {
      y.store(1, memory_order_seq_cst);
      r[1] = x.load(memory_order_seq_cst);
    });
    c.join_all();
  });
}

// The shape of P1: an update in place of a store does not make a relaxed load later on the same thread wait.
TEST(store_buffering, acq_rel_updates_do_not_order_the_loads_after_them) {
  expect(2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {}, [](context& c, registers& r) {
    A::atomic<int> x{0}, y{0};
    c.thread("first", [&] {
      x.fetch_add(1, memory_order_acq_rel);
      r[0] = y.load(memory_order_acquire);
    });
    c.thread("second", [&] {
      y.fetch_add(1, memory_order_acq_rel);
      r[1] = x.load(memory_order_acquire);
    });
    c.join_all();
  });
}

// Reading by an update that writes the value back cannot be outdated when every other write is an update too.
TEST(store_buffering, updates_that_read_see_every_earlier_update) {
  expect(2, {{0, 1}, {1, 0}, {1, 1}}, {{0, 0}}, [](context& c, registers& r) {
    A::atomic<int> x{0}, y{0};
    c.thread("first", [&] {
      x.fetch_add(1, memory_order_acq_rel);
      r[0] = y.fetch_add(0, memory_order_acq_rel);
    });
    c.thread("second", [&] {
      y.fetch_add(1, memory_order_acq_rel);
      r[1] = x.fetch_add(0, memory_order_acq_rel);
    });
    c.join_all();
  });
}

// ---- MP: data, then a flag ------------------------------------------------------------------------------------------

void message_passing(context& c, registers& r, orders o, bool fences) {
  A::atomic<int> data{0}, flag{0};
  c.thread("writer", [&] {
    data.store(1, memory_order_relaxed);
    if (fences) A::fence(memory_order_release);
    flag.store(1, o.store);
  });
  c.thread("reader", [&] {
    r[0] = flag.load(o.load);
    if (fences) A::fence(memory_order_acquire);
    r[1] = data.load(memory_order_relaxed);
  });
  c.join_all();
}

const std::vector<registers> k_passing = {{0, 0}, {0, 1}, {1, 1}};
const std::vector<registers> k_not_passing = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

TEST(message_passing, relaxed_may_read_the_flag_and_old_data) {
  expect(2, k_not_passing, {}, [](context& c, registers& r) { message_passing(c, r, k_all_relaxed, false); });
}

TEST(message_passing, release_and_acquire_forbid_old_data) {
  expect(2, k_passing, {{1, 0}}, [](context& c, registers& r) { message_passing(c, r, k_release_acquire, false); });
}

TEST(message_passing, release_alone_or_acquire_alone_is_not_enough) {
  expect(2, k_not_passing, {},
         [](context& c, registers& r) { message_passing(c, r, {memory_order_release, memory_order_relaxed}, false); });
  expect(2, k_not_passing, {},
         [](context& c, registers& r) { message_passing(c, r, {memory_order_relaxed, memory_order_acquire}, false); });
}

TEST(message_passing, release_and_acquire_fences_forbid_old_data) {
  expect(2, k_passing, {{1, 0}}, [](context& c, registers& r) { message_passing(c, r, k_all_relaxed, true); });
}

// ---- LB: each thread reads one location, then stores to the other ---------------------------------------------------

// The standard allows (1,1) for relaxed accesses. This model runs threads in program order, so a load never reads a
// store that comes later in the execution: (1,1) is not produced. Kernels whose correctness needs that outcome to be
// absent are outside what the checker shows.
TEST(load_buffering, the_model_is_stronger_than_the_standard_here) {
  expect(2, {{0, 0}, {0, 1}, {1, 0}}, {{1, 1}}, [](context& c, registers& r) {
    A::atomic<int> x{0}, y{0};
    c.thread("first", [&] {
      r[0] = x.load(memory_order_relaxed);
      y.store(1, memory_order_relaxed);
    });
    c.thread("second", [&] {
      r[1] = y.load(memory_order_relaxed);
      x.store(1, memory_order_relaxed);
    });
    c.join_all();
  });
}

// ---- IRIW: two writers, two readers that may disagree on the order --------------------------------------------------

void independent_reads(context& c, registers& r, orders o) {
  A::atomic<int> x{0}, y{0};
  c.thread("writes x", [&] { x.store(1, o.store); });
  c.thread("writes y", [&] { y.store(1, o.store); });
  c.thread("x then y", [&] {
    r[0] = x.load(o.load);
    r[1] = y.load(o.load);
  });
  c.thread("y then x", [&] {
    r[2] = y.load(o.load);
    r[3] = x.load(o.load);
  });
  c.join_all();
}

std::vector<registers> all_of_four_bits() {
  std::vector<registers> out;
  for (int i = 0; i != 16; ++i) out.push_back({i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1});
  return out;
}

TEST(independent_reads_of_independent_writes, release_and_acquire_let_readers_disagree) {
  expect(4, all_of_four_bits(), {}, [](context& c, registers& r) { independent_reads(c, r, k_release_acquire); });
}

TEST(independent_reads_of_independent_writes, seq_cst_makes_readers_agree) {
  auto allowed = all_of_four_bits();
  std::erase(allowed, registers{1, 0, 1, 0});
  expect(4, allowed, {{1, 0, 1, 0}}, [](context& c, registers& r) { independent_reads(c, r, k_all_seq_cst); });
}

// ---- 2+2W: two writers to two locations in opposite order -----------------------------------------------------------

void two_plus_two_writes(context& c, registers& r, std::memory_order order) {
  A::atomic<int> x{0}, y{0};
  c.thread("first", [&] {
    x.store(1, order);
    y.store(2, order);
  });
  c.thread("second", [&] {
    y.store(1, order);
    x.store(2, order);
  });
  c.join_all();
  r[0] = x.load(memory_order_relaxed);
  r[1] = y.load(memory_order_relaxed);
}

// (1,1): in both modification orders the store that comes first in its thread is last.
TEST(two_plus_two_writes, relaxed_and_release_allow_both_first_stores_to_be_last) {
  for (const auto order : {memory_order_relaxed, memory_order_release}) {
    expect(2, {{1, 1}, {1, 2}, {2, 1}, {2, 2}}, {},
           [order](context& c, registers& r) { two_plus_two_writes(c, r, order); });
  }
}

TEST(two_plus_two_writes, seq_cst_forbids_both_first_stores_to_be_last) {
  expect(2, {{1, 2}, {2, 1}, {2, 2}}, {{1, 1}},
         [](context& c, registers& r) { two_plus_two_writes(c, r, memory_order_seq_cst); });
}

TEST(two_plus_two_writes, are_stronger_when_the_option_for_weak_modification_order_is_off) {
  expect(
      2, {{1, 2}, {2, 1}, {2, 2}}, {{1, 1}},
      [](context& c, registers& r) { two_plus_two_writes(c, r, memory_order_relaxed); }, false);
}

}  // namespace
}  // namespace filch::check::litmus
