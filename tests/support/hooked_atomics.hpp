// An atomics policy for tests: std_atomics whose memory can run out, and that lets a test act at the one moment in
// between that matters. So races and failures become single-threaded, repeatable tests.
//
// lint: orderings-forward
#pragma once

#include <filch/base/atomics.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <utility>

namespace filch_test {

// What the policy does next and what it has seen. One test at a time; a fixture derives from `fresh_hooks` first.
struct hooks {
  // Each runs once and is then forgotten.
  std::function<void()> before_store;
  std::function<void()> before_compare_exchange;
  std::function<void()> before_exchange;
  std::function<void()> after_exchange;
  std::function<void()> before_lock;
  // Stands for the sleep: what it returns is what the sleep returns. While empty, the sleep is the real one.
  std::function<bool()> futex_wait;

  std::uint64_t allocations_until_failure = UINT64_MAX;
  bool try_lock_fails = false;

  std::uint64_t objects_alive = 0;  // of make and make_array together
  std::uint64_t arrays_made = 0;
  std::uint64_t futex_wakes = 0;
  std::uint64_t locks_held = 0;
  std::uint64_t waits_while_holding = 0;  // a lock was waited for by somebody who held another one
  void* last_array = nullptr;
  std::size_t last_array_bytes = 0;
};

inline hooks& hook() {
  static hooks the_hooks;
  return the_hooks;
}

struct fresh_hooks {
  fresh_hooks() { hook() = hooks{}; }
};

inline void run_once(std::function<void()>& what) {
  if (what) std::exchange(what, nullptr)();
}

struct hooked_atomics : filch::std_atomics {
  template <class T>
  class atomic : public filch::std_atomics::atomic<T> {
   public:
    using base = filch::std_atomics::atomic<T>;
    using base::base;

    void store(T value, std::memory_order order) {
      run_once(hook().before_store);
      base::store(value, order);
    }
    T exchange(T value, std::memory_order order) {
      run_once(hook().before_exchange);
      const T before = base::exchange(value, order);
      run_once(hook().after_exchange);
      return before;
    }
    bool compare_exchange(T& expected, T desired, std::memory_order success, std::memory_order failure) {
      run_once(hook().before_compare_exchange);
      return base::compare_exchange(expected, desired, success, failure);
    }
  };

  class mutex {
   public:
    void lock() {
      run_once(hook().before_lock);
      if (hook().locks_held != 0) ++hook().waits_while_holding;
      inner_.lock();
      ++hook().locks_held;
    }
    void unlock() {
      --hook().locks_held;
      inner_.unlock();
    }
    bool try_lock() {
      if (hook().try_lock_fails || !inner_.try_lock()) return false;
      ++hook().locks_held;
      return true;
    }

   private:
    std::mutex inner_;
  };

  template <class T, class... Args>
  static T* make(Args&&... args) {
    count_allocation();
    T* const object = filch::std_atomics::make<T>(std::forward<Args>(args)...);
    ++hook().objects_alive;
    return object;
  }
  template <class T>
  static void destroy(T* object) {
    filch::std_atomics::destroy(object);
    --hook().objects_alive;
  }
  template <class T>
  static T* make_array(std::size_t count) {
    count_allocation();
    T* const first = filch::std_atomics::make_array<T>(count);
    ++hook().objects_alive;
    ++hook().arrays_made;
    hook().last_array = first;
    hook().last_array_bytes = count * sizeof(T);
    return first;
  }
  template <class T>
  static void destroy_array(T* first, std::size_t count) {
    filch::std_atomics::destroy_array(first, count);
    --hook().objects_alive;
  }

  static bool futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                         filch::time_ns deadline_ns = filch::k_never_ns) {
    if (hook().futex_wait) return hook().futex_wait();
    return filch::std_atomics::futex_wait(word, expected, deadline_ns);
  }
  static void futex_wake(const atomic<std::uint32_t>& word, std::uint32_t count) {
    ++hook().futex_wakes;
    filch::std_atomics::futex_wake(word, count);
  }

 private:
  static void count_allocation() {
    if (hook().allocations_until_failure == 0) throw std::bad_alloc();
    --hook().allocations_until_failure;
  }
};

}  // namespace filch_test
