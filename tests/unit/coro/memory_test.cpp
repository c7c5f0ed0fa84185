// Memory of coroutines: none is asked from the heap in the steady state, and when there is none left nothing is lost.
//
// In a program of its own, because operator new is replaced here. The sanitizers' runtime of clang has one of its own,
// which cannot be replaced: there these tests are left out.
#include <filch/coro/all.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/stream.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/coro/task_group.hpp>
#include <filch/coro/waiter.hpp>
#include <filch/share/local_work.hpp>
#include <filch/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#if defined(__clang__) && defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define FILCH_TEST_KEEPS_NEW 1
#endif
#endif

#ifndef FILCH_TEST_KEEPS_NEW
namespace {

std::atomic<std::uint64_t> allocations{0};
std::atomic<std::uint64_t> asked_bytes{0};  // by all allocations
// Of the calling thread: nobody else runs out of memory.
thread_local bool memory_is_out = false;

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (memory_is_out) return nullptr;
  allocations.fetch_add(1, std::memory_order_relaxed);
  asked_bytes.fetch_add(bytes, std::memory_order_relaxed);
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, rounded != 0 ? rounded : alignment);
}
void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* const memory = allocate(bytes, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// Not inlined: a compiler that sees `free` inside takes it for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// The result of tasks whose promise tells how large their frames are.
struct measured {};

template <>
class filch::coro::task_promise<measured> final : public promise_base, public outcome<measured> {
 public:
  static void* operator new(std::size_t bytes) {
    frame_bytes = bytes;
    return promise_base::operator new(bytes);
  }
  static void operator delete(void* memory, std::size_t bytes) noexcept {
    promise_base::operator delete(memory, bytes);
  }

  [[nodiscard]] task<measured> get_return_object() noexcept {
    const auto frame = std::coroutine_handle<task_promise>::from_promise(*this);
    self = frame;
    return task<measured>{frame};
  }
  void unhandled_exception() noexcept {
    has_failed = true;
    outcome<measured>::unhandled_exception();
  }

  static inline std::size_t frame_bytes = 0;  // of the last that was made
};

namespace {

using filch::all;
using filch::task;

task<long> fib(int n) {
  if (n < 2) co_return n;
  auto [a, b] = co_await all(fib(n - 1), fib(n - 2));
  co_return a + b;
}
// Not inlined: clang leaves the allocation out of a coroutine whose whole life it sees.
[[gnu::noinline]] task<int> one() { co_return 1; }

task<std::uint64_t> allocations_of_a_tree() {
  EXPECT_EQ(co_await fib(16), 987);  // fills the lists
  const std::uint64_t before = allocations.load();
  EXPECT_EQ(co_await fib(16), 987);
  co_return allocations.load() - before;
}

TEST(coroutine_memory, a_tree_of_tasks_on_one_worker_allocates_nothing_the_second_time) {
  filch::runtime rt{{.workers = 1}};
  EXPECT_EQ(rt.run(allocations_of_a_tree()), 0u);
}

// Property: frames that one worker makes and others free come back. 2583 forks with three blocks each; a run whose work
// is shared differently from the one before may need some more.
TEST(coroutine_memory, frames_that_other_workers_free_are_used_again) {
  filch::runtime rt{{.workers = 4}};
  for (int i = 0; i != 20; ++i) EXPECT_EQ(rt.run(fib(17)), 1597);
  const std::uint64_t before = allocations.load();
  for (int i = 0; i != 20; ++i) EXPECT_EQ(rt.run(fib(17)), 1597);
  EXPECT_LT(allocations.load() - before, 20u * 2583 / 4);
}

TEST(coroutine_memory, yields_and_spawns_allocate_nothing_the_second_time) {
  filch::runtime rt{{.workers = 1, .track_tasks = false}};  // the list of tasks, on in debug builds, needs memory
  struct local {
    static task<int> some() {
      int sum = 0;
      for (int i = 0; i != 100; ++i) {
        co_await filch::yield();
        sum += co_await filch::spawn(one());
      }
      co_return sum;
    }
    static task<std::uint64_t> counted() {
      EXPECT_EQ(co_await some(), 100);
      const std::uint64_t before = allocations.load();
      EXPECT_EQ(co_await some(), 100);
      co_return allocations.load() - before;
    }
  };
  EXPECT_EQ(rt.run(local::counted()), 0u);
}

// Of a stream the frame is the only memory, and it comes from the lists.
TEST(coroutine_memory, the_values_of_a_stream_need_none) {
  struct local {
    [[gnu::noinline]] static filch::async_stream<int> numbers(int n) {
      for (int i = 0; i != n; ++i) {
        if (i % 10 == 0) co_await filch::yield();
        co_yield i;
      }
    }
    static task<std::uint64_t> counted(int n) {
      const std::uint64_t before = allocations.load();
      auto from = numbers(n);
      int sum = 0;
      while (const auto each = co_await from.next()) sum += *each;
      EXPECT_EQ(sum, n * (n - 1) / 2);
      co_return allocations.load() - before;
    }
  };
  filch::runtime rt{{.workers = 1, .track_tasks = false}};
  (void)rt.run(local::counted(1));  // fills the lists
  EXPECT_EQ(rt.run(local::counted(1000)), 0u);
}

TEST(coroutine_memory, the_members_of_a_group_need_their_frames_only) {
  struct local {
    static task<> member(int& count) {
      co_await filch::yield();
      ++count;
    }
    static task<std::uint64_t> counted(int n) {
      const std::uint64_t before = allocations.load();
      int count = 0;
      co_await filch::async_scope([&count, n](filch::task_group& group) -> task<> {
        for (int i = 0; i != n; ++i) {
          group.spawn(member(count));
          co_await filch::yield();
        }
      });
      EXPECT_EQ(count, n);
      co_return allocations.load() - before;
    }
  };
  filch::runtime rt{{.workers = 1, .track_tasks = false}};
  (void)rt.run(local::counted(1000));  // fills the lists
  EXPECT_EQ(rt.run(local::counted(1000)), 0u);
}

TEST(coroutine_memory, frames_larger_than_the_lists_hold_come_from_the_heap) {
  struct local {
    static task<int> large() {
      char room[5000] = {};
      room[co_await one()] = 7;
      co_return room[1];
    }
  };
  filch::runtime rt{{.workers = 2}};
  for (int i = 0; i != 10; ++i) EXPECT_EQ(rt.run(local::large()), 7);
}

// Many more frames alive at once than lists and depot hold.
TEST(coroutine_memory, what_the_lists_do_not_hold_goes_back_to_the_heap) {
  struct local {
    static task<std::size_t> wide(std::size_t n) {
      std::vector<task<int>> tasks;
      for (std::size_t i = 0; i != n; ++i) tasks.push_back(one());
      const std::vector<int> got = co_await all(std::move(tasks));
      co_return got.size();
    }
  };
  filch::runtime rt{{.workers = 2}};
  for (int i = 0; i != 3; ++i) EXPECT_EQ(rt.run(local::wide(5000)), 5000u);
}

// Memory runs out when the children are put into the queue: they run one after the other.
TEST(coroutine_memory, without_memory_for_the_queue_the_children_run_all_the_same) {
  struct local {
    static task<int> wide(std::size_t n) {
      std::vector<task<int>> tasks;
      for (std::size_t i = 0; i != n; ++i) tasks.push_back(one());
      tasks.push_back(memory_returns());
      auto children = all(std::move(tasks));
      memory_is_out = true;
      int sum = 0;
      const std::vector<int> got = co_await children;
      for (const int each : got) sum += each;
      co_return sum;
    }
    static task<int> memory_returns() {
      memory_is_out = false;
      co_return 1;
    }
  };
  filch::runtime rt{{.workers = 1}};
  EXPECT_EQ(rt.run(local::wide(5000)), 5001);
}

TEST(coroutine_memory, a_coroutine_without_memory_for_its_frame_throws) {
  filch::runtime rt{{.workers = 1}};
  const bool was_thrown = rt.run([] {
    std::vector<task<int>> made;  // until what the lists and the depot hold is used up
    made.reserve(10'000);
    memory_is_out = true;
    bool is_out = false;
    try {
      while (made.size() != made.capacity()) made.push_back(one());
    } catch (const std::bad_alloc&) {
      is_out = true;
    }
    memory_is_out = false;
    return is_out;
  });
  EXPECT_TRUE(was_thrown);
}

// What several coroutines of one worker wait for.
class crowd {
 public:
  struct awaiter {
    crowd& in;
    filch::coro::waiter self{};
    awaiter* next = nullptr;

    explicit awaiter(crowd& all_of_them) : in{all_of_them} {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> who) noexcept {
      self.arm(who);
      next = in.first_;
      in.first_ = this;
    }
    void await_resume() const noexcept {}
  };

  awaiter operator co_await() noexcept { return awaiter{*this}; }
  void wake_all() {
    awaiter* each = std::exchange(first_, nullptr);
    while (each != nullptr) std::exchange(each, each->next)->self.wake();
  }

 private:
  awaiter* first_ = nullptr;
};

// The claim: a spawned task that waits needs its frame, as the compiler asks for it, and 64 bytes, its rounding
// included. Oracle: the bytes asked from the heap while many tasks come to wait.
TEST(coroutine_memory, a_spawned_task_that_waits_needs_its_frame_and_64_bytes) {
  constexpr std::uint64_t k_tasks = 2000;
  struct local {
    [[gnu::noinline]] static task<measured> wait_in(crowd& others) {
      co_await others;
      co_return measured{};
    }
    // Of one that waits; a part of a byte counts as one.
    static task<std::uint64_t> bytes_each(crowd& others) {
      std::uint64_t before = 0;
      for (std::uint64_t i = 0; i != 2 * k_tasks; ++i) {
        if (i == k_tasks) before = asked_bytes;
        filch::spawn(wait_in(others)).detach();
        co_await filch::yield();
      }
      const std::uint64_t all_bytes = asked_bytes - before;
      others.wake_all();
      co_return (all_bytes + k_tasks - 1) / k_tasks;
    }
  };
  filch::runtime rt{{.workers = 1, .track_tasks = false}};
  crowd others;
  const std::uint64_t each = rt.run(local::bytes_each(others));
  const std::uint64_t frame = filch::coro::task_promise<measured>::frame_bytes;
  std::printf("frame %llu bytes, all that a waiting task needs %llu\n", static_cast<unsigned long long>(frame),
              static_cast<unsigned long long>(each));
  EXPECT_GE(each, frame);
  EXPECT_LE(each, frame + 64);
}

}  // namespace
#endif
