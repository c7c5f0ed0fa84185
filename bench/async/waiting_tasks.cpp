// How much memory a spawned task needs that waits: spawns so many (1000000, or the first argument), and prints the growth of
// the resident set per task while all of them wait.
//
//   ./filch_waiting_tasks [tasks]
#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/coro/waiter.hpp>
#include <filch/runtime/runtime.hpp>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

// What all of them wait for: a list of waiters.
class crowd {
 public:
  struct awaiter {
    crowd& in;
    filch::coro::waiter self{"a crowd"};
    awaiter* next = nullptr;

    explicit awaiter(crowd& all) : in{all} {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> who) noexcept {
      self.arm(who);
      next = in.first_.load();
      while (!in.first_.compare_exchange_weak(next, this)) {
      }
      ++in.waiting;
    }
    void await_resume() const noexcept {}
  };

  awaiter operator co_await() noexcept { return awaiter{*this}; }
  void wake_all() {
    awaiter* each = first_.exchange(nullptr);
    while (each != nullptr) {
      awaiter* const next = each->next;
      each->self.wake();
      each = next;
    }
  }

  std::atomic<long> waiting{0};

 private:
  std::atomic<awaiter*> first_{nullptr};
};

filch::task<> wait_in(crowd& all) { co_await all; }

// Lets them start every now and then: what lies in a queue needs more than what waits.
filch::task<> spawn_all(crowd& all, long tasks) {
  for (long i = 0; i != tasks; ++i) {
    filch::spawn(wait_in(all)).detach();
    if (i % 64 == 0) co_await filch::yield();
  }
}

long resident_bytes() {
  long total = 0;
  long resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
  if (file != nullptr) std::fclose(file);
  return resident * ::sysconf(_SC_PAGESIZE);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int count, char** arguments) {
  const long tasks = count > 1 ? std::strtol(arguments[1], nullptr, 10) : 1'000'000;
  if (tasks < 1) {
    std::fprintf(stderr, "tasks = \"%s\": allowed is a whole number from 1\n", arguments[1]);
    return 2;
  }
  filch::runtime rt{{.track_tasks = false}};
  crowd all;
  const long before = resident_bytes();
  const auto start = std::chrono::steady_clock::now();
  rt.run(spawn_all(all, tasks));
  while (all.waiting != tasks) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  const double spawned = seconds_since(start);
  std::printf("%ld tasks wait: %.0f bytes each, after %.2f s\n", tasks,
              static_cast<double>(resident_bytes() - before) / static_cast<double>(tasks), spawned);
  all.wake_all();
  rt.wait_idle();
  std::printf("all have ended after %.2f s\n", seconds_since(start));
}
