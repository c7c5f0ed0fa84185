// The atomics policy: everything a lock-free kernel does to shared memory, behind one name.
//
// A kernel is a template over a policy `A`. With `std_atomics` it runs on the machine. With the model checker's policy
// (tests/model) the same source runs under a memory model that shows every outcome that C++20 allows. So a kernel
// touches shared memory only through
//
//   A::atomic<T>           load, store, exchange, compare_exchange, fetch_add, fetch_sub, fetch_or, fetch_and, each
//                          with its memory order written out: implicit seq_cst does not exist here
//   A::var<T>              plain data that only one thread at a time may touch; the checker reports a race
//   A::fence(order)        a fence
//   A::light_fence(order)  one side of an asymmetric pair of fences: it costs nothing and holds the compiler only
//   A::heavy_fence(order)  the other side: every running thread of the process executes a fence, wherever it is. False:
//                          the system has no such thing, and nothing was done
//   A::make<T>(…), A::destroy(p), A::make_array<T>(n), A::destroy_array(p, n)
//                          memory; the checker sees use after free
//   A::discard(p, n)       gives the pages of an array back while its addresses stay readable
//   A::futex_wait(word, expected, deadline_ns), A::futex_wake(word, count)
//                          sleeping
//   A::mutex               lock, try_lock, unlock
//   A::pause()             one turn of a spin loop
//
// The policy's operations take no labels: the checker knows each by its source line. They pass on the order of their
// caller, who justifies it:
// lint: orderings-forward
#pragma once

#include <filch/base/units.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__SANITIZE_THREAD__)
#define FILCH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FILCH_TSAN 1
#endif
#endif

namespace filch::inline v0 {

struct std_atomics {
  template <class T>
  class atomic {
   public:
    constexpr atomic() : value_{} {}
    constexpr explicit atomic(T value) : value_{value} {}

    T load(std::memory_order order) const { return value_.load(order); }
    void store(T value, std::memory_order order) { value_.store(value, order); }
    T exchange(T value, std::memory_order order) { return value_.exchange(value, order); }
    bool compare_exchange(T& expected, T desired, std::memory_order success, std::memory_order failure) {
      return value_.compare_exchange_strong(expected, desired, success, failure);
    }
    T fetch_add(T value, std::memory_order order)
      requires std::is_integral_v<T>
    {
      return value_.fetch_add(value, order);
    }
    T fetch_sub(T value, std::memory_order order)
      requires std::is_integral_v<T>
    {
      return value_.fetch_sub(value, order);
    }
    T fetch_or(T value, std::memory_order order)
      requires std::is_integral_v<T>
    {
      return value_.fetch_or(value, order);
    }
    T fetch_and(T value, std::memory_order order)
      requires std::is_integral_v<T>
    {
      return value_.fetch_and(value, order);
    }

   private:
    friend std_atomics;
    std::atomic<T> value_;
  };

  template <class T>
  class var {
   public:
    var() = default;
    explicit var(T value) : value_{std::move(value)} {}

    [[nodiscard]] const T& get() const { return value_; }
    void set(T value) { value_ = std::move(value); }

   private:
    T value_{};
  };

  using mutex = std::mutex;

  static void fence(std::memory_order order) {
#ifdef FILCH_TSAN
    // g++ warns that TSan does not model a fence. Nothing here needs it to: what a fence orders in our kernels is
    // never plain data.
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wtsan"
#endif
    std::atomic_thread_fence(order);
#pragma GCC diagnostic pop
#elif defined(__x86_64__)
    if (order == std::memory_order_seq_cst) {
      // A locked instruction on the top of the stack orders as mfence does and costs less (clang emits mfence).
      asm volatile("lock orq $0, (%%rsp)" ::: "memory", "cc");
    } else {
      std::atomic_thread_fence(order);
    }
#else
    std::atomic_thread_fence(order);
#endif
  }

  static void light_fence(std::memory_order order) { std::atomic_signal_fence(order); }
  // Some microseconds: a system call that interrupts the processors on which other threads of the process run. Needs
  // prepare_heavy_fence().
  [[nodiscard]] static bool heavy_fence(std::memory_order order) {
    if (!fence_all_threads()) return false;
    fence(order);
    return true;
  }
  // Once per process, some milliseconds where it has several threads already. False: the system has no heavy fences.
  [[nodiscard]] static bool prepare_heavy_fence() noexcept;
  // Has that been done for this process?
  [[nodiscard]] static bool is_heavy_fence_prepared() noexcept { return fence_all_threads(); }
  // Will the system do so?
  [[nodiscard]] static bool has_heavy_fence() noexcept;

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
  }

  template <class T, class... Args>
  static T* make(Args&&... args) {
    return new T(std::forward<Args>(args)...);
  }
  template <class T>
  static void destroy(T* object) {
    delete object;
  }

  // `count` value-initialised objects; throws std::bad_alloc and leaves nothing behind. T's constructor must not throw.
  template <class T>
  static T* make_array(std::size_t count) {
    static_assert(std::is_nothrow_destructible_v<T>);
    if (count > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T)) throw std::bad_array_new_length();
    auto* bytes = allocate_bytes(count * sizeof(T), alignof(T));
    T* first = static_cast<T*>(bytes);
    for (std::size_t i = 0; i != count; ++i) ::new (static_cast<void*>(first + i)) T();
    return first;
  }
  template <class T>
  static void destroy_array(T* first, std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) first[i].~T();
    free_bytes(first, count * sizeof(T), alignof(T));
  }

  // The contents are lost, the addresses stay readable; the next write brings a page back.
  template <class T>
  static void discard(T* first, std::size_t count) {
    discard_bytes(first, count * sizeof(T));
  }

  // Sleeps until `word` is woken, unless it differs from `expected` already; may return early. False: deadline passed.
  static bool futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected, time_ns deadline_ns = k_never_ns) {
    return futex_wait_word(&word.value_, expected, deadline_ns);
  }
  static void futex_wake(const atomic<std::uint32_t>& word, std::uint32_t count) {
    futex_wake_word(&word.value_, count);
  }

 private:
  static bool futex_wait_word(const void* word, std::uint32_t expected, time_ns deadline_ns);
  static void futex_wake_word(const void* word, std::uint32_t count);
  static bool fence_all_threads() noexcept;
  static void* allocate_bytes(std::size_t bytes, std::size_t alignment);
  static void free_bytes(void* memory, std::size_t bytes, std::size_t alignment) noexcept;
  static void discard_bytes(void* memory, std::size_t bytes) noexcept;
};

}  // namespace filch::inline v0
