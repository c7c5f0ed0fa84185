// async_stream: its values, its end, and what becomes of what lies in its frame.
#include <filch/coro/any.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/stream.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/coro/this_task.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using filch::async_stream;
using filch::spawn;
using filch::task;

static_assert(std::is_nothrow_move_constructible_v<async_stream<int>> &&
              !std::is_copy_constructible_v<async_stream<int>>);

// Every number of workers, and the idle policy that sleeps at once.
class stream : public testing::TestWithParam<std::tuple<unsigned, bool>> {
 protected:
  filch::runtime rt_{
      {.workers = std::get<0>(GetParam()), .idle = std::get<1>(GetParam()) ? filch::idle::eco : filch::idle::balanced}};
};
INSTANTIATE_TEST_SUITE_P(workers, stream, testing::Combine(testing::Values(1u, 2u, 4u), testing::Bool()));

// Waits now and then.
async_stream<int> count(int n) {
  for (int i = 0; i != n; ++i) {
    if (i % 3 == 0) co_await filch::yield();
    co_yield i;
  }
}

template <class T>
task<std::vector<T>> collect(async_stream<T> from) {
  std::vector<T> all;
  while (auto each = co_await from.next()) all.push_back(std::move(*each));
  co_return all;
}

TEST_P(stream, values_come_in_order_and_then_the_end_as_often_as_it_is_asked_for) {
  struct local {
    static task<int> ask() {
      auto numbers = count(100);
      int right = 0;
      while (const auto each = co_await numbers.next()) right += *each == right ? 1 : 0;
      for (int i = 0; i != 3; ++i) {
        const auto none = co_await numbers.next();
        right += none ? 0 : 1;
      }
      co_return right;
    }
  };
  EXPECT_EQ(rt_.run(local::ask()), 103);
  EXPECT_TRUE(rt_.run(collect(count(0))).empty());
}

TEST_P(stream, nothing_runs_before_the_first_value_is_awaited_nor_ahead) {
  struct local {
    static async_stream<int> tell(int& steps) {
      ++steps;
      co_yield 1;
      ++steps;
      co_yield 2;
    }
    static task<std::vector<int>> ask() {
      int steps = 0;
      std::vector<int> seen;
      auto told = tell(steps);
      seen.push_back(steps);
      const auto first = co_await told.next();
      seen.push_back(steps);
      const auto moved = std::move(told);
      seen.push_back(first.value_or(0) + (told.valid() ? 10 : 0));
      co_return seen;
    }
  };
  EXPECT_EQ(rt_.run(local::ask()), (std::vector<int>{0, 1, 1}));
}

TEST_P(stream, values_are_moved_copied_or_converted_as_they_are_given) {
  struct local {
    static async_stream<std::unique_ptr<int>> owners() {
      co_yield std::make_unique<int>(1);
      auto second = std::make_unique<int>(2);
      co_yield std::move(second);
    }
    static async_stream<std::string> words() {
      const std::string kept = "a word that does not fit into the string itself";
      co_yield kept;
      std::string own = kept;
      co_yield own;
      co_yield own + "!";
      co_yield "literal";
      if (own != kept) throw std::logic_error("it was moved");
    }
    static task<int> ask() {
      auto from = owners();
      int sum = 0;
      while (auto each = co_await from.next()) sum += **each;
      auto texts = words();
      std::string all;
      while (auto each = co_await texts.next()) all += each->substr(each->size() - 6) + ",";
      co_return all == "itself,itself,tself!,iteral," ? sum : 0;
    }
  };
  EXPECT_EQ(rt_.run(local::ask()), 3);
}

TEST_P(stream, references_arrive_as_pointers) {
  struct local {
    static async_stream<int&> each_of(std::vector<int>& all) {
      for (int& one : all) {
        co_await filch::yield();
        co_yield one;
      }
    }
    static async_stream<const std::string&> texts() {
      co_yield "made for this";
      const std::string kept = "kept";
      co_yield kept;
    }
    static task<std::size_t> ask(std::vector<int>& all) {
      auto from = each_of(all);
      while (int* const each = co_await from.next()) *each += 1;
      auto read = texts();
      std::size_t size = 0;
      while (const std::string* const each = co_await read.next()) size += each->size();
      co_return size;
    }
  };
  std::vector<int> all{1, 2, 3};
  EXPECT_EQ(rt_.run(local::ask(all)), 17u);
  EXPECT_EQ(all, (std::vector<int>{2, 3, 4}));
}

TEST_P(stream, an_exception_arrives_at_next_and_is_the_end) {
  struct local {
    static async_stream<int> breaks() {
      co_yield 1;
      co_await filch::yield();
      throw std::runtime_error("broken");
    }
    static task<std::string> ask() {
      auto from = breaks();
      std::string seen;
      for (int i = 0; i != 4; ++i) {
        try {
          const auto each = co_await from.next();
          seen += each ? "value " : "end ";
        } catch (const std::runtime_error& error) {
          seen += error.what() + std::string{" "};
        }
      }
      co_return seen;
    }
  };
  EXPECT_EQ(rt_.run(local::ask()), "value broken end end ");
}

// What lives in a frame, counted.
struct resident {
  explicit resident(std::atomic<int>& of) : alive{of} { ++alive; }
  resident(const resident&) = delete;
  resident& operator=(const resident&) = delete;
  ~resident() { --alive; }

  std::atomic<int>& alive;
};

async_stream<int> with_resident(std::atomic<int>& alive) {
  const resident here{alive};
  for (int i = 0;; ++i) {
    const resident each{alive};
    co_yield i;
    co_await filch::yield();
  }
}

TEST_P(stream, what_lies_in_the_frame_is_destroyed_with_an_unfinished_stream) {
  struct local {
    static task<int> some(std::atomic<int>& alive, int n) {
      auto from = with_resident(alive);
      for (int i = 0; i != n; ++i) (void)co_await from.next();
      co_return alive;
    }
  };
  std::atomic<int> alive{0};
  EXPECT_EQ(rt_.run(local::some(alive, 0)), 0);
  EXPECT_EQ(rt_.run(local::some(alive, 1)), 2);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(rt_.run(local::some(alive, 5)), 2);
  EXPECT_EQ(alive, 0);
}

// Property: a stream belongs to the task that awaits it, whichever that is.
TEST_P(stream, a_request_to_stop_reaches_the_stream_through_who_awaits_it) {
  struct local {
    static async_stream<bool> tokens() {
      while (true) {
        const std::stop_token mine = co_await filch::this_task::stop_token();
        co_yield mine.stop_possible();
      }
    }
    static task<bool> one(async_stream<bool>& from) {
      const auto got = co_await from.next();
      co_return *got;
    }
    static task<int> forever(std::atomic<int>& begun, std::atomic<int>& alive) {
      auto from = with_resident(alive);
      int sum = 0;
      while (const auto each = co_await from.next()) {
        sum += *each;
        begun = 1;
      }
      co_return sum;
    }
  };
  async_stream<bool> from = local::tokens();
  EXPECT_FALSE(rt_.run(local::one(from)));
  EXPECT_TRUE(spawn(rt_, local::one(from)).get());
  EXPECT_FALSE(rt_.run(local::one(from)));

  std::atomic<int> begun{0};
  std::atomic<int> alive{0};
  auto handle = spawn(rt_, local::forever(begun, alive));
  while (begun == 0) std::this_thread::yield();
  handle.cancel();
  EXPECT_THROW((void)handle.get(), filch::task_cancelled);
  EXPECT_EQ(alive, 0);
}

TEST_P(stream, a_loser_of_any_leaves_a_stream_that_has_ended) {
  struct local {
    static async_stream<int> one_then_never(std::atomic<bool>& has_gone_on) {
      co_yield 1;
      has_gone_on = true;
      while (true) co_await filch::yield();
    }
    static task<int> pull(async_stream<int>& from) {
      const auto got = co_await from.next();
      co_return got.value_or(-1);
    }
    // Not before the other one has begun: a loser that has not does not begin, and the stream resumes behind it.
    static task<int> quick(const std::atomic<bool>& may_win) {
      while (!may_win) co_await filch::yield();
      co_return 5;
    }
    static task<int> both() {
      std::atomic<bool> has_gone_on{false};
      auto from = one_then_never(has_gone_on);
      const int first = co_await pull(from);
      const auto won = co_await filch::any(pull(from), quick(has_gone_on));
      const int last = co_await pull(from);
      co_return first * 100 + won.value * 10 + last;
    }
  };
  EXPECT_EQ(rt_.run(local::both()), 149);
}

TEST_P(stream, streams_are_made_of_streams) {
  struct local {
    static async_stream<int> even(async_stream<int> from) {
      while (auto each = co_await from.next()) {
        if (*each % 2 == 0) co_yield std::move(*each);
      }
    }
    static async_stream<std::string> as_text(async_stream<int> from) {
      while (auto each = co_await from.next()) co_yield std::to_string(*each);
    }
  };
  EXPECT_EQ(rt_.run(collect(local::as_text(local::even(count(7))))), (std::vector<std::string>{"0", "2", "4", "6"}));
}

// A loop of values that never waits needs no stack, also where g++ makes calls of the transfers.
TEST_P(stream, many_values_need_no_stack) {
  struct local {
    static async_stream<long> numbers(long n) {
      for (long i = 0; i != n; ++i) co_yield i;
    }
    static task<long> sum(long n) {
      auto from = numbers(n);
      long all = 0;
      while (const auto each = co_await from.next()) all += *each;
      co_return all;
    }
  };
  constexpr long k_values = 1'000'000;
  EXPECT_EQ(rt_.run(local::sum(k_values)), k_values * (k_values - 1) / 2);
}

TEST_P(stream, wrong_uses_are_told_so) {
  struct local {
    static task<> moved_from() {
      auto from = count(3);
      const auto moved = std::move(from);
      (void)co_await from.next();
    }
    static async_stream<int> asks_itself(async_stream<int>*& self) {
      (void)co_await self->next();
      co_yield 1;
    }
    static task<> twice() {
      async_stream<int>* self = nullptr;
      auto from = asks_itself(self);
      self = &from;
      (void)co_await from.next();
    }
  };
  EXPECT_THROW(rt_.run(local::moved_from()), filch::usage_error);
  EXPECT_THROW(rt_.run(local::twice()), filch::usage_error);
}

}  // namespace
