// What the tests of depth share: how deep they go, and stacks on which one call for each level does not fit.
#pragma once

#include <support/stress.hpp>

#include <filch/runtime/options.hpp>

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <system_error>

namespace filch_test {

constexpr std::size_t k_small_stack_bytes = std::size_t{256} << 10;

// How deep. A call takes 16 bytes of the stack at least: so the least of these does not fit, and is what there is time
// for under a sanitizer, or where each level throws.
constexpr long k_deep_least = 20'000;
static_assert(k_deep_least * 16 > static_cast<long>(k_small_stack_bytes));
#ifdef FILCH_TEST_SANITIZED
constexpr long k_deep = k_deep_least;
#else
constexpr long k_deep = 1'000'000;
#endif
// Where a level takes half a kilobyte and more: tests run side by side, each with its memory.
constexpr long k_deep_of_large = k_deep < 250'000 ? k_deep : 250'000;
// How many side by side. Whatever takes a step for each at each takes minutes.
constexpr long k_many = k_deep < 300'000 ? k_deep : 300'000;

// With these a worker's stacks are small, too.
inline filch::options small_stacks(std::uint32_t workers) {
  filch::options chosen;
  chosen.workers = workers;
  chosen.thread_stack_bytes = k_small_stack_bytes;
  chosen.stack_bytes = k_small_stack_bytes;
  return chosen;
}

// Calls `body` on a thread whose stack is small, and rethrows what leaves it.
inline void on_small_stack(const std::function<void()>& body) {
  struct call {
    const std::function<void()>& body;
    std::exception_ptr error{};
    static void* run(void* with) {
      auto& self = *static_cast<call*>(with);
      try {
        self.body();
      } catch (...) {
        self.error = std::current_exception();
      }
      return nullptr;
    }
  } here{body};
  const auto check = [](int error) {
    if (error != 0) throw std::system_error(error, std::generic_category(), "a thread with a small stack");
  };
  pthread_attr_t small{};
  check(::pthread_attr_init(&small));
  check(::pthread_attr_setstacksize(&small, k_small_stack_bytes));
  pthread_t thread{};
  const int started = ::pthread_create(&thread, &small, &call::run, &here);
  (void)::pthread_attr_destroy(&small);
  check(started);
  check(::pthread_join(thread, nullptr));
  if (here.error) std::rethrow_exception(here.error);
}

}  // namespace filch_test
