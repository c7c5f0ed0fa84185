// filch_timer: what timers cost.
//
//   filch_timer structure        the wheel against a heap, on one thread
//   filch_timer churn            starting and cancelling timers on all workers; limits on tasks that end in time
//   filch_timer sleepers [n]     n tasks that sleep at once: time and memory for each
//   filch_timer precision        how late a sleeper is
//
// The first two print the CPU time of the whole process for one operation, the best of several repetitions: so they say
// something on a shared machine, too. The others print wall-clock time.
#include "timer_heap.hpp"

#include "time/timer_wheel.hpp"

#include <filch/filch.hpp>
#include <filch/time/timer.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace std::chrono_literals;
using filch::monotonic_now_ns;
using filch::time_ns;

constexpr int k_repetitions = 7;

time_ns cpu_ns() {
  std::timespec now{};
  (void)::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * filch::k_ns_per_s + now.tv_nsec;
}

double best_ns(std::uint64_t operations, const std::function<void()>& body) {
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i != k_repetitions; ++i) {
    const time_ns began_ns = cpu_ns();
    body();
    best = std::min(best, static_cast<double>(cpu_ns() - began_ns) / static_cast<double>(operations));
  }
  return best;
}

// ---- structure ------------------------------------------------------------------------------------------------------

struct wheel_node {
  time_ns at_ns = 0;
  wheel_node* next = nullptr;
  wheel_node** link = nullptr;
};

template <class Queue>
void measure_structure(const char* name, std::size_t pending) {
  using node = typename Queue::node;
  constexpr int k_operations = 1'000'000;
  filch::random_stream random{1};
  Queue queue;
  auto nodes = std::make_unique<node[]>(pending + 1);
  time_ns now_ns = 1'000'000'000;
  const auto in_a_minute = [&] { return now_ns + static_cast<time_ns>(random.below(60'000'000'000)); };
  for (std::size_t i = 0; i != pending; ++i) {
    nodes[i].at_ns = in_a_minute();
    queue.insert(nodes[i]);
  }
  node& extra = nodes[pending];
  const double at_once = best_ns(k_operations, [&] {
    for (int i = 0; i != k_operations; ++i) {
      extra.at_ns = in_a_minute();
      queue.insert(extra);
      queue.remove(extra);
    }
  });
  const double any = best_ns(k_operations, [&] {
    for (int i = 0; i != k_operations; ++i) {
      node& one = nodes[random.below(pending)];
      queue.remove(one);
      one.at_ns = in_a_minute();
      queue.insert(one);
    }
  });
  // Limits of the same length, of which the oldest ends: the usual use of a server.
  for (std::size_t i = 0; i != pending; ++i) {
    queue.remove(nodes[i]);
    nodes[i].at_ns = now_ns + 30'000'000'000 + static_cast<time_ns>(i);
    queue.insert(nodes[i]);
  }
  std::size_t oldest = 0;
  time_ns last_ns = now_ns + 30'000'000'000 + static_cast<time_ns>(pending);
  const double in_turn = best_ns(k_operations, [&] {
    for (int i = 0; i != k_operations; ++i) {
      node& one = nodes[oldest];
      oldest = oldest + 1 == pending ? 0 : oldest + 1;
      queue.remove(one);
      one.at_ns = last_ns += 100;
      queue.insert(one);
    }
  });
  // All come due, in steps of the clock of 50 µs, and are set again.
  const time_ns span_ns = 1'000'000'000;
  for (std::size_t i = 0; i != pending; ++i) {
    queue.remove(nodes[i]);
    nodes[i].at_ns = now_ns + static_cast<time_ns>(random.below(span_ns));
    queue.insert(nodes[i]);
  }
  const double due = best_ns(pending, [&] {
    for (const time_ns end_ns = now_ns + span_ns; now_ns < end_ns;) {
      now_ns += 50'000;
      for (node* each = queue.take_due(now_ns, SIZE_MAX); each != nullptr;) {
        node& one = *std::exchange(each, each->next);
        one.at_ns = now_ns + span_ns;
        queue.insert(one);
      }
    }
  });
  std::printf(
      "%-6s %9zu pending: set+cancel %6.1f ns, any cancelled %6.1f ns, oldest cancelled %6.1f ns, due %6.1f ns\n", name,
      pending, at_once, any, in_turn, due);
}

void structure() {
  for (const std::size_t pending : {std::size_t{1000}, std::size_t{1'000'000}}) {
    measure_structure<filch::time::timer_wheel<wheel_node>>("wheel", pending);
    measure_structure<filch_bench::timer_heap>("heap", pending);
  }
}

// ---- churn ----------------------------------------------------------------------------------------------------------

filch::task<int> ready() { co_return 1; }

filch::task<int> limits(int count) {
  int sum = 0;
  for (int i = 0; i != count; ++i) sum += co_await filch::timeout(ready(), 30s);
  co_return sum;
}

void churn() {
  constexpr int k_operations = 1'000'000;
  for (const std::uint32_t workers : {1u, 2u}) {
    filch::runtime rt{{.workers = workers}};
    const auto on_all = [&](const std::function<void()>& body) {
      std::vector<filch::future<void>> all;
      for (std::uint32_t i = 0; i != workers; ++i) all.push_back(rt.submit_to(filch::worker_id{i}, body));
      for (auto& each : all) each.get();
    };
    const double timers = best_ns(std::uint64_t{workers} * k_operations, [&] {
      on_all([] {
        const time_ns at_ns = monotonic_now_ns() + 30 * filch::k_ns_per_s;
        for (int i = 0; i != k_operations; ++i) {
          filch::time::timer one{[](void*) noexcept {}, nullptr};
          one.start(at_ns + i);
          (void)one.cancel();
        }
      });
    });
    constexpr int k_limits = 200'000;
    const double limited =
        best_ns(std::uint64_t{workers} * k_limits, [&] { on_all([] { (void)filch::wait(limits(k_limits)); }); });
    std::printf("%u workers: a timer set and cancelled %6.1f ns, a limit on a task that is ready %6.1f ns\n", workers,
                timers, limited);
  }
}

// ---- sleepers -------------------------------------------------------------------------------------------------------

std::size_t resident_bytes() {
  std::ifstream file{"/proc/self/statm"};
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * 4096;
}

filch::task<> sleeps(filch::time_ns until_ns) { co_await filch::time::sleep{until_ns}; }

void sleepers(int count) {
  filch::runtime rt;
  const std::size_t before = resident_bytes();
  const time_ns began_ns = monotonic_now_ns();
  const time_ns until_ns = began_ns + (5 * filch::k_ns_per_s) + time_ns{count} * 5000;
  rt.run([&] {
    for (int i = 0; i != count; ++i) filch::spawn(sleeps(until_ns + i % 1000 * 1000)).detach();
  });
  const std::string wanted = "timers: " + std::to_string(count) + " pending";
  while (rt.dump().find(wanted) == std::string::npos && monotonic_now_ns() < until_ns)
    filch::wait(filch::sleep_for(1ms));
  const time_ns asleep_ns = monotonic_now_ns();
  const std::size_t during = resident_bytes();
  filch::wait(filch::time::sleep{until_ns});
  const time_ns due_ns = monotonic_now_ns();
  rt.wait_idle();
  const time_ns ended_ns = monotonic_now_ns();
  std::printf("%d tasks: %.0f bytes each; spawned and asleep after %.0f ns each; woken and ended %.0f ns each\n", count,
              static_cast<double>(during - before) / count, static_cast<double>(asleep_ns - began_ns) / count,
              static_cast<double>(ended_ns - due_ns) / count);
}

// ---- precision ------------------------------------------------------------------------------------------------------

filch::task<std::vector<time_ns>> lateness(int count, std::chrono::microseconds span) {
  std::vector<time_ns> late;
  for (int i = 0; i != count; ++i) {
    const filch::time::sleep one = filch::sleep_for(span);
    co_await one;
    late.push_back(monotonic_now_ns() - one.until_ns());
  }
  co_return late;
}

void precision() {
  filch::runtime rt{{.workers = 2}};
  for (const auto span : {100us, 1000us, 10000us}) {
    std::vector<time_ns> late = rt.run(lateness(300, span));
    std::ranges::sort(late);
    std::printf("sleep_for(%lld us): late by %.1f us at best, %.1f us in the middle, %.1f us at the 99th of 100\n",
                static_cast<long long>(span.count()), static_cast<double>(late.front()) / 1000,
                static_cast<double>(late[late.size() / 2]) / 1000,
                static_cast<double>(late[late.size() * 99 / 100]) / 1000);
  }
}

}  // namespace

int main(int count, char** given) {
  const std::string_view what = count > 1 ? given[1] : "";
  if (what == "structure") {
    structure();
  } else if (what == "churn") {
    churn();
  } else if (what == "sleepers") {
    sleepers(count > 2 ? std::atoi(given[2]) : 1'000'000);
  } else if (what == "precision") {
    precision();
  } else {
    std::fprintf(stderr, "filch_timer: \"%s\" is not known; allowed is structure, churn, sleepers [n] or precision\n",
                 count > 1 ? given[1] : "");
    return 2;
  }
  return 0;
}
