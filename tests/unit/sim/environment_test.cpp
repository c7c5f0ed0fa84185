#include <filch/sim/environment.hpp>

#include "hash.hpp"

#include <filch/base/random.hpp>
#include <filch/sim/event.hpp>
#include <filch/sim/queue.hpp>
#include <filch/sim/resource.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace filch;
using sim::environment;
using sim::process;
using texts = std::vector<std::string>;

// What happened, as "time name".
struct journal {
  explicit journal(environment& env) : home{env} {}
  void add(const std::string& what) { lines.push_back(std::to_string(home.now_ns()).append(" ").append(what)); }

  environment& home;
  texts lines;
};

process ticker(environment& env, journal& log, std::string name, time_ns every_ns, int times) {
  for (int i = 0; i != times; ++i) {
    co_await env.timeout(every_ns);
    log.add(name);
  }
}

TEST(environment, processes_take_turns_in_time_and_in_order_of_scheduling) {
  environment env;
  journal log{env};
  env.start(ticker(env, log, "a", 10, 3));
  env.start(ticker(env, log, "b", 15, 2));
  env.run();
  EXPECT_EQ(log.lines, (texts{"10 a", "15 b", "20 a", "30 b", "30 a"}));
  EXPECT_EQ(env.living(), 0u);
}

TEST(environment, events_at_exactly_the_end_still_run_and_the_run_can_go_on) {
  environment env;
  journal log{env};
  env.start(ticker(env, log, "a", 10, 5));
  env.run_until(20);
  EXPECT_EQ(log.lines, (texts{"10 a", "20 a"}));
  EXPECT_EQ(env.now_ns(), 20);
  env.run_until(25);
  EXPECT_EQ(env.now_ns(), 25);
  env.run();
  EXPECT_EQ(log.lines.back(), "50 a");
}

TEST(environment, runs_one_event_at_a_time_when_asked) {
  environment env;
  journal log{env};
  env.start(ticker(env, log, "a", 10, 1));
  EXPECT_TRUE(env.step());  // it starts
  EXPECT_TRUE(log.lines.empty());
  EXPECT_TRUE(env.step());
  EXPECT_EQ(log.lines, (texts{"10 a"}));
  EXPECT_FALSE(env.step());
}

process wait_for(sim::event& what, journal& log, std::string name) {
  co_await what;
  log.add(name);
}

process trigger_after(environment& env, sim::event& what, time_ns delay_ns) {
  co_await env.timeout(delay_ns);
  what.trigger();
}

TEST(event, all_who_wait_go_on_in_the_order_in_which_they_came) {
  environment env;
  journal log{env};
  sim::event start;
  env.start(wait_for(start, log, "a"));
  env.start(wait_for(start, log, "b"));
  env.start(trigger_after(env, start, 7));
  EXPECT_TRUE(env.run_until(start));
  EXPECT_TRUE(log.lines.empty());
  env.run();
  env.start(wait_for(start, log, "late"));
  env.run();
  EXPECT_EQ(log.lines, (texts{"7 a", "7 b", "7 late"}));
}

TEST(event, a_run_until_an_event_that_never_comes_ends_when_nothing_is_pending) {
  environment env;
  journal log{env};
  sim::event never;
  env.start(wait_for(never, log, "a"));
  EXPECT_FALSE(env.run_until(never));
  EXPECT_EQ(env.living(), 1u);
}

process wait_at_most(sim::event& what, journal& log, time_ns bound_ns) {
  const bool happened = co_await what.wait_for(bound_ns);
  log.add(happened ? "happened" : "gave up");
}

TEST(event, a_bounded_wait_says_whether_it_happened) {
  environment env;
  journal log{env};
  sim::event what;
  env.start(wait_at_most(what, log, 5));
  env.start(wait_at_most(what, log, 50));
  env.start(trigger_after(env, what, 10));
  env.run();
  EXPECT_EQ(log.lines, (texts{"5 gave up", "10 happened"}));
  EXPECT_EQ(env.now_ns(), 10) << "an overtaken timeout does not move the clock";
}

TEST(event, a_failure_reaches_those_who_wait_and_those_who_come_later) {
  environment env;
  sim::event what;
  int caught = 0;
  const auto waiter = [](sim::event& subject, int& count) -> process {
    try {
      co_await subject;
    } catch (const std::runtime_error&) {
      ++count;
    }
  };
  env.start(waiter(what, caught));
  env.run();
  what.fail(std::make_exception_ptr(std::runtime_error{"no"}));
  env.start(waiter(what, caught));
  env.run();
  EXPECT_EQ(caught, 2);
}

process join(sim::process_ref whom, journal& log) {
  co_await whom;
  log.add("joined");
}

TEST(process, its_end_can_be_waited_for_before_and_after) {
  environment env;
  journal log{env};
  const auto subject = env.start(ticker(env, log, "a", 4, 1));
  env.start(join(subject, log));
  env.run();
  EXPECT_TRUE(subject.is_done());
  env.start(join(subject, log));
  env.start(ticker(env, log, "b", 1, 1));  // has the slot of the first
  env.run();
  EXPECT_EQ(log.lines, (texts{"4 a", "4 joined", "4 joined", "5 b"}));
}

process thrower(environment& env) {
  co_await env.timeout(3);
  throw std::runtime_error{"broken"};
}

TEST(process, what_it_throws_comes_out_of_run_unless_somebody_waits_for_it) {
  environment env;
  env.start(thrower(env));
  EXPECT_THROW(env.run(), std::runtime_error);
  EXPECT_EQ(env.living(), 0u);

  bool caught = false;
  const auto waiter = [](sim::process_ref whom, bool& flag) -> process {
    try {
      co_await whom;
    } catch (const std::runtime_error&) {
      flag = true;
    }
  };
  env.start(waiter(env.start(thrower(env)), caught));
  env.run();
  EXPECT_TRUE(caught);
}

process sleeper(environment& env, journal& log) {
  for (int i = 0; i != 2; ++i) {
    try {
      co_await env.timeout(100);
      log.add("slept");
    } catch (const sim::interrupted& why) {
      log.add(std::string{"interrupted "}.append(std::to_string(why.cause)));
    }
  }
}

process interrupter(environment& env, sim::process_ref whom, time_ns after_ns, int times) {
  co_await env.timeout(after_ns);
  for (int i = 1; i <= times; ++i) whom.interrupt(i);
}

TEST(process, an_interrupt_ends_its_wait_and_the_old_timeout_is_forgotten) {
  environment env;
  journal log{env};
  const auto subject = env.start(sleeper(env, log));
  env.start(interrupter(env, subject, 30, 1));
  env.run();
  EXPECT_EQ(log.lines, (texts{"30 interrupted 1", "130 slept"}));
  EXPECT_FALSE(subject.interrupt());
}

TEST(process, every_interrupt_is_delivered_once_in_order) {
  environment env;
  journal log{env};
  const auto subject = env.start(sleeper(env, log));
  env.start(interrupter(env, subject, 30, 2));
  env.run();
  EXPECT_EQ(log.lines, (texts{"30 interrupted 1", "30 interrupted 2"}));
}

process take_all(sim::queue<int>& from, journal& log, int count) {
  for (int i = 0; i != count; ++i) {
    const int item = co_await from.get();
    log.add(std::string{"got "}.append(std::to_string(item)));
  }
}

process put_all(environment& env, sim::queue<int>& to, journal& log, int count, time_ns every_ns) {
  for (int i = 0; i != count; ++i) {
    co_await to.put(i);
    log.add(std::string{"put "}.append(std::to_string(i)));
    if (every_ns != 0) co_await env.timeout(every_ns);
  }
}

TEST(queue, a_process_waits_for_items) {
  environment env;
  journal log{env};
  sim::queue<int> items;
  env.start(take_all(items, log, 2));
  env.start(put_all(env, items, log, 2, 5));
  env.run();
  EXPECT_EQ(log.lines, (texts{"0 put 0", "0 got 0", "5 put 1", "5 got 1"}));
}

TEST(queue, a_process_waits_for_room) {
  environment env;
  journal log{env};
  sim::queue<int> items{2};
  env.start(put_all(env, items, log, 4, 0));
  env.run();
  EXPECT_EQ(log.lines, (texts{"0 put 0", "0 put 1"}));
  EXPECT_TRUE(items.is_full());
  EXPECT_FALSE(items.try_put(9));
  EXPECT_EQ(items.try_get(), std::optional{0});
  env.run();
  EXPECT_EQ(log.lines.back(), "0 put 2");
  env.start(take_all(items, log, 3));
  env.run();
  EXPECT_EQ(env.living(), 0u);
  EXPECT_TRUE(items.is_empty());
}

TEST(queue, the_item_of_an_interrupted_getter_goes_to_the_next) {
  environment env;
  journal log{env};
  sim::queue<int> items;
  const auto first = env.start([](sim::queue<int>& from, journal& out) -> process {
    try {
      (void)co_await from.get();
    } catch (const sim::interrupted&) {
      out.add("interrupted");
    }
  }(items, log));
  env.start(take_all(items, log, 1));
  env.run();
  EXPECT_TRUE(items.try_put(7));  // given to the first, who is not yet awake
  EXPECT_TRUE(first.interrupt());
  env.run();
  EXPECT_EQ(log.lines, (texts{"0 interrupted", "0 got 7"}));
}

TEST(queue, items_need_not_be_copyable) {
  environment env;
  sim::queue<std::unique_ptr<int>> items{1};
  int sum = 0;
  env.start([](sim::queue<std::unique_ptr<int>>& to) -> process {
    for (int i = 1; i <= 3; ++i) co_await to.put(std::make_unique<int>(i));
  }(items));
  env.start([](sim::queue<std::unique_ptr<int>>& from, int& out) -> process {
    for (int i = 1; i <= 3; ++i) out += *co_await from.get();
  }(items, sum));
  env.run();
  EXPECT_EQ(sum, 6);
}

process customer(environment& env, sim::resource& till, journal& log, std::string name, std::int32_t rank) {
  const auto held = co_await till.acquire(rank);
  log.add(name);
  co_await env.timeout(10);
}

TEST(resource, is_held_by_so_many_at_a_time_and_given_by_rank_and_order) {
  environment env;
  journal log{env};
  sim::resource till{2};
  env.start(customer(env, till, log, "a", 0));
  env.start(customer(env, till, log, "b", 0));
  env.start(customer(env, till, log, "c", 5));
  env.start(customer(env, till, log, "d", 5));
  env.start(customer(env, till, log, "e", -1));
  env.run();
  EXPECT_EQ(log.lines, (texts{"0 a", "0 b", "10 e", "10 c", "20 d"}));
  EXPECT_EQ(till.free_shares(), 2u);
}

TEST(resource, an_interrupted_process_gives_back_what_it_was_just_granted) {
  environment env;
  sim::resource till{1};
  journal log{env};
  auto held = std::make_unique<std::optional<sim::resource::hold>>();
  env.start([](sim::resource& of, std::optional<sim::resource::hold>& out) -> process {
    out.emplace(co_await of.acquire());
  }(till, *held));
  const auto second = env.start([](sim::resource& of) -> process {
    try {
      const auto mine = co_await of.acquire();
    } catch (const sim::interrupted&) {}
  }(till));
  env.run();
  EXPECT_EQ(till.free_shares(), 0u);
  held->reset();  // the second is granted it, but is interrupted before it goes on
  second.interrupt();
  env.run();
  EXPECT_EQ(till.free_shares(), 1u);
  EXPECT_EQ(env.living(), 0u);
}

TEST(environment, may_end_before_or_after_what_its_processes_hold_and_wait_for) {
  for (const bool env_first : {true, false}) {
    auto env = std::make_unique<environment>();
    auto till = std::make_unique<sim::resource>(1);
    auto items = std::make_unique<sim::queue<int>>();
    auto what = std::make_unique<sim::event>();
    journal log{*env};
    env->start(customer(*env, *till, log, "a", 0));
    env->start(customer(*env, *till, log, "b", 0));
    env->start(take_all(*items, log, 1));
    env->start(wait_for(*what, log, "c"));
    env->run_until(5);
    if (env_first) env.reset();
    till.reset(), items.reset(), what.reset();
    EXPECT_EQ(log.lines, (texts{"0 a"}));
  }
}

// An M/M/1 queue of 20 000 customers, printed as text.
std::string simulate(std::uint64_t seed) {
  environment env;
  sim::resource server{1};
  random_stream random{seed};
  std::ostringstream out;
  const auto served = [](environment& world, sim::resource& by, time_ns span_ns, std::ostringstream& text) -> process {
    const time_ns came_ns = world.now_ns();
    const auto held = co_await by.acquire();
    co_await world.timeout(span_ns);
    text << world.now_ns() - came_ns << '\n';
  };
  const auto source = [&](environment& world) -> process {
    for (int i = 0; i != 20'000; ++i) {
      co_await world.timeout(static_cast<time_ns>(random.exponential(1000)));
      world.start(served(world, server, static_cast<time_ns>(random.exponential(800)), out));
    }
  };
  env.start(source(env));
  env.run();
  return out.str();
}

TEST(environment, the_same_seed_gives_the_same_bytes) {
  const std::string text = simulate(1);
  EXPECT_EQ(text, simulate(1));
  EXPECT_NE(text, simulate(2));
  EXPECT_EQ(hash_of(text), 655341704835489646u);
}

}  // namespace
