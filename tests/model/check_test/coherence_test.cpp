// One location: coherence, release sequences, updates and failing compare-exchanges. litmus.hpp has the oracle.
#include "litmus.hpp"

namespace filch::check::litmus {
namespace {

// ---- coherence ------------------------------------------------------------------------------------------------------

TEST(coherence, two_reads_of_a_thread_do_not_go_back) {
  expect(2, {{0, 0}, {0, 1}, {1, 1}}, {{1, 0}}, [](context& c, registers& r) {
    A::atomic<int> x{0};
    c.thread("writer", [&] { x.store(1, memory_order_relaxed); });
    c.thread("reader", [&] {
      r[0] = x.load(memory_order_relaxed);
      r[1] = x.load(memory_order_relaxed);
    });
    c.join_all();
  });
}

TEST(coherence, two_readers_agree_on_the_order_of_two_writers) {
  std::vector<registers> allowed;
  const std::vector<registers> backwards = {{1, 2, 2, 1}, {2, 1, 1, 2}};
  const auto is_possible = [](int a, int b) { return !(a != 0 && b == 0); };
  for (int i = 0; i != 81; ++i) {
    const registers four = {i % 3, i / 3 % 3, i / 9 % 3, i / 27};
    if (!is_possible(four[0], four[1]) || !is_possible(four[2], four[3])) continue;
    if (four != backwards[0] && four != backwards[1]) allowed.push_back(four);
  }
  expect(4, allowed, backwards, [](context& c, registers& r) {
    A::atomic<int> x{0};
    c.thread("writes 1", [&] { x.store(1, memory_order_relaxed); });
    c.thread("writes 2", [&] { x.store(2, memory_order_relaxed); });
    c.thread("reader", [&] {
      r[0] = x.load(memory_order_relaxed);
      r[1] = x.load(memory_order_relaxed);
    });
    c.thread("other", [&] {
      r[2] = x.load(memory_order_relaxed);
      r[3] = x.load(memory_order_relaxed);
    });
    c.join_all();
  });
}

TEST(coherence, two_writes_of_a_thread_stay_in_order) {
  expect(1, {{2}}, {{1}, {0}}, [](context& c, registers& r) {
    A::atomic<int> x{0};
    c.thread("writer", [&] {
      x.store(1, memory_order_relaxed);
      x.store(2, memory_order_relaxed);
    });
    c.join_all();
    r[0] = x.load(memory_order_relaxed);
  });
}

// CoRW: a write after a read comes later in modification order than what was read.
TEST(coherence, a_write_comes_after_what_its_thread_has_read) {
  expect(2, {{0, 1}, {0, 2}, {1, 2}}, {{1, 1}}, [](context& c, registers& r) {
    A::atomic<int> x{0};
    c.thread("writer", [&] { x.store(1, memory_order_relaxed); });
    c.thread("reader", [&] {
      r[0] = x.load(memory_order_relaxed);
      x.store(2, memory_order_relaxed);
    });
    c.join_all();
    r[1] = x.load(memory_order_relaxed);
  });
}

// CoWR: after its own write a thread reads that or a newer one.
TEST(coherence, a_read_after_a_write_is_not_older_than_the_write) {
  expect(2, {{2, 2}, {1, 1}, {2, 1}}, {{0, 1}, {0, 2}, {1, 2}}, [](context& c, registers& r) {
    A::atomic<int> x{0};
    c.thread("writer", [&] { x.store(1, memory_order_relaxed); });
    c.thread("reader", [&] {
      x.store(2, memory_order_relaxed);
      r[0] = x.load(memory_order_relaxed);
    });
    c.join_all();
    r[1] = x.load(memory_order_relaxed);
  });
}

// ---- release sequences (C++20, P0982) -------------------------------------------------------------------------------

// data is stored before a release store of 1; what follows writes 2. r[0] is the flag, r[1] the data.
TEST(release_sequence, goes_on_through_an_update_by_another_thread) {
  expect(2, {{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}, {3, 1}}, {{1, 0}, {3, 0}}, [](context& c, registers& r) {
    A::atomic<int> data{0}, flag{0};
    c.thread("writer", [&] {
      data.store(1, memory_order_relaxed);
      flag.store(1, memory_order_release);
    });
    c.thread("other", [&] { flag.fetch_add(2, memory_order_relaxed); });  // 2: of the initial 0, 3: of the 1
    c.thread("reader", [&] {
      r[0] = flag.load(memory_order_acquire);
      r[1] = data.load(memory_order_relaxed);
    });
    c.join_all();
  });
}

// D12, the trap of C++20: the same thread's later relaxed store heads no release sequence and continues none.
TEST(release_sequence, does_not_go_on_through_a_later_relaxed_store_of_the_same_thread) {
  expect(2, {{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}}, {{1, 0}}, [](context& c, registers& r) {
    A::atomic<int> data{0}, flag{0};
    c.thread("writer", [&] {
      data.store(1, memory_order_relaxed);
      flag.store(1, memory_order_release);
      flag.store(2, memory_order_relaxed);
    });
    c.thread("reader", [&] {
      r[0] = flag.load(memory_order_acquire);
      r[1] = data.load(memory_order_relaxed);
    });
    c.join_all();
  });
}

TEST(release_sequence, a_release_fence_covers_every_later_relaxed_store) {
  expect(2, {{0, 0}, {0, 1}, {1, 1}, {2, 1}}, {{1, 0}, {2, 0}}, [](context& c, registers& r) {
    A::atomic<int> data{0}, flag{0};
    c.thread("writer", [&] {
      data.store(1, memory_order_relaxed);
      A::fence(memory_order_release);
      flag.store(1, memory_order_relaxed);
      flag.store(2, memory_order_relaxed);
    });
    c.thread("reader", [&] {
      r[0] = flag.load(memory_order_acquire);
      r[1] = data.load(memory_order_relaxed);
    });
    c.join_all();
  });
}

TEST(release_sequence, a_relaxed_store_by_another_thread_ends_it) {
  expect(2, {{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}}, {{1, 0}}, [](context& c, registers& r) {
    A::atomic<int> data{0}, flag{0};
    c.thread("writer", [&] {
      data.store(1, memory_order_relaxed);
      flag.store(1, memory_order_release);
    });
    c.thread("other", [&] { flag.store(2, memory_order_relaxed); });
    c.thread("reader", [&] {
      r[0] = flag.load(memory_order_acquire);
      r[1] = data.load(memory_order_relaxed);
    });
    c.join_all();
  });
}

// ---- updates --------------------------------------------------------------------------------------------------------

TEST(updates, of_several_threads_are_all_counted) {
  expect(1, {{3}}, {{0}, {1}, {2}}, [](context& c, registers& r) {
    A::atomic<int> x{0};
    for (int i = 0; i != 3; ++i) c.thread("adds", [&] { x.fetch_add(1, memory_order_relaxed); });
    c.join_all();
    r[0] = x.load(memory_order_relaxed);
  });
}

// An update may go before a store that its thread has not seen: the flag was read, the relaxed store before it was not.
TEST(updates, may_read_an_old_value_when_a_store_was_not_published) {
  expect(2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {}, [](context& c, registers& r) {
    A::atomic<int> x{0}, flag{0};
    c.thread("writer", [&] {
      x.store(1, memory_order_relaxed);
      flag.store(1, memory_order_relaxed);
    });
    c.thread("adds", [&] {
      r[0] = flag.load(memory_order_relaxed);
      r[1] = x.fetch_add(2, memory_order_relaxed);
    });
    c.join_all();
  });
}

TEST(updates, exchange_and_bit_operations_compute_in_the_width_of_the_type) {
  expect(5, {{7, 250, 6, 14, 2}}, {}, [](context&, registers& r) {
    A::atomic<std::uint8_t> x{7};
    r[0] = x.exchange(250, memory_order_relaxed);
    r[1] = x.fetch_add(12, memory_order_relaxed);
    r[2] = x.fetch_or(8, memory_order_relaxed);
    r[3] = x.fetch_and(2, memory_order_relaxed);
    r[4] = x.fetch_sub(3, memory_order_relaxed);
    A::atomic<std::int64_t> y{-5};
    check::require(y.fetch_sub(3, memory_order_relaxed) == -5, "old value");
    check::require(y.load(memory_order_relaxed) == -8, "new value");
  });
}

// ---- compare-exchange -----------------------------------------------------------------------------------------------

// r[0] the flag, r[1] whether the exchange of 2 for 5 succeeded, r[2] what it saw. A failure may see the old 0 although
// the flag, stored after x = 2, was read: nothing was acquired.
TEST(compare_exchange, that_fails_may_read_an_outdated_value) {
  expect(3, {{0, 0, 0}, {1, 0, 0}, {1, 1, 2}, {0, 1, 2}}, {{0, 1, 0}, {1, 1, 0}}, [](context& c, registers& r) {
    A::atomic<int> x{0}, flag{0};
    c.thread("writer", [&] {
      x.store(2, memory_order_relaxed);
      flag.store(1, memory_order_relaxed);
    });
    c.thread("exchanger", [&] {
      r[0] = flag.load(memory_order_relaxed);
      int seen = 2;
      r[1] = x.compare_exchange(seen, 5, memory_order_relaxed, memory_order_relaxed) ? 1 : 0;
      r[2] = seen;
    });
    c.join_all();
  });
}

TEST(compare_exchange, succeeds_for_one_of_two_threads) {
  expect(2, {{1, 0}, {0, 1}}, {{0, 0}, {1, 1}}, [](context& c, registers& r) {
    A::atomic<int> x{0};
    for (std::size_t i = 0; i != 2; ++i) {
      c.thread("taker", [&, i] {
        int expected = 0;
        r[i] = x.compare_exchange(expected, 1, memory_order_relaxed, memory_order_relaxed) ? 1 : 0;
      });
    }
    c.join_all();
  });
}

// The failure order decides what a failing exchange acquires.
TEST(compare_exchange, that_fails_acquires_by_its_failure_order_only) {
  const auto program = [](std::memory_order failure_order) {
    return [failure_order](context& c, registers& r) {
      A::atomic<int> data{0}, flag{0};
      c.thread("writer", [&] {
        data.store(1, memory_order_relaxed);
        flag.store(1, memory_order_release);
      });
      c.thread("exchanger", [&] {
        int seen = 7;
        flag.compare_exchange(seen, 8, memory_order_acq_rel, failure_order);
        r[0] = seen;
        r[1] = data.load(memory_order_relaxed);
      });
      c.join_all();
    };
  };
  expect(2, {{0, 0}, {0, 1}, {1, 1}}, {{1, 0}}, program(memory_order_acquire));
  expect(2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {}, program(memory_order_relaxed));
}

}  // namespace
}  // namespace filch::check::litmus
