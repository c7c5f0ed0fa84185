// The crew: the threads that run workers. All threads are alike; there are more of them than workers when some are
// blocked, and a worker is run by whichever thread has been given it.
//
//   a new thread, or one that has given its worker away, waits in `wait_for_worker` for the next one
//   a task that blocks gives its thread's worker away with `lend` and waits for one again in `take_back`
//   a worker's thread that sees a thread waiting in `take_back` gives its own worker up with `hand_over`
//
// Who may call what: any thread. Invariant: a worker is held by exactly one thread, or is on its way in a slot.
#pragma once

#include "os_thread.hpp"

#include <filch/base/atomics.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

namespace filch::inline v0 {

class worker;

// How many threads may stand in for those that wait.
enum class stand_in : bool {
  within_bound,
  beyond_bound,  // by some hundred: a thread that must wait and cannot make way for another stack
};

class crew {
 public:
  // `body` is what each thread runs, with its number; it calls wait_for_worker first.
  crew(std::string name, std::size_t stack_bytes, std::function<void(std::uint32_t)> body);
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;
  ~crew();

  // Starts up to `count` threads; fewer if the system refuses, and then says why. Each is bound to a CPU of its own, as
  // long as there are some: as far from each other as their numbers allow, since neighbours may share a core; the first
  // to the one after `last`, so that `last`, where the caller runs, is the last one.
  [[nodiscard]] std::error_code start(std::uint32_t count, const topology::cpu_set& cpus, topology::cpu_number last);
  [[nodiscard]] std::uint32_t thread_count() const;
  // The most workers from now on, and the most threads but for those that stand in beyond the bound.
  void set_bounds(std::uint32_t workers, std::uint32_t threads);

  // Waits for a worker to run; nullptr: the crew stops.
  [[nodiscard]] worker* wait_for_worker();

  // Gives `given` to a thread in take_back, or else to one that waits for work or is about to, or else to a new one.
  // False: the bound is reached, and is to be kept, or no thread could be started.
  [[nodiscard]] bool lend(worker& given, stand_in how) noexcept;

  // Waits for a worker; `announce` is called once the others can see that a thread waits.
  [[nodiscard]] worker& take_back(const std::function<void()>& announce);
  // Does a thread wait in take_back?
  [[nodiscard]] bool has_returners() const {
    // revalidated by [R8]: looked at again under the mutex
    return returner_count_.load(std::memory_order_relaxed) != 0;
  }
  // Gives `own` to a thread in take_back, if one still waits there. True: the caller holds no worker any more.
  [[nodiscard]] bool hand_over(worker& own);

  // Lets every thread that waits for a worker end; then joins all threads. Those that hold a worker must end by
  // themselves.
  void stop();

 private:
  // Where a thread waits for a worker: on its own stack, so that waiting needs no memory and cannot fail.
  struct slot {
    std::condition_variable ready;
    worker* given = nullptr;
    slot* next = nullptr;
    bool is_over = false;  // the crew stops: no worker will come
  };

  [[nodiscard]] std::error_code start_one() noexcept;
  static void give(slot& to, worker& given);
  [[nodiscard]] slot* next_waiting();
  [[nodiscard]] slot* next_returner();

  const std::string name_;
  const std::size_t stack_bytes_;
  const std::function<void(std::uint32_t)> body_;

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<os_thread> threads_;
  slot* waiting_ = nullptr;         // threads without work; the last to come is the first to go
  slot* first_returner_ = nullptr;  // threads whose tasks are ready, first come first served
  slot* last_returner_ = nullptr;   // only if there is a first
  std::vector<worker*> unclaimed_;  // for threads that are about to wait; has room for all workers
  // threads that are about to wait: just started, or without a worker since hand_over
  std::size_t arriving_ = 0;
  std::uint32_t bound_ = UINT32_MAX;
  bool is_stopping_ = false;
  // Written under mutex_.
  std_atomics::atomic<std::uint32_t> returner_count_{0};
};

}  // namespace filch::inline v0
