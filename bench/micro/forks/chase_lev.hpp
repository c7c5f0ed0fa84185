// Every fork is a push to a work-stealing deque, every join a pop: our deque, over three kinds of atomics that differ
// in what orders the owner's store of `bottom_` before its load of `top_`.
#pragma once

#include "workers.hpp"

#include <filch/base/atomics.hpp>
#include <filch/queue/deque.hpp>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <type_traits>

namespace filch_bench::forks {

// As the deque is written: a fence in `pop`, and none in `push`.
struct by_fence : filch::std_atomics {
  static void before_steal() {}
};

// Both indices are only touched in the one order of all seq_cst operations, as by a program that names no orders. So
// push and pop store by a locked exchange each, and no fence is needed.
struct by_seq_cst_store : filch::std_atomics {
  template <class T>
  class ordered {
   public:
    explicit ordered(T value) : value_{value} {}

    // [K3] seq_cst load: of one index, behind the store of the other ↔ [K4], [K5].
    T load(auto) const { return value_.load(std::memory_order_seq_cst); }
    // [K4] seq_cst store: of one index, before the load of the other ↔ [K3].
    void store(T value, auto) { value_.store(value, std::memory_order_seq_cst); }
    bool compare_exchange(T& expected, T desired, auto, auto) {
      // [K5] seq_cst on success and on failure: it moves `top_`, or reads who has ↔ [K3].
      return value_.compare_exchange(expected, desired, std::memory_order_seq_cst, std::memory_order_seq_cst);
    }

   private:
    filch::std_atomics::atomic<T> value_;
  };

  // The deque's indices; its slots and its ring stay as they are.
  template <class T>
  using atomic = std::conditional_t<std::is_same_v<T, std::uint64_t>, ordered<T>, filch::std_atomics::atomic<T>>;

  static void fence(auto) {}
  static void before_steal() {}
};

// The owner has no fence: the thief makes the system run one on every CPU that runs a thread of this process.
//
// The deque's fence of the thief stands between its two loads; here it comes before both. That is enough for one thief:
// it has itself moved `top_` to where it is, or has seen the owner do so, before the barrier. An owner that looks at
// `top_` behind the barrier sees that; one that looked before has its `bottom_` published by the barrier.
struct by_membarrier : filch::std_atomics {
  static void fence(auto) {
    // [K6] seq_cst fence of the compiler alone: "publish bottom_, then read top_" ↔ the system call in `before_steal`.
    // kept: the partner is no atomic operation.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  static void before_steal() { (void)::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }

  // False: the system has no such call, or forbids it.
  [[nodiscard]] static bool is_there() {
    static const bool is_registered = ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    return is_registered;
  }
};

template <class Atomics>
struct chase_lev {
  using company = no_company;

  void push(job& child) { jobs.owner().push(&child); }
  [[nodiscard]] bool pop() { return jobs.owner().pop().has_value(); }
  [[nodiscard]] job* steal() {
    if (jobs.size_hint() == 0) return nullptr;
    Atomics::before_steal();
    const auto got = jobs.thief().steal();
    return got.is_taken() ? got.item : nullptr;
  }

  filch::queue::deque<job*, Atomics> jobs;
  chase_lev* other = nullptr;
};

}  // namespace filch_bench::forks
