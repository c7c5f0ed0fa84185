// Everything at once: random trees of awaits, children, spawned tasks, yields, moves, plain joins and failures; and the
// record of such a run.
#include <support/test_seed.hpp>

#include <filch/base/random.hpp>
#include <filch/filch.hpp>
#include <filch/trace/session.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

using filch::task;

// What happened, counted by those to whom it happened.
struct books {
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> caught{0};
};

struct injury : std::runtime_error {
  injury() : std::runtime_error("on purpose") {}
};

task<std::uint64_t> grow(books& all, filch::random_stream random, int depth, unsigned workers);

task<std::uint64_t> grow_children(books& all, filch::random_stream random, int depth, unsigned workers) {
  std::vector<task<std::uint64_t>> tasks;
  const std::uint64_t width = random.below(5);
  for (std::uint64_t i = 0; i != width; ++i) tasks.push_back(grow(all, random.split(i), depth - 1, workers));
  std::uint64_t sum = 0;
  const std::vector<std::uint64_t> sizes = co_await filch::all(std::move(tasks));
  for (const std::uint64_t size : sizes) sum += size;
  co_return sum;
}

task<std::uint64_t> grow_beside(books& all, filch::random_stream random, int depth, unsigned workers) {
  auto beside = filch::spawn(grow(all, random.split(1), depth - 1, workers));
  auto never = filch::spawn(grow(all, random.split(2), 0, workers));
  never.detach();
  const std::uint64_t here = co_await grow(all, random.split(3), depth - 1, workers);
  co_return here + 1 + co_await std::move(beside);  // one for the detached
}

// Returns how many have begun, below it and with it.
task<std::uint64_t> grow(books& all, filch::random_stream random, int depth, unsigned workers) {
  ++all.begun;
  if (depth == 0) co_return 1;
  std::uint64_t below = 0;
  switch (random.below(6)) {
    case 0:
      below = co_await grow(all, random.split(1), depth - 1, workers);
      break;
    case 1:
      below = co_await grow_children(all, random.split(2), depth, workers);
      break;
    case 2:
      below = co_await grow_beside(all, random.split(3), depth, workers);
      break;
    case 3: {
      co_await filch::yield();
      auto [a, b] = co_await filch::all(grow(all, random.split(4), depth - 1, workers),
                                        grow(all, random.split(5), depth - 1, workers));
      below = a + b;
      break;
    }
    case 4: {
      co_await filch::on(filch::worker_id{static_cast<std::uint32_t>(random.below(workers))});
      const auto [a, b] = filch::join([&] { return filch::wait(grow(all, random.split(6), depth - 1, workers)); },
                                      [&] { return filch::wait(grow(all, random.split(7), depth - 1, workers)); });
      below = a + b;
      break;
    }
    default: {
      struct local {
        static task<> fail(books& in) {
          ++in.failed;
          throw injury{};
          co_return;
        }
      };
      try {
        co_await filch::all(local::fail(all), local::fail(all));
      } catch (const injury&) {
        ++all.caught;
      }
      break;
    }
  }
  co_return below + 1;
}

class mixture : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(workers, mixture, testing::Values(1u, 2u, 4u));

// Oracle: conservation. Every coroutine that began is counted once by its parent, and every failure arrives.
TEST_P(mixture, nothing_is_lost_or_done_twice) {
  filch::runtime rt{{.workers = GetParam()}};
  filch::random_stream random{filch_test::test_seed()};
  for (std::uint64_t i = 0; i != 30; ++i) {
    books all;
    const std::uint64_t counted = rt.run(grow(all, random.split(i), 9, GetParam()));
    rt.wait_idle();
    EXPECT_EQ(counted, all.begun);
    EXPECT_EQ(all.failed, 2 * all.caught);
  }
  EXPECT_EQ(rt.statistics().unfinished(), 0u);
}

// Oracle: every task of the record was spawned, started and ended exactly once.
TEST_P(mixture, the_record_balances) {
  filch::trace::session session{{.workers = GetParam(), .ring_events = std::size_t{1} << 18}};
  session.start();
  books all;
  {
    filch::runtime rt{{.workers = GetParam(), .trace = &session}};
    filch::random_stream random{filch_test::test_seed()};
    for (std::uint64_t i = 0; i != 3; ++i) (void)rt.run(grow(all, random.split(i), 9, GetParam()));
  }
  session.stop();
  const filch::trace::recording got = session.collect();
  EXPECT_EQ(got.check(), "");
  ASSERT_EQ(got.dropped_count(), 0u);
  struct seen {
    int spawned = 0;
    int started = 0;
    int ended = 0;
    int suspended = 0;
    int resumed = 0;
  };
  std::map<std::uint64_t, seen> tasks;
  const auto count = [&](const std::vector<filch::trace::event>& events) {
    for (const auto& each : events) {
      switch (each.kind) {
        case filch::trace::event_kind::spawn:
          ++tasks[each.task].spawned;
          break;
        case filch::trace::event_kind::start:
          ++tasks[each.task].started;
          break;
        case filch::trace::event_kind::end:
          ++tasks[each.task].ended;
          break;
        case filch::trace::event_kind::suspend:
          ++tasks[each.task].suspended;
          break;
        case filch::trace::event_kind::resume:
          ++tasks[each.task].resumed;
          break;
        default:
          break;
      }
    }
  };
  for (const auto& local_work : got.workers) count(local_work);
  count(got.outside);
  EXPECT_GE(tasks.size(), 3u);
  for (const auto& [id, what] : tasks) {
    EXPECT_EQ(what.spawned, 1) << id;
    EXPECT_EQ(what.started, 1) << id;
    EXPECT_EQ(what.ended, 1) << id;
    EXPECT_EQ(what.suspended, what.resumed) << id;
  }
}

}  // namespace
