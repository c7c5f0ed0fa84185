// No operation on tasks takes stack for each level of a chain, or more than a step for each: coroutines that await each
// other, children, spawned tasks and groups, in chains of a million and side by side.
//
// Oracle of all tests: everything runs on stacks of 256 KiB, the callers' and the workers', on which a million calls do
// not fit; and whatever takes a step for each level at each level does not end within the limit of the test.
#include <support/depth.hpp>
#include <support/thread_here.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using filch::async_scope;
using filch::async_stream;
using filch::join_handle;
using filch::spawn;
using filch::task;
using filch::task_group;
using filch_test::k_deep;
using filch_test::k_deep_least;
using filch_test::k_deep_of_large;
using filch_test::k_many;
using filch_test::on_small_stack;
using filch_test::small_stacks;
using namespace std::chrono_literals;

struct bottom_reached : std::runtime_error {
  bottom_reached() : std::runtime_error("the bottom") {}
};

// What the last of a chain does.
using bottom = task<long> (*)(filch::manual_event&);
task<long> returns(filch::manual_event&) { co_return 0; }
task<long> throws(filch::manual_event&) {
  throw bottom_reached{};
  co_return 0;
}
task<long> waits(filch::manual_event& until) {
  co_await until.async_wait();
  co_return 0;
}

// A level awaits the next one in its own way; `reached` is the level that lies deepest, counted from below.
struct chain {
  bottom last;
  filch::manual_event until{};
  std::atomic<long> started{0};
};

task<long> leaf() { co_return 1; }

task<long> by_await(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  co_return 1 + co_await by_await(all, left - 1);
}
task<long> by_all_first(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  const auto [a, b] = co_await filch::all(by_all_first(all, left - 1), leaf());
  co_return a + b;
}
task<long> by_all_last(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  const auto [a, b] = co_await filch::all(leaf(), by_all_last(all, left - 1));
  co_return a + b;
}
task<long> by_all_of_range(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  std::vector<task<long>> both;
  both.push_back(leaf());
  both.push_back(by_all_of_range(all, left - 1));
  const std::vector<long> each = co_await filch::all(std::move(both));
  co_return each[0] + each[1];
}
task<long> by_any(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  const auto first = co_await filch::any(by_any(all, left - 1));
  co_return 1 + first.value;
}
task<long> by_any_of_range(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  std::vector<task<long>> one;
  one.push_back(by_any_of_range(all, left - 1));
  const auto first = co_await filch::any(std::move(one));
  co_return 1 + first.value;
}
task<long> by_timeout(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  co_return 1 + co_await filch::timeout(by_timeout(all, left - 1), 1h);
}
task<long> by_try_timeout(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  const auto got = co_await filch::try_timeout(by_try_timeout(all, left - 1), 1h);
  co_return 1 + got.value();
}
task<long> by_scope(chain& all, long left);
task<> in_scope(chain& all, long left, long& result) { result = 1 + co_await by_scope(all, left); }
task<long> by_scope(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  long result = 0;
  const auto body = [&](task_group&) { return in_scope(all, left - 1, result); };
  co_await async_scope(body);
  co_return result;
}
// Through a member of the scope beside its body.
task<long> by_member(chain& all, long left);
task<> in_member(chain& all, long left, long& result) { result = 1 + co_await by_member(all, left); }
task<> nothing() { co_return; }
task<long> by_member(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  long result = 0;
  const auto body = [&](task_group& group) {
    group.spawn(in_member(all, left - 1, result));
    return nothing();
  };
  co_await async_scope(body);
  co_return result;
}
task<long> by_spawn(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  co_return 1 + co_await spawn(by_spawn(all, left - 1));
}
// Each follows the token of the one above, and is awaited by it.
task<long> by_token(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  const std::stop_token mine = co_await filch::this_task::stop_token();
  co_return 1 + co_await spawn(by_token(all, left - 1), {.stop = mine});
}
// The context of each is one below that of the last but one: timeouts inside spawned tasks.
task<long> by_turns(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  if (left % 2 == 0) co_return 1 + co_await spawn(by_turns(all, left - 1));
  co_return 1 + co_await filch::timeout(by_turns(all, left - 1), 1h);
}
task<long> by_once(chain& all, long left);
task<> in_once(chain& all, long left, long& result) { result = 1 + co_await by_once(all, left); }
task<long> by_once(chain& all, long left) {
  ++all.started;
  if (left == 0) co_return co_await all.last(all.until);
  filch::once first;
  long result = 0;
  const auto function = [&] { return in_once(all, left - 1, result); };
  co_await first.async_call(function);
  co_return result;
}
// A stream whose values come out of a stream.
async_stream<long> stream_of(chain& all, long left) {
  ++all.started;
  if (left == 0) {
    co_yield 0;
    co_yield co_await all.last(all.until);
    co_return;
  }
  auto inner = stream_of(all, left - 1);
  while (const auto each = co_await inner.next()) co_yield *each + 1;
}
task<long> by_stream(chain& all, long left) {
  auto outer = stream_of(all, left);
  (void)co_await outer.next();
  const auto second = co_await outer.next();
  (void)co_await outer.next();
  co_return second.value();
}

struct way {
  const char* name;
  task<long> (*down)(chain&, long left);
  long levels;
};
std::ostream& operator<<(std::ostream& out, const way& one) { return out << one.name; }

class deep_chain : public testing::TestWithParam<way> {
 protected:
  filch::runtime rt_{small_stacks(2)};
};

TEST_P(deep_chain, returns_its_result) {
  chain all{&returns};
  on_small_stack([&] { EXPECT_EQ(rt_.run(GetParam().down(all, k_deep_least)), k_deep_least); });
  EXPECT_EQ(all.started, k_deep_least + 1);
}

TEST_P(deep_chain, lets_an_exception_through_all_levels) {
  chain all{&throws};
  on_small_stack([&] { EXPECT_THROW((void)rt_.run(GetParam().down(all, k_deep_least)), bottom_reached); });
  EXPECT_EQ(all.started, k_deep_least + 1);
}

TEST_P(deep_chain, goes_on_when_its_last_level_has_waited) {
  chain all{&waits};
  on_small_stack([&] {
    auto handle = spawn(rt_, GetParam().down(all, GetParam().levels));
    while (all.started != GetParam().levels + 1) std::this_thread::yield();
    all.until.set();
    EXPECT_EQ(handle.get(), GetParam().levels);
  });
}

TEST_P(deep_chain, is_cancelled) {
  chain all{&waits};
  on_small_stack([&] {
    auto handle = spawn(rt_, GetParam().down(all, k_deep_least));
    while (all.started != k_deep_least + 1) std::this_thread::yield();
    handle.cancel();
    EXPECT_THROW((void)handle.get(), filch::task_cancelled);
  });
}

INSTANTIATE_TEST_SUITE_P(
    of, deep_chain,
    testing::Values(way{"awaits", &by_await, k_deep}, way{"all_first", &by_all_first, k_deep_of_large},
                    way{"all_last", &by_all_last, k_deep_of_large},
                    way{"all_of_range", &by_all_of_range, k_deep_of_large}, way{"any", &by_any, k_deep},
                    way{"any_of_range", &by_any_of_range, k_deep_of_large},
                    way{"timeout", &by_timeout, k_deep_of_large}, way{"try_timeout", &by_try_timeout, k_deep_of_large},
                    way{"async_scope", &by_scope, k_deep_of_large}, way{"member", &by_member, k_deep_of_large},
                    way{"spawn", &by_spawn, k_deep}, way{"stop_token", &by_token, k_deep_of_large},
                    way{"spawn_and_timeout", &by_turns, k_deep_of_large}, way{"once", &by_once, k_deep_of_large},
                    way{"stream", &by_stream, k_deep}),
    [](const auto& of) { return std::string{of.param.name}; });

// ---- tasks made from the inside out ---------------------------------------------------------------------------------

// A frame that keeps what it awaits among its parameters: they are there as long as the frame is.
task<long> around(task<long> inner) { co_return 1 + co_await std::move(inner); }
task<long> around_timeout(task<long> inner) { co_return 1 + co_await filch::timeout(std::move(inner), 1h); }
task<long> around_all(task<long> inner) {
  const auto [a, b] = co_await filch::all(std::move(inner), leaf());
  co_return a + b;
}
task<long> around_any(task<long> inner) { co_return 1 + (co_await filch::any(std::move(inner))).value; }
task<long> around_spawned(join_handle<long> inner) { co_return 1 + co_await std::move(inner); }
async_stream<long> around_stream(async_stream<long> inner) {
  while (const auto each = co_await inner.next()) co_yield 1 + *each;
}
async_stream<long> zero_twice() {
  co_yield 0;
  co_yield 0;
}
task<long> first_of(async_stream<long> all) {
  const auto first = co_await all.next();
  co_return first.value();
}

using wrapper = task<long> (*)(task<long>);
constexpr wrapper k_wrappers[] = {&around, &around_timeout, &around_all, &around_any};

task<long> nested(wrapper how, task<long> innermost, long levels) {
  for (long i = 0; i != levels; ++i) innermost = how(std::move(innermost));
  return innermost;
}

// As there is a call for each level on further stacks, it takes much memory.
class deep_nest : public testing::TestWithParam<wrapper> {
 protected:
  const long levels_ = GetParam() == &around ? k_deep_of_large : k_deep_least;
  filch::runtime rt_{small_stacks(2)};
};
INSTANTIATE_TEST_SUITE_P(of, deep_nest, testing::ValuesIn(k_wrappers));

TEST_P(deep_nest, returns_its_result_and_is_destroyed) {
  on_small_stack([&] { EXPECT_EQ(rt_.run(nested(GetParam(), leaf(), levels_)), levels_ + 1); });
}
TEST_P(deep_nest, that_never_started_is_destroyed) {
  on_small_stack([&] {
    task<long> dropped = nested(GetParam(), leaf(), levels_);
    dropped = leaf();
  });
}
TEST_P(deep_nest, is_destroyed_by_a_worker) {
  on_small_stack([&] { rt_.run([&] { (void)nested(GetParam(), leaf(), levels_).valid(); }); });
}

// Where one of the destructors on a further stack waits, its worker runs others, and the rest is destroyed by another
// thread. The one that waits lies beyond the worker's own stack and has most of the levels below it.
TEST(deep_nests, are_destroyed_on_after_a_destructor_has_waited_and_moved) {
  struct mover {
    mover(filch::runtime* of, std::atomic<int>* count) : on{of}, moves{count} {}
    mover(mover&& other) noexcept : on{std::exchange(other.on, nullptr)}, moves{other.moves} {}
    mover& operator=(mover&&) = delete;
    // One worker has something else to do, and the other one is free when the wait is over.
    ~mover() {
      if (on == nullptr) return;
      const auto here = filch_test::thread_here();
      while (filch_test::thread_here() == here) {
        std::atomic<bool> may_end{false};
        auto other = on->submit([&] {
          while (!may_end) std::this_thread::yield();
        });
        filch::wait(filch::sleep_for(100us));
        may_end = true;
        other.get();
      }
      ++*moves;
    }
    filch::runtime* on;
    std::atomic<int>* moves;
  };
  struct local {
    // One of them is destroyed before `inner`.
    static task<long> around(mover, task<long> inner, mover) { co_return 1 + co_await std::move(inner); }
  };
  filch::runtime rt{small_stacks(2)};
  std::atomic<int> moves{0};
  rt.run([&] {
    task<long> all = leaf();
    for (long i = 0; i != k_deep_of_large; ++i) {
      filch::runtime* const on = i == k_deep_of_large - k_deep_of_large / 8 ? &rt : nullptr;
      all = local::around(mover{on, &moves}, std::move(all), mover{on, &moves});
    }
    all = leaf();
  });
  EXPECT_EQ(moves, 2);
}

// Keeps the workers busy, so that nothing starts, until it is destroyed.
class busy_workers {
 public:
  explicit busy_workers(filch::runtime& rt) {
    for (std::uint32_t i = 0; i != rt.workers(); ++i) {
      rt.spawn([this] {
        ++held_;
        while (!may_end_) std::this_thread::yield();
        --held_;
      });
    }
    while (held_ != static_cast<int>(rt.workers())) std::this_thread::yield();
  }
  busy_workers(const busy_workers&) = delete;
  busy_workers& operator=(const busy_workers&) = delete;
  ~busy_workers() {
    may_end_ = true;
    while (held_ != 0) std::this_thread::yield();
  }

 private:
  std::atomic<int> held_{0};
  std::atomic<bool> may_end_{false};
};

TEST_P(deep_nest, is_cancelled_before_it_starts) {
  on_small_stack([&] {
    auto handle = [&] {
      const busy_workers busy{rt_};
      auto made = spawn(rt_, nested(GetParam(), leaf(), levels_));
      made.cancel();
      return made;
    }();
    EXPECT_THROW((void)handle.get(), filch::task_cancelled);
  });
}

TEST(deep_nests, that_have_not_started_are_destroyed_with_their_runtime) {
  on_small_stack([&] {
    filch::runtime rt{small_stacks(1)};
    std::atomic<bool> may_end{false};
    std::atomic<bool> has_begun{false};
    rt.spawn([&] {
      has_begun = true;
      while (!may_end) std::this_thread::yield();
    });
    while (!has_begun) std::this_thread::yield();
    auto handle = spawn(rt, nested(&around, leaf(), k_deep));
    std::thread later{[&] {
      while (rt.dump().find("cancelling") == std::string::npos) std::this_thread::yield();
      may_end = true;
    }};
    EXPECT_FALSE(rt.shutdown(1ms));
    later.join();
    EXPECT_THROW((void)handle.get(), filch::task_cancelled);
  });
}

// Each awaits the handle that it was given; nobody ends before the first may.
class deep_handles : public testing::Test {
 protected:
  filch::runtime rt_{small_stacks(2)};
  filch::manual_event until_;

  join_handle<long> make(long levels) {
    auto last = spawn(rt_, waits(until_));
    for (long i = 0; i != levels; ++i) last = spawn(rt_, around_spawned(std::move(last)));
    return last;
  }
};

TEST_F(deep_handles, give_their_results) {
  on_small_stack([&] {
    auto last = make(k_deep);
    until_.set();
    EXPECT_EQ(last.get(), k_deep);
  });
}
TEST_F(deep_handles, are_cancelled) {
  on_small_stack([&] {
    auto last = make(k_deep_least);
    last.cancel();
    EXPECT_THROW((void)last.get(), filch::task_cancelled);
    until_.set();  // those whose owner did not start are asked by nobody
  });
}
TEST_F(deep_handles, are_dropped_and_end) {
  on_small_stack([&] {
    make(k_deep_of_large).detach();
    until_.set();
    rt_.wait_idle();
  });
}
TEST_F(deep_handles, of_tasks_that_have_ended_and_that_nobody_awaited_are_dropped) {
  struct local {
    static task<long> keep(join_handle<long>) { co_return 0; }
  };
  on_small_stack([&] {
    auto last = spawn(rt_, leaf());
    for (long i = 0; i != k_deep_of_large; ++i) last = spawn(rt_, local::keep(std::move(last)));
    rt_.wait_idle();
    last.detach();
  });
}

TEST(deep_streams, made_from_the_inside_out_give_a_value_and_are_destroyed_before_their_end) {
  filch::runtime rt{small_stacks(2)};
  on_small_stack([&] {
    auto outermost = zero_twice();
    for (long i = 0; i != k_deep_of_large; ++i) outermost = around_stream(std::move(outermost));
    EXPECT_EQ(rt.run(first_of(std::move(outermost))), k_deep_of_large);
  });
}
// What a stream has in its frame may refer to what lies there before it: it is destroyed first, at any depth.
TEST(deep_streams, are_destroyed_from_the_inside_out) {
  struct watched {
    explicit watched(std::atomic<long>& of) : alive{of}, number{++of} {}
    watched(const watched&) = delete;
    watched& operator=(const watched&) = delete;
    ~watched() { EXPECT_EQ(alive--, number); }
    std::atomic<long>& alive;
    const long number;
  };
  struct local {
    static async_stream<long> level(std::atomic<long>& alive, long left) {
      const watched here{alive};
      if (left == 0) {
        co_yield 0;
        co_return;
      }
      auto inner = level(alive, left - 1);
      while (const auto each = co_await inner.next()) co_yield *each + 1;
    }
  };
  filch::runtime rt{small_stacks(2)};
  std::atomic<long> alive{0};
  on_small_stack([&] { EXPECT_EQ(rt.run(first_of(local::level(alive, k_deep_of_large))), k_deep_of_large); });
  EXPECT_EQ(alive, 0);
}

// A plain function that waits for a task holds its stack meanwhile: a recursion of these ends with an error.
TEST(deep_waits, of_functions_inside_each_other_end_with_an_error_and_the_runtime_goes_on) {
  struct local {
    static task<long> down(long left) {
      if (left == 0) co_return 0;
      co_return 1 + filch::wait(down(left - 1));
    }
  };
  filch::runtime rt{small_stacks(2)};
  on_small_stack([&] { EXPECT_THROW((void)rt.run(local::down(k_deep)), filch::stack_exhausted); });
  EXPECT_EQ(rt.run(local::down(10)), 10);
}

// ---- side by side ---------------------------------------------------------------------------------------------------

class many_tasks : public testing::Test {
 protected:
  filch::runtime rt_{small_stacks(2)};
  filch::manual_event until_;
  std::atomic<long> started_{0};

  task<long> wait() {
    ++started_;
    co_await until_.async_wait();
    co_return 1;
  }
  std::vector<task<long>> all() {
    std::vector<task<long>> made;
    for (long i = 0; i != k_many; ++i) made.push_back(wait());
    return made;
  }
  void await_start() {
    while (started_ != k_many) std::this_thread::yield();
  }
};

TEST_F(many_tasks, awaited_by_all_end) {
  struct local {
    static task<long> sum(std::vector<task<long>> each) {
      long total = 0;
      for (const long one : co_await filch::all(std::move(each))) total += one;
      co_return total;
    }
  };
  on_small_stack([&] {
    auto handle = spawn(rt_, local::sum(all()));
    await_start();
    until_.set();
    EXPECT_EQ(handle.get(), k_many);
  });
}
TEST_F(many_tasks, awaited_by_any_are_asked_to_stop_by_the_first) {
  struct local {
    static task<long> first(std::vector<task<long>> each, filch::manual_event& until) {
      each.push_back(waits(until));
      co_return (co_await filch::any(std::move(each))).value;
    }
  };
  on_small_stack([&] {
    filch::manual_event other;
    auto handle = spawn(rt_, local::first(all(), other));
    await_start();
    other.set();
    EXPECT_EQ(handle.get(), 0);
  });
}

// Members of a group.
TEST_F(many_tasks, spawned_in_a_group_end_or_are_cancelled) {
  struct local {
    static task<> wait(task<long> what) { (void)co_await std::move(what); }
    static task<> spread(task_group& group, std::vector<task<long>> each) {
      for (auto& one : each) group.spawn(wait(std::move(one)));
      co_return;
    }
  };
  on_small_stack([&] {
    const auto body = [this](task_group& group) { return local::spread(group, all()); };
    for (const bool is_cancelled : {false, true}) {
      started_ = 0;
      auto handle = spawn(rt_, async_scope(body));
      await_start();
      if (is_cancelled) {
        handle.cancel();
        EXPECT_THROW(handle.get(), filch::task_cancelled);
      } else {
        until_.set();
        handle.get();
        until_.reset();
      }
    }
  });
}

// A member that spawns the next one, which spawns the next one.
TEST_F(many_tasks, one_after_the_other_in_a_group_end) {
  struct local {
    static task<> go(task_group& group, long left, std::atomic<long>& count) {
      ++count;
      if (left != 0) group.spawn(go(group, left - 1, count));
      co_return;
    }
  };
  on_small_stack([&] {
    rt_.run(async_scope([&](task_group& group) { return local::go(group, k_many, started_); }));
    EXPECT_EQ(started_, k_many + 1);
  });
}

TEST_F(many_tasks, spawned_and_pending_are_awaited_by_the_end_of_their_runtime) {
  on_small_stack([&] {
    filch::runtime rt{small_stacks(2)};
    for (task<long>& each : all()) spawn(rt, std::move(each)).detach();
    until_.set();
  });
  EXPECT_EQ(started_, k_many);
}
TEST_F(many_tasks, spawned_with_one_token_are_cancelled_at_once) {
  std::stop_source stop;
  std::vector<join_handle<long>> handles;
  on_small_stack([&] {
    for (task<long>& each : all()) handles.push_back(spawn(rt_, std::move(each), {.stop = stop.get_token()}));
    await_start();
    stop.request_stop();
    rt_.wait_idle();
    handles.clear();
  });
}

// ---- plain functions that coroutines wait for -----------------------------------------------------------------------

// A function that submits the next, whose future a coroutine awaits.
TEST(deep_futures, are_awaited_one_inside_the_other) {
  struct local {
    static task<long> down(filch::runtime& rt, long left) {
      if (left == 0) co_return 0;
      auto next = rt.submit([&rt, left] { return spawn(rt, down(rt, left - 1)); });
      auto handle = co_await std::move(next);
      co_return 1 + co_await std::move(handle);
    }
  };
  filch::runtime rt{small_stacks(2)};
  on_small_stack([&] { EXPECT_EQ(rt.run(local::down(rt, k_many)), k_many); });
}

// ---- what dumps know ------------------------------------------------------------------------------------------------

// Of a chain of spawned tasks, and of one of awaits below a single task: its first frames.
TEST(deep_dumps, list_some_of_those_that_wait_and_count_the_others) {
  constexpr long k_waiting = k_deep_least * 2;
  filch::options chosen = small_stacks(1);
  chosen.track_tasks = true;
  filch::runtime rt{chosen};
  for (const auto down : {&by_spawn, &by_await}) {
    chain all{&waits};
    on_small_stack([&] {
      auto handle = spawn(rt, down(all, k_waiting));
      while (all.started != k_waiting + 1) std::this_thread::yield();
      while (rt.dump().find("waits for event") == std::string::npos && down == &by_await) std::this_thread::yield();
      const std::string text = rt.dump();
      const long tasks = down == &by_spawn ? k_waiting + 1 : 1;
      EXPECT_NE(text.find("  " + std::to_string(tasks) + " spawned tasks have started"), std::string::npos) << text;
      EXPECT_LT(text.size(), 100'000u);
      all.until.set();
      EXPECT_EQ(handle.get(), k_waiting);
    });
  }
}

}  // namespace
