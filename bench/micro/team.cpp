#include "team.hpp"

#include <sched.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace filch_bench {

namespace {

cpu_set_t affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  (void)sched_getaffinity(0, sizeof set, &set);
  return set;
}

// The usable CPUs as the process had them at its start.
const cpu_set_t& usable_cpus() {
  static const cpu_set_t set = affinity();
  return set;
}

}  // namespace

double run_time_s() {
  const char* text = std::getenv("FILCH_BENCH_RUN_MS");
  const long ms = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
  return static_cast<double>(ms > 0 ? ms : 100) / 1000.0;
}

std::uint32_t usable_cpu_count() { return static_cast<std::uint32_t>(CPU_COUNT(&usable_cpus())); }

pinned_to::pinned_to(std::uint32_t cpu) {
  const cpu_set_t& usable = usable_cpus();
  const cpu_set_t before = affinity();
  before_.resize(sizeof before);
  std::memcpy(before_.data(), &before, sizeof before);

  std::uint32_t skip = cpu % usable_cpu_count();
  for (std::size_t i = 0; i != CPU_SETSIZE; ++i) {
    if (!CPU_ISSET(i, &usable) || skip-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(i, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

pinned_to::~pinned_to() {
  cpu_set_t before;
  std::memcpy(&before, before_.data(), sizeof before);
  (void)sched_setaffinity(0, sizeof before, &before);
}

void team::start(std::uint32_t cpu, std::function<void()> work) {
  helpers_.emplace_back([this, cpu, work = std::move(work)] {
    const pinned_to pin{cpu};
    // [T1] release: this helper's preparation is done → [T2] in `go`.
    ready_.fetch_add(1, std::memory_order_release);
    // [T3] acquire load: what the caller prepared is visible ← [T4] in `go`.
    while (!started_.load(std::memory_order_acquire)) std::this_thread::yield();
    work();
  });
}

void team::go() {
  // [T2] acquire load: all helpers stand ready ← [T1] in `start`.
  while (ready_.load(std::memory_order_acquire) != helpers_.size()) std::this_thread::yield();
  // [T4] release store: the helpers begin → [T3] in `start`.
  started_.store(true, std::memory_order_release);
}

void team::tell_stop() {
  stopped_.store(true, std::memory_order_relaxed);  // statistic
}

void team::stop() {
  tell_stop();
  join();
}

void team::join() {
  for (std::thread& helper : helpers_) helper.join();
  helpers_.clear();
}

}  // namespace filch_bench
