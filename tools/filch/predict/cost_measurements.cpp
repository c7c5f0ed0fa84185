#include "cost_measurements.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filch/base/atomics.hpp>
#include <filch/fork/join.hpp>
#include <filch/queue/deque.hpp>
#include <filch/queue/injector.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/topology/usable_cpus.hpp>
#include <memory>
#include <thread>
#include <vector>

namespace filch::tool {
namespace {

time_ns clock_ns(clockid_t which) {
  timespec now{};
  ::clock_gettime(which, &now);
  return static_cast<time_ns>(now.tv_sec) * k_ns_per_s + static_cast<time_ns>(now.tv_nsec);
}
time_ns thread_cpu_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

double per(time_ns span_ns, std::size_t count) { return static_cast<double>(span_ns) / static_cast<double>(count); }

double median_of(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What the optimizer cannot see through.
template <class T>
void keep(T& value) {
  asm volatile("" : "+m"(value) : : "memory");
}

void relax() { std_atomics::pause(); }

// The i-th CPU that this process may use.
void bind_thread(std::size_t i) {
  const auto cpus = topology::usable_cpus().cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpus[i % cpus.size()], &set);
  (void)::pthread_setaffinity_np(::pthread_self(), sizeof(set), &set);  // best effort: the figures only become coarser
}

}  // namespace

// The first task that is made runs last.
spawn_costs measure_spawn() {
  constexpr std::size_t k_tasks = 2000;
  runtime rt{{.workers = 1}};
  spawn_costs out;
  for (const bool is_warm_up : {true, false}) {
    time_ns began_ns = 0;
    time_ns made_ns = 0;
    time_ns ended_ns = 0;
    rt.spawn([&] {
      began_ns = thread_cpu_ns();
      rt.spawn([&] { ended_ns = thread_cpu_ns(); });
      for (std::size_t i = 0; i != k_tasks; ++i) rt.spawn([] {});
      made_ns = thread_cpu_ns();
    });
    rt.wait_idle();
    if (!is_warm_up) out = {per(made_ns - began_ns, k_tasks), per(ended_ns - made_ns, k_tasks)};
  }
  return out;
}

queue_costs measure_queues() {
  constexpr std::size_t k_items = 20'000;
  queue::deque<std::uintptr_t> deque{1u << 15};
  auto owner = deque.owner();
  auto thief = deque.thief();
  std::uintptr_t item = 0;
  const time_ns at_push_ns = thread_cpu_ns();
  for (std::size_t i = 0; i != k_items; ++i) owner.push(i);
  const time_ns pushed_ns = thread_cpu_ns();
  while (auto taken = owner.pop()) item += *taken;
  keep(item);
  const time_ns at_look_ns = thread_cpu_ns();
  for (std::size_t i = 0; i != k_items; ++i) {
    auto found = thief.steal();
    keep(found);
  }
  const time_ns looked_ns = thread_cpu_ns();
  queue::injector<> injector;
  const auto nodes = std::make_unique<queue::link[]>(k_items);
  for (std::size_t i = 0; i != k_items; ++i) injector.push(&nodes[i]);
  const time_ns at_pop_ns = thread_cpu_ns();
  for (std::size_t i = 0; i != k_items; ++i) {
    auto found = injector.pop();
    keep(found);
  }
  const time_ns popped_ns = thread_cpu_ns();
  return {per(pushed_ns - at_push_ns, k_items), per(looked_ns - at_look_ns, k_items),
          per(popped_ns - at_pop_ns, k_items)};
}

double measure_fork_ns() {
  constexpr std::size_t k_forks = 100'000;
  runtime rt{{.workers = 1}};
  return rt.run([] {
    time_ns spent_ns = 0;
    std::uint64_t sum = 0;
    for (int round = 0; round != 2; ++round) {
      const time_ns began_ns = thread_cpu_ns();
      for (std::size_t i = 0; i != k_forks; ++i) {
        join([&] { keep(sum); }, [&] { keep(sum); });
      }
      spent_ns = thread_cpu_ns() - began_ns;
    }
    return per(spent_ns, k_forks);
  });
}

// ---- between two threads --------------------------------------------------------------------------------------------

double measure_steal_ns() {
  constexpr std::size_t k_tasks = 2000;
  runtime rt{{.workers = 2, .idle = policy::idle::latency}};
  std::vector<time_ns> began_ns(k_tasks);
  std::atomic<std::size_t> done{0};
  rt.run([&] {
    for (std::size_t i = 0; i != k_tasks; ++i) {
      rt.spawn([&began_ns, &done, i] {
        began_ns[i] = monotonic_now_ns();
        done.fetch_add(
            1, std::memory_order_release);  // [CM1] release: publishes the time above → [CM2] in the loop below.
      });
    }
    while (done.load(std::memory_order_acquire) != k_tasks)
      relax();  // [CM2] acquire: sees the times of all tasks ← [CM1].
  });
  std::ranges::sort(began_ns);
  std::vector<double> steps;
  for (std::size_t i = 1; i != k_tasks; ++i) steps.push_back(static_cast<double>(began_ns[i] - began_ns[i - 1]));
  return median_of(steps);
}

stolen_fork_costs measure_stolen_fork() {
  constexpr int k_forks = 300;
  constexpr time_ns k_function_ns = 3000;
  constexpr time_ns k_patience_ns = 2'000'000;
  runtime rt{{.workers = 2, .idle = policy::idle::latency}};
  std::vector<double> starts;
  std::vector<double> resumes;
  rt.run([&] {
    for (int i = 0; i != k_forks; ++i) {
      std::atomic<bool> has_started{false};
      worker_id ran_on = worker_id::none();
      time_ns start_ns = 0;
      time_ns end_ns = 0;
      const worker_id here = this_worker();
      const time_ns fork_ns = monotonic_now_ns();
      join(
          [&] {
            // Joins let the thief be heard.
            while (!has_started.load(std::memory_order_relaxed) &&
                   monotonic_now_ns() < fork_ns + k_patience_ns) {  // statistic
              join([] {}, [] {});
            }
          },
          [&] {
            start_ns = monotonic_now_ns();
            ran_on = this_worker();
            has_started.store(true, std::memory_order_relaxed);  // statistic
            while (monotonic_now_ns() < start_ns + k_function_ns) relax();
            end_ns = monotonic_now_ns();
          });
      const time_ns after_ns = monotonic_now_ns();
      if (ran_on == here) continue;
      starts.push_back(static_cast<double>(start_ns - fork_ns));
      resumes.push_back(static_cast<double>(after_ns - end_ns));
    }
  });
  return {median_of(starts), median_of(resumes)};
}

// A submission to workers that sleep, and one to a worker that looks for work all the time.
wake_costs measure_wake() {
  constexpr int k_submissions = 40;
  const auto submissions = [](const policy::idle& idle, std::vector<double>& calls, std::vector<double>& starts) {
    runtime rt{{.workers = 1, .idle = idle}};
    for (int i = 0; i != k_submissions; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds{200});
      time_ns start_ns = 0;
      const time_ns before_ns = monotonic_now_ns();
      auto done = rt.submit([&start_ns] { start_ns = monotonic_now_ns(); });
      const time_ns after_ns = monotonic_now_ns();
      done.get();
      calls.push_back(static_cast<double>(after_ns - before_ns));
      starts.push_back(static_cast<double>(start_ns - before_ns));
    }
  };
  std::vector<double> calls;
  std::vector<double> starts;
  submissions(policy::idle::eco, calls, starts);
  std::vector<double> calls_awake;
  std::vector<double> starts_awake;
  submissions(policy::idle::poll(100), calls_awake, starts_awake);
  return {std::max(0.0, median_of(calls) - median_of(calls_awake)),
          std::max(0.0, median_of(starts) - median_of(starts_awake))};
}

double measure_park_ns() {
  constexpr std::size_t k_calls = 2000;
  std::uint32_t word = 1;
  const time_ns began_ns = thread_cpu_ns();
  for (std::size_t i = 0; i != k_calls; ++i) {
    (void)::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0u, nullptr, nullptr, 0);
  }
  return per(thread_cpu_ns() - began_ns, k_calls);
}

double measure_switch_ns() {
  constexpr int k_turns = 500;
  int to[2];
  int back[2];
  if (::pipe(to) != 0) return 0;
  if (::pipe(back) != 0) {
    ::close(to[0]);
    ::close(to[1]);
    return 0;
  }
  double out = 0;
  const auto turn = [](int from, int onward) {
    char word = 0;
    return ::read(from, &word, 1) == 1 && ::write(onward, &word, 1) == 1;
  };
  std::thread other{[&] {
    bind_thread(0);
    for (int i = 0; i != k_turns && turn(to[0], back[1]); ++i) {}
  }};
  std::thread self{[&] {
    bind_thread(0);
    const time_ns began_ns = monotonic_now_ns();
    const char word = 0;
    if (::write(to[1], &word, 1) != 1) return;
    for (int i = 0; i != k_turns - 1 && turn(back[0], to[1]); ++i) {}
    out = per(monotonic_now_ns() - began_ns, 2 * k_turns);
  }};
  self.join();
  other.join();
  for (const int each : {to[0], to[1], back[0], back[1]}) ::close(each);
  return out;
}

double measure_migration_per_kib_ns() {
  constexpr std::size_t k_kib = 64;
  constexpr std::size_t k_words = k_kib * 1024 / sizeof(std::uint64_t);
  constexpr std::size_t k_words_per_line = 8;
  constexpr int k_turns = 30;
  std::vector<std::uint64_t> memory(k_words, 1);
  const auto read_ns = [&memory] {
    const time_ns began_ns = monotonic_now_ns();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < k_words; i += k_words_per_line) sum += memory[i];
    keep(sum);
    return static_cast<double>(monotonic_now_ns() - began_ns);
  };
  std::vector<double> penalties;
  std::atomic<int> turn{0};
  std::thread writer{[&] {
    bind_thread(1);
    for (int i = 0; i != k_turns; ++i) {
      while (turn.load(std::memory_order_acquire) != 2 * i) relax();  // [CM3] acquire: the reader has finished ← [CM4].
      for (auto& each : memory) ++each;
      turn.store(2 * i + 1,
                 std::memory_order_release);  // [CM5] release: publishes what was written → [CM6] in the reader.
    }
  }};
  std::thread reader{[&] {
    bind_thread(0);
    for (int i = 0; i != k_turns; ++i) {
      while (turn.load(std::memory_order_acquire) != 2 * i + 1)
        relax();  // [CM6] acquire: sees what was written ← [CM5].
      const double cold_ns = read_ns();
      (void)read_ns();
      penalties.push_back(cold_ns - read_ns());
      turn.store(2 * i + 2, std::memory_order_release);  // [CM4] release: the memory is the writer's → [CM3].
    }
  }};
  writer.join();
  reader.join();
  return std::max(0.0, median_of(penalties) / k_kib);
}

// ---- all CPUs -------------------------------------------------------------------------------------------------------

namespace {

// CPU time of a fixed amount of arithmetic.
time_ns arithmetic_cpu_ns() {
  constexpr std::uint64_t k_steps = 4'000'000;
  const time_ns began_ns = thread_cpu_ns();
  std::uint64_t state = 1;
  for (std::uint64_t i = 0; i != k_steps; ++i) state = state * 6364136223846793005u + (state >> 33) + 1;
  keep(state);
  return thread_cpu_ns() - began_ns;
}

}  // namespace

busy_machine measure_all_busy(std::uint32_t cpus) {
  (void)arithmetic_cpu_ns();
  const time_ns alone_ns = arithmetic_cpu_ns();
  std::vector<time_ns> cpu_ns(cpus);
  std::vector<time_ns> wall_ns(cpus);
  std::atomic<std::uint32_t> ready{0};
  std::vector<std::thread> all;
  for (std::uint32_t i = 0; i != cpus; ++i) {
    all.emplace_back([&, i] {
      ready.fetch_add(1, std::memory_order_relaxed);                                    // statistic
      while (ready.load(std::memory_order_relaxed) != cpus) std::this_thread::yield();  // statistic
      const time_ns began_ns = monotonic_now_ns();
      cpu_ns[i] = arithmetic_cpu_ns();
      wall_ns[i] = std::max<time_ns>(monotonic_now_ns() - began_ns, 1);
    });
  }
  for (std::thread& each : all) each.join();
  double cpu_sum = 0;
  double wall_sum = 0;
  for (std::uint32_t i = 0; i != cpus; ++i) {
    cpu_sum += static_cast<double>(cpu_ns[i]);
    wall_sum += static_cast<double>(wall_ns[i]);
  }
  return {static_cast<double>(alone_ns) * cpus / cpu_sum, cpu_sum / wall_sum};
}

}  // namespace filch::tool
