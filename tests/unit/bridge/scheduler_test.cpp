#include <filch/bridge/scheduler.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace {

using filch::scheduler;

enum class told { value, stopped, error };

// The least a receiver can be: it says what it was told, and where.
struct receiver {
  using receiver_concept = filch::bridge::receiver_tag;

  struct environment {
    std::stop_token token;
    [[nodiscard]] std::stop_token get_stop_token() const noexcept { return token; }
  };

  std::promise<std::pair<told, filch::worker_id>>* into;
  std::stop_token token{};

  void set_value() && noexcept { into->set_value({told::value, filch::this_worker()}); }
  void set_stopped() && noexcept { into->set_value({told::stopped, filch::this_worker()}); }
  void set_error(const std::exception_ptr& problem) && noexcept {
    try {
      std::rethrow_exception(problem);
    } catch (const std::exception&) {
      into->set_value({told::error, filch::this_worker()});
    }
  }
  [[nodiscard]] environment get_env() const noexcept { return {token}; }
};

static_assert(filch::bridge::scheduler_like<scheduler>);
static_assert(filch::bridge::receiver<receiver>);
static_assert(std::is_same_v<scheduler::scheduler_concept, filch::bridge::scheduler_tag>);
static_assert(std::is_same_v<scheduler::sender::sender_concept, filch::bridge::sender_tag>);

using outcome = std::promise<std::pair<told, filch::worker_id>>;

TEST(scheduler, the_value_comes_on_a_worker_of_its_runtime) {
  filch::runtime rt{{.workers = 2}};
  for (int i = 0; i != 100; ++i) {
    outcome result;
    auto operation = scheduler{rt}.schedule().connect(receiver{&result});
    operation.start();
    const auto [what, where] = result.get_future().get();
    EXPECT_EQ(what, told::value);
    ASSERT_TRUE(where.is_some());
    EXPECT_LT(where.value, 2u);
  }
}

TEST(scheduler, two_of_one_runtime_are_equal_and_a_sender_knows_its_own) {
  filch::runtime one{{.workers = 1}};
  filch::runtime other{{.workers = 1}};
  EXPECT_EQ(scheduler{one}, scheduler{one});
  EXPECT_NE(scheduler{one}, scheduler{other});
  EXPECT_EQ(scheduler{one}.schedule().get_completion_scheduler(), scheduler{one});
}

TEST(scheduler, a_receiver_that_is_asked_to_stop_before_the_start_is_told_so) {
  filch::runtime rt{{.workers = 1}};
  std::stop_source stop;
  stop.request_stop();
  outcome result;
  auto operation = scheduler{rt}.schedule().connect(receiver{&result, stop.get_token()});
  operation.start();
  EXPECT_EQ(result.get_future().get().first, told::stopped);
}

TEST(scheduler, what_the_runtime_gives_up_is_stopped) {
  filch::runtime rt{{.workers = 1}};
  std::promise<void> has_begun;
  std::promise<void> may_end;
  (void)rt.submit([&] {
    has_begun.set_value();
    may_end.get_future().wait();
  });
  has_begun.get_future().wait();
  outcome result;
  auto operation = scheduler{rt}.schedule().connect(receiver{&result});
  operation.start();
  std::thread ending{[&] { (void)rt.shutdown(std::chrono::milliseconds{0}); }};
  // Cancelled before or after the worker is free again: it never runs after the deadline, or ran just before.
  may_end.set_value();
  ending.join();
  const told what = result.get_future().get().first;
  EXPECT_TRUE(what == told::stopped || what == told::value);
}

TEST(scheduler, a_runtime_that_has_ended_is_an_error) {
  filch::runtime rt{{.workers = 1}};
  (void)rt.shutdown();
  outcome result;
  auto operation = scheduler{rt}.schedule().connect(receiver{&result});
  operation.start();
  EXPECT_EQ(result.get_future().get().first, told::error);
}

// A receiver that starts the next operation from inside, and ends with the last.
struct chain {
  filch::runtime& rt;
  std::promise<int> done{};
  int ran = 0;

  struct next {
    using receiver_concept = filch::bridge::receiver_tag;
    chain* of;
    void set_value() && noexcept { of->go_on(); }
    void set_stopped() && noexcept { of->done.set_value(-1); }
    void set_error(const std::exception_ptr&) && noexcept { of->done.set_value(-2); }
  };
  // Two places in turn: the operation that tells is not overwritten while it does.
  std::optional<filch::bridge::operation<next>> places[2]{};

  void go_on() noexcept {
    if (ran == 1000) {
      done.set_value(ran);
      return;
    }
    auto& place = places[ran++ % 2];
    place.emplace(rt, next{this});
    place->start();
  }
};

TEST(scheduler, operations_start_operations) {
  filch::runtime rt{{.workers = 2}};
  chain all{rt};
  all.go_on();
  EXPECT_EQ(all.done.get_future().get(), 1000);
}

}  // namespace
