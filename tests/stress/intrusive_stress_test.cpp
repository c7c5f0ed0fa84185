// Injector and inbox with real threads. Nodes live on the heap and are freed by whoever takes them, so a queue that
// still points to a node it has given away is a use after free that the sanitizers see.
#include <filch/base/random.hpp>
#include <filch/queue/inbox.hpp>
#include <filch/queue/injector.hpp>

#include <gtest/gtest.h>
#include <support/stress.hpp>
#include <support/test_seed.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace {

using filch::random_stream;
using filch::queue::push_status;
using filch::queue::steal_status;
using filch_test::scaled;
using filch_test::test_seed;

constexpr std::size_t k_producers = 2;

struct message : filch::queue::link {
  message(std::size_t from, std::uint64_t count) : producer{from}, number{count} {}

  std::size_t producer;
  std::uint64_t number;  // 0, 1, 2, … of each producer
};

// What one consumer has received. In a FIFO queue it sees each producer's messages in their order, though not all of
// them if there are other consumers.
class receipts {
 public:
  void take(filch::queue::link* node) {
    auto* const received = static_cast<message*>(node);
    if (received->number < next_[received->producer]) ++out_of_order_;
    next_[received->producer] = received->number + 1;
    sum_[received->producer] += received->number;
    ++count_;
    delete received;
  }

  std::array<std::uint64_t, k_producers> next_{};
  std::array<std::uint64_t, k_producers> sum_{};
  std::uint64_t count_ = 0;
  std::uint64_t out_of_order_ = 0;
};

// How many each producer has sent, and whether all have ended.
struct sent_messages {
  std::array<std::atomic<std::uint64_t>, k_producers> by{};
  std::atomic<std::size_t> ended{0};

  void end(std::size_t producer, std::uint64_t count) {
    by[producer].store(count, std::memory_order_relaxed);
    ended.fetch_add(1, std::memory_order_release);
  }
  [[nodiscard]] bool are_all(std::uint64_t received) const {
    if (ended.load(std::memory_order_acquire) != k_producers) return false;
    std::uint64_t sum = 0;
    for (const auto& count : by) sum += count.load(std::memory_order_relaxed);
    return received == sum;
  }
};

// Exactly once: as many as were sent, in increasing order at each consumer, and with the right sum. A message that came
// twice would be freed twice; one that came twice instead of another would change the sum.
void expect_all_received(const std::vector<receipts>& consumers, const sent_messages& sent) {
  std::uint64_t count = 0;
  std::array<std::uint64_t, k_producers> sum{};
  for (const receipts& consumer : consumers) {
    EXPECT_EQ(consumer.out_of_order_, 0u);
    count += consumer.count_;
    for (std::size_t p = 0; p != k_producers; ++p) sum[p] += consumer.sum_[p];
  }
  EXPECT_TRUE(sent.are_all(count)) << count;
  for (std::size_t p = 0; p != k_producers; ++p) {
    const std::uint64_t by_one = sent.by[p].load(std::memory_order_relaxed);
    EXPECT_GT(by_one, 0u);
    EXPECT_EQ(sum[p], by_one * (by_one - 1) / 2);
  }
}

// What is in the queue at a time, counted from outside: raised by the producer after its push, by the consumer before
// the queue's own count falls. So `most` is a lower bound of what the queue held.
struct level {
  std::atomic<std::int64_t> pushed{0};
  std::atomic<std::int64_t> popped{0};
  std::atomic<std::int64_t> most{0};

  void note_push() {
    const std::int64_t all = pushed.fetch_add(1, std::memory_order_seq_cst) + 1;
    const std::int64_t now = all - popped.load(std::memory_order_seq_cst);
    std::int64_t seen = most.load(std::memory_order_relaxed);
    while (now > seen && !most.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {}
  }
  void note_pop() { popped.fetch_add(1, std::memory_order_seq_cst); }
};

void producers_against_consumers(std::uint64_t bound, std::size_t consumers) {
  // Where little room is nearly every step waits.
  const filch_test::effort most{scaled(bound < 16 ? 50'000 : 400'000)};
  filch::queue::injector<> in{bound};
  std::vector<receipts> received(consumers);
  sent_messages sent;
  level in_queue;
  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> refused{0};
  filch_test::watchdog join_limit{
      "producers_against_consumers", taken,
      [&] { return "taken " + std::to_string(taken) + ", counted " + std::to_string(in.size_hint()); }};
  const random_stream seeds = random_stream{test_seed()}.split(bound);
  filch_test::run_threads(k_producers + consumers, [&](std::size_t self) {
    random_stream random = seeds.split(self);
    if (self < k_producers) {
      std::uint64_t i = 0;
      for (; most.goes_on(i); ++i) {
        auto* const m = new message{self, i};
        while (in.try_push(m) == push_status::full) {
          refused.fetch_add(1, std::memory_order_relaxed);
          std::this_thread::yield();
        }
        in_queue.note_push();
      }
      sent.end(self, i);
      return;
    }
    receipts& mine = received[self - k_producers];
    while (!sent.are_all(taken.load(std::memory_order_relaxed))) {
      const std::uint64_t before = mine.count_;
      const auto limit = static_cast<std::uint32_t>(1 + random.below(8));
      const steal_status status = in.pop_batch(limit, [&](filch::queue::link* node) {
        in_queue.note_pop();
        mine.take(node);
      });
      ASSERT_EQ(status == steal_status::taken, mine.count_ != before);
      taken.fetch_add(mine.count_ - before, std::memory_order_relaxed);
      if (status != steal_status::taken) std::this_thread::yield();
    }
  });
  expect_all_received(received, sent);
  EXPECT_TRUE(in.is_empty());
  EXPECT_EQ(in.pop().status, steal_status::empty);
  if (bound != filch::queue::injector<>::k_unbounded) {
    EXPECT_LE(in_queue.most.load(std::memory_order_relaxed), static_cast<std::int64_t>(bound));
  } else {
    EXPECT_EQ(refused.load(std::memory_order_relaxed), 0u);
  }
}

// Property: what several producers inject is taken exactly once, in each producer's order. Oracle: count, order and sum
// per producer. Method: two producers as fast as they can, one and two consumers that take batches of random size.
TEST(injector_stress, every_item_is_taken_once_and_in_its_producers_order) {
  for (const std::size_t consumers : {1u, 2u}) {
    producers_against_consumers(filch::queue::injector<>::k_unbounded, consumers);
  }
}

// Property: a bounded injector never holds more than its bound, and refuses without losing anything. Oracle: as above,
// and a count from outside that is never above the truth. Method: bounds from one item up; a refused producer yields
// and tries again.
TEST(injector_stress, a_bound_is_never_exceeded_and_refusal_loses_nothing) {
  for (const std::uint64_t bound : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{256}}) {
    for (const std::size_t consumers : {1u, 2u}) {
      SCOPED_TRACE(testing::Message() << "bound " << bound << ", " << consumers << " consumers");
      producers_against_consumers(bound, consumers);
    }
  }
}

// Property: an inbox gives its worker every task once and in its sender's order, and says `empty` only when nothing
// whose push has ended is left. Oracle: count, order and sum per sender; and after an `empty` nothing announced before
// is missing. Method: two senders that announce how many pushes they have finished, one worker that reads the
// announcement before it looks.
TEST(inbox_stress, every_task_arrives_once_in_its_senders_order) {
  const filch_test::effort most{scaled(1'000'000)};
  filch::queue::inbox<> in;
  std::vector<receipts> received(1);
  sent_messages sent;
  std::array<std::atomic<std::uint64_t>, k_producers> finished{};
  std::uint64_t missed = 0;
  std::atomic<std::uint64_t> taken{0};
  filch_test::watchdog join_limit{"inbox_stress", taken, [&] { return "counted " + std::to_string(in.size_hint()); }};
  filch_test::run_threads(k_producers + 1, [&](std::size_t self) {
    if (self < k_producers) {
      std::uint64_t i = 0;
      for (; most.goes_on(i); ++i) {
        in.push(new message{self, i});
        finished[self].store(i + 1, std::memory_order_release);
      }
      sent.end(self, i);
      return;
    }
    receipts& mine = received[0];
    while (!sent.are_all(mine.count_)) {
      std::uint64_t announced = 0;
      for (const auto& count : finished) announced += count.load(std::memory_order_acquire);
      const auto result = in.pop();
      if (result.is_taken()) {
        mine.take(result.item);
        taken.fetch_add(1, std::memory_order_relaxed);
      } else {
        missed += result.status == steal_status::empty && announced > mine.count_;
        std::this_thread::yield();
      }
    }
  });
  expect_all_received(received, sent);
  EXPECT_EQ(missed, 0u);
  EXPECT_TRUE(in.is_empty());
}

}  // namespace
