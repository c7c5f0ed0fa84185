// How much memory a spawned task needs that waits: spawns so many (1000000, or the first argument), and prints the
// growth of the resident set per task while all of them wait, and how much of that is the frame that the compiler asked
// for. The rest is what filch keeps beside it, and what free lists and heap round up to.
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
#include <cstddef>
#include <cstdlib>
#include <thread>

// The result of the tasks here: a promise of its own tells how large the frames are.
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

  static inline std::atomic<std::size_t> frame_bytes{0};  // of the last that was made
};

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
      while (!in.first_.compare_exchange_weak(next, this)) {}
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

filch::task<measured> wait_in(crowd& all) {
  co_await all;
  co_return measured{};
}

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
  const double each = static_cast<double>(resident_bytes() - before) / static_cast<double>(tasks);
  const auto frame = static_cast<double>(filch::coro::task_promise<measured>::frame_bytes);
  std::printf("%ld tasks wait: %.0f bytes each, after %.2f s\n", tasks, each, spawned);
  std::printf("of these the frame is %.0f bytes, the rest %.0f\n", frame, each - frame);
  all.wake_all();
  rt.wait_idle();
  std::printf("all have ended after %.2f s\n", seconds_since(start));
}
