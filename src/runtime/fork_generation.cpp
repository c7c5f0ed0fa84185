#include "fork_generation.hpp"

#include <filch/base/assert.hpp>

#include <atomic>

#include <pthread.h>

namespace filch::inline v0 {
namespace {

// Counts the forks that lie between the first process and this one.
constinit std::atomic<std::uint32_t> forks{0};

}  // namespace

std::uint32_t fork_generation() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] {
    forks.fetch_add(1, std::memory_order_relaxed);  // hint: the child has one thread
  });
  FILCH_ASSERT(registered == 0, registered);
  return forks.load(std::memory_order_relaxed);  // hint
}

}  // namespace filch::inline v0
