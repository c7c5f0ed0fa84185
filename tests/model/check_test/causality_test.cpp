// Shapes with three threads or three accesses: R, S, WRC, ISA2, chains through fences. litmus.hpp has the oracle.
#include "litmus.hpp"

namespace filch::check::litmus {
namespace {

// ---- R: a store in both threads to y, one of them followed by a read of x -------------------------------------------

void shape_r(context& c, registers& r, std::memory_order store, std::memory_order load, bool fences) {
  A::atomic<int> x{0}, y{0};
  c.thread("first", [&] {
    x.store(1, store);
    if (fences) A::fence(memory_order_seq_cst);
    y.store(1, store);
  });
  c.thread("second", [&] {
    y.store(2, store);
    if (fences) A::fence(memory_order_seq_cst);
    r[0] = x.load(load);
  });
  c.join_all();
  r[1] = y.load(memory_order_relaxed);
}

// (0,2): y=1 before y=2 in modification order, and the second thread reads x from before the first thread's store.
TEST(shape_r, release_and_acquire_allow_an_old_read_after_the_last_store) {
  expect(2, {{0, 1}, {0, 2}, {1, 1}, {1, 2}}, {},
         [](context& c, registers& r) { shape_r(c, r, memory_order_release, memory_order_acquire, false); });
}

TEST(shape_r, seq_cst_accesses_forbid_it) {
  expect(2, {{0, 1}, {1, 1}, {1, 2}}, {{0, 2}},
         [](context& c, registers& r) { shape_r(c, r, memory_order_seq_cst, memory_order_seq_cst, false); });
}

TEST(shape_r, seq_cst_fences_forbid_it) {
  expect(2, {{0, 1}, {1, 1}, {1, 2}}, {{0, 2}},
         [](context& c, registers& r) { shape_r(c, r, memory_order_relaxed, memory_order_relaxed, true); });
}

// ---- S: a store to x, published by y; the reader of y stores to x ---------------------------------------------------

void shape_s(context& c, registers& r, std::memory_order store, std::memory_order load) {
  A::atomic<int> x{0}, y{0};
  c.thread("first", [&] {
    x.store(2, memory_order_relaxed);
    y.store(1, store);
  });
  c.thread("second", [&] {
    r[0] = y.load(load);
    x.store(1, memory_order_relaxed);
  });
  c.join_all();
  r[1] = x.load(memory_order_relaxed);
}

TEST(shape_s, relaxed_allows_the_later_store_to_come_first_in_modification_order) {
  expect(2, {{0, 1}, {0, 2}, {1, 1}, {1, 2}}, {},
         [](context& c, registers& r) { shape_s(c, r, memory_order_relaxed, memory_order_relaxed); });
}

TEST(shape_s, release_and_acquire_order_the_two_stores) {
  expect(2, {{0, 1}, {0, 2}, {1, 1}}, {{1, 2}},
         [](context& c, registers& r) { shape_s(c, r, memory_order_release, memory_order_acquire); });
}

// ---- WRC: what a thread has read, its own release publishes too -----------------------------------------------------

void write_to_read(context& c, registers& r, std::memory_order load, std::memory_order store) {
  A::atomic<int> x{0}, y{0};
  c.thread("writer", [&] { x.store(1, store); });
  c.thread("relay", [&] {
    r[0] = x.load(load);
    y.store(1, store);
  });
  c.thread("reader", [&] {
    r[1] = y.load(load);
    r[2] = x.load(memory_order_relaxed);
  });
  c.join_all();
}

TEST(write_to_read_causality, release_and_acquire_are_cumulative) {
  expect(3, {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 1}}, {{1, 1, 0}},
         [](context& c, registers& r) { write_to_read(c, r, memory_order_acquire, memory_order_release); });
}

// The relay's relaxed read still counts: it precedes the release, and coherence makes the reader see no older store.
TEST(write_to_read_causality, a_relaxed_read_before_a_release_store_counts_for_coherence) {
  expect(3, {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 1}}, {{1, 1, 0}},
         [](context& c, registers& r) {
           A::atomic<int> x{0}, y{0};
           c.thread("writer", [&] { x.store(1, memory_order_relaxed); });
           c.thread("relay", [&] {
             r[0] = x.load(memory_order_relaxed);
             y.store(1, memory_order_release);
           });
           c.thread("reader", [&] {
             r[1] = y.load(memory_order_acquire);
             r[2] = x.load(memory_order_relaxed);
           });
           c.join_all();
         });
}

TEST(write_to_read_causality, relaxed_is_not_cumulative) {
  expect(3, {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1}}, {},
         [](context& c, registers& r) { write_to_read(c, r, memory_order_relaxed, memory_order_relaxed); });
}

// ---- ISA2: a chain of two messages ----------------------------------------------------------------------------------

void chain_of_two(context& c, registers& r, std::memory_order load, std::memory_order store) {
  A::atomic<int> x{0}, y{0}, z{0};
  c.thread("first", [&] {
    x.store(1, memory_order_relaxed);
    y.store(1, store);
  });
  c.thread("second", [&] {
    r[0] = y.load(load);
    z.store(1, store);
  });
  c.thread("third", [&] {
    r[1] = z.load(load);
    r[2] = x.load(memory_order_relaxed);
  });
  c.join_all();
}

TEST(isa2, a_chain_of_release_and_acquire_carries_the_first_store) {
  expect(3, {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 1}}, {{1, 1, 0}},
         [](context& c, registers& r) { chain_of_two(c, r, memory_order_acquire, memory_order_release); });
}

TEST(isa2, a_relaxed_chain_does_not) {
  expect(3, {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1}}, {},
         [](context& c, registers& r) { chain_of_two(c, r, memory_order_relaxed, memory_order_relaxed); });
}

// ---- seq_cst fences and other accesses ------------------------------------------------------------------------------

// What an earlier fence knew is known after a later one, and a release store hands it on: the third thread has no
// fence.
TEST(seq_cst_fence, knowledge_passes_through_a_release_store_to_a_thread_without_a_fence) {
  expect(3, {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 1}, {0, 1, 0}, {0, 1, 1}}, {{1, 1, 0}},
         [](context& c, registers& r) {
           A::atomic<int> x{0}, w{0}, z{0};
           c.thread("first", [&] {
             x.store(1, memory_order_relaxed);
             A::fence(memory_order_seq_cst);
             w.store(1, memory_order_relaxed);
           });
           c.thread("second", [&] {
             r[0] = w.load(memory_order_relaxed);  // 1: the first fence came earlier in S
             A::fence(memory_order_seq_cst);
             z.store(1, memory_order_release);
           });
           c.thread("third", [&] {
             r[1] = z.load(memory_order_acquire);
             r[2] = x.load(memory_order_relaxed);
           });
           c.join_all();
         });
}

// Two fences order atomics, they do not synchronise: plain data is still a race without a store that is read between.
TEST(seq_cst_fence, does_not_order_plain_data_by_itself) {
  const result r = run({.mode = exhaustive{.preemptions = k_unbounded}, .print_failure = false}, [](context& c) {
    A::var<int> data{0};
    c.thread("first", [&] {
      data.set(1);
      A::fence(memory_order_seq_cst);
    });
    c.thread("second", [&] {
      A::fence(memory_order_seq_cst);
      static_cast<void>(data.get());
    });
    c.join_all();
  });
  EXPECT_EQ(r.kind, failure::race) << r.report;
}

// The pop and steal of a deque, as D4: a relaxed store then a load of the other index, with fences between, against the
// mirror of it. Without the thief's fence the last item goes to both.
void last_item(context& c, registers& r, bool thief_fence) {
  A::atomic<int> bottom{1}, top{0};
  c.thread("owner", [&] {
    bottom.store(0, memory_order_relaxed);
    A::fence(memory_order_seq_cst);
    r[0] = top.load(memory_order_relaxed) == 0 ? 1 : 0;
  });
  c.thread("thief", [&] {
    int expected = 0;
    const bool is_taken = top.compare_exchange(expected, 1, memory_order_acq_rel, memory_order_relaxed);
    if (thief_fence) A::fence(memory_order_seq_cst);
    r[1] = is_taken && bottom.load(memory_order_acquire) == 1 ? 1 : 0;
  });
  c.join_all();
}

TEST(seq_cst_fence, on_both_sides_gives_the_last_item_to_one) {
  expect(2, {{0, 0}, {0, 1}, {1, 0}}, {{1, 1}}, [](context& c, registers& r) { last_item(c, r, true); });
}

TEST(seq_cst_fence, on_one_side_gives_the_last_item_to_both) {
  expect(2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {}, [](context& c, registers& r) { last_item(c, r, false); });
}

}  // namespace
}  // namespace filch::check::litmus
