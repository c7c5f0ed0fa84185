#include "entries.hpp"

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr std::size_t k_most_threads = 64;
constexpr std::size_t k_most_entries = std::size_t{1} << 21;

struct record {
  std::atomic<std::size_t> count{0};
  void* entries[k_most_entries];
};

// Pages are committed as they are written.
record k_records[k_most_threads];
std::atomic<std::size_t> k_threads{0};
std::atomic<bool> k_is_on{false};
thread_local record* k_own = nullptr;

record& own() {
  if (!k_own) {
    const std::size_t index = k_threads.fetch_add(1, std::memory_order_relaxed);
    if (index >= k_most_threads) std::abort();
    k_own = &k_records[index];
  }
  return *k_own;
}

}  // namespace

// Called through the names that the compiler knows. A stack switch may lie between an entry and its exit, so exits are
// not recorded.
extern "C" void __cyg_profile_func_enter(void* function, void*) {
  if (!k_is_on.load(std::memory_order_acquire)) return;
  record& here = own();
  const std::size_t count = here.count.load(std::memory_order_relaxed);
  if (count == k_most_entries) return;
  here.entries[count] = function;
  here.count.store(count + 1, std::memory_order_release);
}
extern "C" void __cyg_profile_func_exit(void*, void*) {}

namespace walk {

void begin() {
  own();  // the first record is the caller's, if it has none yet
  k_is_on.store(true, std::memory_order_release);
}

void end() { k_is_on.store(false, std::memory_order_release); }

void print(std::FILE* out) {
  for (record& each : k_records) {
    const std::size_t count = each.count.load(std::memory_order_acquire);
    if (count == 0) continue;
    for (std::size_t i = 0; i != count; ++i) std::fprintf(out, "%p ", each.entries[i]);
    std::fputc('\n', out);
  }
}

}  // namespace walk
