// Copies of a process in which threads visit each other.
//
// Property: fork() comes back while visits are under way, also where another library has locked the heap in a handler
// of its own; the child can use what it runs on. Oracle: every child ends with 0; a hang is the watchdog's. Method:
// this program has an allocator with a lock that is held across fork(), with handlers that are registered behind
// filch's, and so run before them.
#include <runtime/core.hpp>
#include <share/visiting.hpp>
#include <share/visitor.hpp>
#include <support/stress.hpp>

#include <filch/filch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

pthread_mutex_t heap = PTHREAD_MUTEX_INITIALIZER;

class locked_heap {
 public:
  locked_heap() { ::pthread_mutex_lock(&heap); }
  locked_heap(const locked_heap&) = delete;
  locked_heap& operator=(const locked_heap&) = delete;
  ~locked_heap() { ::pthread_mutex_unlock(&heap); }
};

}  // namespace

// Not inlined: g++ would take the memory for one of malloc().
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  const locked_heap lock;
  return std::malloc(bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (void* const made = operator new(bytes, std::nothrow)) return made;
  throw std::bad_alloc{};
}
[[gnu::noinline]] void operator delete(void* unused) noexcept {
  const locked_heap lock;
  std::free(unused);
}
void operator delete(void* unused, std::size_t) noexcept { operator delete(unused); }

namespace {

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = filch::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

// The exit code of a child that makes a child, which ends at once, and joins where it is.
int code_of_child() {
  const pid_t child = ::fork();
  int status = 0;
  if (child == 0) {
    const pid_t below = ::fork();
    if (below == 0) ::_exit(0);
    const bool has_ended = below > 0 && ::waitpid(below, &status, 0) == below && status == 0;
    ::_exit(has_ended && fib(10) == 55 ? 0 : 1);
  }
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(copies_of_the_process, are_made_while_threads_visit_each_other) {
  filch::runtime rt{{.workers = 2}};
  ASSERT_TRUE(filch::prepare_visits());
  static const int registered =
      ::pthread_atfork([] { ::pthread_mutex_lock(&heap); }, [] { ::pthread_mutex_unlock(&heap); },
                       [] { ::pthread_mutex_unlock(&heap); });
  ASSERT_EQ(registered, 0);
  std::atomic<std::uint64_t> copies{0};
  // It allocates nothing: the heap may be locked.
  filch_test::watchdog dog{"copies of the process", copies, [] { return std::string{}; }};
  std::atomic<bool> is_over{false};
  auto work = rt.submit([&] {
    while (!is_over.load()) EXPECT_EQ(fib(14), 377);
  });
  std::thread visitor{[&] {
    filch::runtime::core& core = rt.inside();
    while (!is_over.load()) {
      for (filch::worker& each : core.workers) {
        if (filch::share_visitor{each.point}.visit()) core.wakes->notify(filch::worker_id::none(), nullptr);
      }
    }
  }};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{2};
  while (copies == 0 || std::chrono::steady_clock::now() < end) {
    // Outside, and in a task between forks of its own. ThreadSanitizer ends a child that starts threads, as the default
    // runtime does for the join outside.
#if !defined(FILCH_TSAN)
    EXPECT_EQ(code_of_child(), 0);
#endif
    EXPECT_EQ(rt.run([] {
      const auto [status, other] = filch::join([] { return code_of_child(); }, [] { return fib(12); });
      return status + static_cast<int>(other);
    }),
              144);
    ++copies;
    if (HasFailure()) break;
  }
  is_over = true;
  visitor.join();
  work.get();
}

}  // namespace
