// When memory runs out: a submission throws and nothing is lost.
//
// In a program of its own, because operator new is replaced here. The sanitizers' runtime of clang has one of its own,
// which cannot be replaced: there these tests are left out.
#include "helpers.hpp"

#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#if defined(__clang__) && defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define FILCH_TEST_KEEPS_NEW 1
#endif
#endif

#ifndef FILCH_TEST_KEEPS_NEW
namespace {

// Of the calling thread: no other thread runs out of memory.
thread_local bool memory_is_out = false;

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (memory_is_out) throw std::bad_alloc();
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded != 0 ? rounded : alignment); memory != nullptr)
    return memory;
  throw std::bad_alloc();
}

struct out_of_memory {
  out_of_memory() { memory_is_out = true; }
  out_of_memory(const out_of_memory&) = delete;
  out_of_memory& operator=(const out_of_memory&) = delete;
  ~out_of_memory() { memory_is_out = false; }
};

}  // namespace

// Not inlined: a compiler that sees `free` inside takes it for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return memory_is_out ? nullptr : std::malloc(bytes != 0 ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using namespace filch_runtime_test;
using filch::options;

// Whether `body` ran out of memory.
template <class Body>
bool runs_out(Body&& body) {
  const out_of_memory now;
  try {
    body();
  } catch (const std::bad_alloc&) {
    return true;
  }
  return false;
}

TEST(without_memory, a_submission_throws_and_the_runtime_stays_usable) {
  filch::runtime rt{options{.workers = 2}};
  EXPECT_TRUE(runs_out([&] { (void)rt.submit([] { return 1; }); }));
  EXPECT_TRUE(runs_out([&] { rt.spawn([] {}); }));
  rt.run([&] { EXPECT_TRUE(runs_out([&] { (void)rt.submit([] { return 1; }); })); });
  EXPECT_EQ(rt.run([] { return 2; }), 2);
  EXPECT_EQ(books_of(rt).unfinished(), 0u);
}

// A callable that takes memory from a pool of its own: then only the deque's growth fails. It is `new` of the whole
// task that would fail first otherwise, so tasks are made beforehand, on another thread, and arrive as pinned tasks.
TEST(without_memory, a_deque_that_cannot_grow_refuses_the_task_and_loses_none) {
  for (const auto deques : {filch::deques::lock_free, filch::deques::locked}) {
    filch::runtime rt{options{.workers = 1, .deques = deques}};
    std::atomic<std::uint64_t> executed{0};
    std::uint64_t accepted = 0;
    bool is_refused = false;
    rt.run([&] {
      // Memory runs out between the making of a task and its push, as its callable's move switches it off.
      struct switches_memory_off {
        std::atomic<std::uint64_t>* executed;
        explicit switches_memory_off(std::atomic<std::uint64_t>* to) : executed{to} {}
        switches_memory_off(switches_memory_off&& other) noexcept : executed{other.executed} { memory_is_out = true; }
        void operator()() const { executed->fetch_add(1, std::memory_order_relaxed); }  // statistic
      };
      while (!is_refused && accepted != 1'000'000) {
        try {
          (void)rt.submit(switches_memory_off{&executed});
          ++accepted;
        } catch (const std::bad_alloc&) {
          is_refused = true;
        }
        memory_is_out = false;
      }
    });
    EXPECT_TRUE(is_refused);
    const auto books = books_of(rt);
    EXPECT_EQ(executed, accepted);
    EXPECT_EQ(books.total()[trace_count::spawned], accepted);
    EXPECT_EQ(books.unfinished(), 0u);
    EXPECT_EQ(books.total()[trace_count::cancelled], 0u);
  }
}

TEST(without_memory, a_task_that_blocks_keeps_its_worker_when_no_thread_can_be_made) {
  filch::runtime rt{options{.workers = 1}};
  rt.run([&] { EXPECT_FALSE(runs_out([&] { filch::blocking([&] { EXPECT_TRUE(rt.is_on_worker()); }); })); });
  rt.run([&] { filch::blocking([&] { EXPECT_FALSE(rt.is_on_worker()); }); });
  // Now there is a spare thread, and giving the worker to it and back needs no memory.
  rt.run([&] { EXPECT_FALSE(runs_out([&] { filch::blocking([&] { EXPECT_FALSE(rt.is_on_worker()); }); })); });
  EXPECT_EQ(books_of(rt).unfinished(), 0u);
}

// It is only not listed in the wait graph.
TEST(without_memory, a_wait_waits_all_the_same) {
  filch::runtime rt{options{.workers = 2}};
  gate hold;
  gate started;
  gate waits;
  auto running = rt.submit([&] {
    started.open();
    hold.wait();
    return 3;
  });
  started.wait();
  auto waiting = rt.submit([&] {
    waits.open();
    EXPECT_FALSE(runs_out([&] { running.wait(); }));
    EXPECT_TRUE(running.valid());
  });
  waits.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds{20});  // so that it waits
  hold.open();
  waiting.get();
  EXPECT_EQ(running.get(), 3);
}

TEST(without_memory, a_runtime_that_cannot_be_made_throws) {
  EXPECT_TRUE(runs_out([] { filch::runtime rt{options{.workers = 2}}; }));
}

}  // namespace
#endif
