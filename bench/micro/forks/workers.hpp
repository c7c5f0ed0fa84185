// Fork and join over a queue of jobs, by one thread or by two that rob each other: what the designs in this folder
// share.
//
// A design is a worker: a type with
//   void push(job&)     its own thread, at a fork
//   bool pop()          its own thread, at the join of the newest job; false: the other one has it
//   job* steal()        the other thread; null: nothing was there, or the race was lost
//   other               the worker that it robs, and is robbed by
//   company             what runs beside the workers; made from both of them
// A job lies on the stack of whoever forked it. A thief takes the oldest one, so that a worker that finds a job taken
// has an empty queue, and may rob while it waits.
#pragma once

#include <filch/base/atomics.hpp>

#include <atomic>
#include <memory>
#include <thread>

namespace filch_bench::forks {

struct job {
  explicit job(int of) : n{of} {}

  int n;
  std::atomic<bool> is_done{false};
  long result;  // of who has taken it; before [K1] nobody reads it
};

// For designs without anything beside the workers.
struct no_company {
  template <class Worker>
  no_company(Worker&, Worker&) {}
};

template <class Worker>
[[gnu::noinline]] long fib(Worker& self, int n);

// Takes a job of the other worker and runs it. False: there was none.
template <class Worker>
bool rob(Worker& self) {
  job* const taken = self.other->steal();
  if (taken == nullptr) return false;
  taken->result = fib(self, taken->n);
  // [K1] release store: publishes the result → [K2] in `wait_for`.
  taken->is_done.store(true, std::memory_order_release);
  return true;
}

template <class Worker>
[[gnu::noinline, gnu::cold]] long wait_for(Worker& self, const job& child) {
  // [K2] acquire load: the thief's result is visible ← [K1] in `rob`.
  while (!child.is_done.load(std::memory_order_acquire)) {
    if (!rob(self)) filch::std_atomics::pause();
  }
  return child.result;
}

template <class Worker>
[[gnu::noinline]] long fib(Worker& self, int n) {
  if (n < 2) return n;
  job child{n - 2};
  self.push(child);
  const long a = fib(self, n - 1);
  if (self.pop()) [[likely]]
    return a + fib(self, n - 2);
  return a + wait_for(self, child);
}

// The caller's worker alone.
template <class Worker>
class one_worker {
 public:
  [[nodiscard]] long run(int n) { return fib(*worker_, n); }

 private:
  std::unique_ptr<Worker> worker_ = std::make_unique<Worker>();
  typename Worker::company company_{*worker_, *worker_};
};

// The caller's worker, and one that robs it on a thread of its own.
template <class Worker>
class two_workers {
 public:
  two_workers() {
    first_->other = second_.get();
    second_->other = first_.get();
    thief_ = std::thread{[this] {
      while (!is_over_.load(std::memory_order_relaxed)) {  // statistic: nothing hangs on the moment
        if (!rob(*second_)) filch::std_atomics::pause();
      }
    }};
  }
  two_workers(const two_workers&) = delete;
  two_workers& operator=(const two_workers&) = delete;
  ~two_workers() {
    is_over_.store(true, std::memory_order_relaxed);  // statistic
    thief_.join();
  }

  [[nodiscard]] long run(int n) { return fib(*first_, n); }

 private:
  std::unique_ptr<Worker> first_ = std::make_unique<Worker>();
  std::unique_ptr<Worker> second_ = std::make_unique<Worker>();
  typename Worker::company company_{*first_, *second_};
  std::atomic<bool> is_over_{false};
  std::thread thief_;
};

}  // namespace filch_bench::forks
