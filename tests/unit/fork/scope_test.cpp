// scope: everything spawned has ended when it returns, whichever thread spawned it.
#include <support/spin_until.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>

namespace {

class scopes : public testing::TestWithParam<unsigned> {
 protected:
  filch::runtime rt_{{.workers = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(workers, scopes, testing::Values(1u, 2u, 4u, 8u));

void spawn_tree(filch::scope_handle& s, std::atomic<int>& count, int depth) {
  ++count;
  if (depth == 0) return;
  for (int i = 0; i != 2; ++i) s.spawn([&s, &count, depth] { spawn_tree(s, count, depth - 1); });
}

TEST_P(scopes, children_of_children_end_before_it_returns) {
  std::atomic<int> count{0};
  rt_.run([&] { filch::scope([&](auto& s) { spawn_tree(s, count, 9); }); });
  EXPECT_EQ(count, 1023);
}

TEST_P(scopes, it_waits_for_children_that_others_run) {
  for (int i = 0; i != 20; ++i) {
    std::atomic<int> count{0};
    rt_.run([&] {
      filch::scope([&](auto& s) {
        for (int k = 0; k != 8; ++k) {
          s.spawn([&, held = std::make_unique<int>(1)] {
            std::this_thread::sleep_for(std::chrono::microseconds{100});
            count += *held;
          });
        }
      });
      EXPECT_EQ(count, 8);
    });
  }
}

TEST_P(scopes, the_first_exception_is_rethrown_when_all_have_ended) {
  std::atomic<int> count{0};
  EXPECT_THROW(rt_.run([&] {
    filch::scope([&](auto& s) {
      for (int k = 0; k != 8; ++k) {
        s.spawn([&] {
          ++count;
          throw std::runtime_error{"child"};
        });
      }
    });
  }),
               std::runtime_error);
  EXPECT_EQ(count, 8);
  EXPECT_THROW(rt_.run([&] {
    filch::scope([&](auto& s) {
      s.spawn([&] { ++count; });
      throw 1;
    });
  }),
               int);
  EXPECT_EQ(count, 9);
}

TEST_P(scopes, a_stop_cancels_what_has_not_started) {
  std::stop_source stop;
  std::atomic<int> count{0};
  rt_.run([&] {
    filch::scope(
        [&](auto& s) {
          stop.request_stop();
          EXPECT_TRUE(s.stop_requested());
          for (int k = 0; k != 8; ++k) s.spawn([&] { ++count; });
        },
        stop.get_token());
  });
  EXPECT_EQ(count, 0);
}

// Property: a stop cancels children that have not started, and those that run see it and run to their end. Oracle: as
// many children run as there are workers. Method: each waits until the stop is requested, which one of them does when
// every worker runs one.
TEST_P(scopes, a_stop_that_a_child_requests_cancels_those_that_have_not_started_and_those_that_run_finish) {
  const int workers = static_cast<int>(GetParam());
  const int children = 10 * workers;
  std::stop_source stop;
  std::atomic<int> started{0};
  std::atomic<int> finished{0};
  std::atomic<int> late{0};
  rt_.run([&] {
    filch::scope(
        [&](auto& s) {
          EXPECT_FALSE(s.stop_requested());
          for (int k = 0; k != children; ++k) {
            s.spawn([&] {
              if (++started == workers) stop.request_stop();
              EXPECT_TRUE(filch_test::spin_until([&] { return s.stop_requested(); }));
              s.spawn([&] { ++late; });
              ++finished;
            });
          }
        },
        stop.get_token());
    EXPECT_EQ(finished, workers);
  });
  EXPECT_EQ(started, workers);
  EXPECT_EQ(late, 0);
  rt_.wait_idle();
  const auto stats = rt_.statistics();
  EXPECT_EQ(stats.unfinished(), 0u);
  // those and the late ones
  EXPECT_EQ(stats.total()[filch::trace::count::cancelled], static_cast<std::uint64_t>(children));
}

TEST_P(scopes, scopes_and_joins_nest) {
  std::atomic<int> count{0};
  rt_.run([&] {
    filch::scope([&](auto& outer) {
      for (int k = 0; k != 10; ++k) {
        outer.spawn([&] {
          filch::join([&] { filch::scope([&](auto& s) { spawn_tree(s, count, 4); }); },
                      [&] { filch::scope([&](auto& s) { spawn_tree(s, count, 4); }); });
        });
      }
    });
  });
  EXPECT_EQ(count, 620);
  rt_.wait_idle();
  EXPECT_EQ(rt_.statistics().unfinished(), 0u);
}

TEST(scope, outside_a_runtime_goes_through_the_default_runtime) {
  std::atomic<int> count{0};
  filch::scope([&](auto& s) { spawn_tree(s, count, 5); });
  EXPECT_EQ(count, 63);
}

TEST(scope, a_thread_that_is_no_worker_may_spawn_while_it_is_open) {
  filch::runtime rt{{.workers = 2}};
  std::atomic<int> count{0};
  rt.run([&] {
    filch::scope([&](auto& s) {
      std::thread other{[&] { s.spawn([&] { ++count; }); }};
      other.join();
    });
    EXPECT_EQ(count, 1);
  });
}

}  // namespace
