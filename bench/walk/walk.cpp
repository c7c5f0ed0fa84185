// One operation with its functions recorded: `walk <name>`. Each is done a few times before, so that what is made once
// is there, and begins when the other threads sleep.
#include <filch/coro/all.hpp>
#include <filch/coro/task.hpp>
#include <filch/fork/join.hpp>
#include <filch/runtime/runtime.hpp>

#include "entries.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace {

constexpr int k_warm_up = 5;

void let_others_sleep() { std::this_thread::sleep_for(std::chrono::milliseconds{30}); }

void wait_for(const std::atomic<bool>& said) {
  while (!said.load(std::memory_order_acquire)) {}
}

// Long enough that a thread that waits for the caller's work gives its own up meanwhile.
void compute() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{2};
  while (std::chrono::steady_clock::now() < end) {}
}

struct marks {
  explicit marks(bool counts) : counts_{counts} {
    let_others_sleep();
    if (counts_) walk::begin();
  }
  marks(const marks&) = delete;
  marks& operator=(const marks&) = delete;
  ~marks() {
    if (counts_) walk::end();
  }

 private:
  bool counts_;
};

template <class F>
void repeat(F operation) {
  for (int i = 0; i <= k_warm_up; ++i) operation(i == k_warm_up);
}

void join_unstolen() {
  filch::runtime rt{{.workers = 1}};
  rt.run([] {
    repeat([](bool counts) {
      const marks here{counts};
      filch::join([] {}, [] {});
    });
  });
}

// The first function blocks its thread until a thief runs the second one.
void join_stolen(bool owner_waits) {
  filch::runtime rt{{.workers = 2}};
  rt.run([&] {
    repeat([&](bool counts) {
      std::atomic<bool> begun{false};
      const marks here{counts};
      filch::join([&] { wait_for(begun); },
                  [&] {
                    begun.store(true, std::memory_order_release);
                    if (owner_waits) compute();
                  });
    });
  });
}

void submit_to_sleeping() {
  filch::runtime rt{{.workers = 2}};
  repeat([&](bool counts) {
    const marks here{counts};
    rt.submit([] {}).get();
  });
}

filch::task<> nothing() { co_return; }
filch::task<> wait_in_task(const std::atomic<bool>& said) {
  wait_for(said);
  co_return;
}
filch::task<> say(std::atomic<bool>& said, bool computes) {
  said.store(true, std::memory_order_release);
  if (computes) compute();
  co_return;
}

void all_unstolen() {
  filch::runtime rt{{.workers = 1}};
  repeat([&](bool counts) {
    rt.run([](bool is_last) -> filch::task<> {
      const marks here{is_last};
      co_await filch::all(nothing(), nothing());
    }(counts));
  });
}

void all_stolen(bool parent_waits) {
  filch::runtime rt{{.workers = 2}};
  repeat([&](bool counts) {
    rt.run([](bool is_last, bool computes) -> filch::task<> {
      std::atomic<bool> begun{false};
      const marks here{is_last};
      co_await filch::all(wait_in_task(begun), say(begun, computes));
    }(counts, parent_waits));
  });
}

struct named_walk {
  const char* name;
  void (*run)();
};
constexpr named_walk k_walks[] = {
    {"join_unstolen", join_unstolen},
    {"join_stolen", [] { join_stolen(false); }},
    {"join_stolen_owner_waits", [] { join_stolen(true); }},
    {"submit_to_sleeping", submit_to_sleeping},
    {"all_unstolen", all_unstolen},
    {"all_stolen", [] { all_stolen(false); }},
    {"all_stolen_parent_waits", [] { all_stolen(true); }},
};

}  // namespace

int main(int count, char** arguments) {
  if (count == 1) {
    for (const named_walk& each : k_walks) std::puts(each.name);
    return 0;
  }
  for (const named_walk& each : k_walks) {
    if (std::strcmp(arguments[1], each.name) != 0) continue;
    each.run();
    walk::print(stdout);
    return 0;
  }
  std::fprintf(stderr, "no walk is called %s\n", arguments[1]);
  return 2;
}
