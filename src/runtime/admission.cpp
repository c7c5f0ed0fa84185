#include "admission.hpp"

#include <filch/runtime/errors.hpp>

#include <thread>

namespace filch::inline v0 {

const char* describe(life now) {
  switch (now) {
    case life::open:
      return "open";
    case life::draining:
      return "draining";
    case life::cancelling:
      return "cancelling";
    case life::stopped:
      return "stopped";
  }
  return "?";
}

void admission::go_to(life next) {
  life seen = now();
  while (seen < next) {
    // ordered by [R7]
    if (life_.compare_exchange(seen, next, std::memory_order_relaxed, std::memory_order_relaxed)) break;
  }
  // [R7] seq_cst fence: "close, then look at the counts" in shutdown() against "count it, then look whether it is open"
  // ↔ [R9]. Also "go to the next, then wake the sleepers" against "announce the sleep, then look" in a worker.
  std_atomics::fence(std::memory_order_seq_cst);
}

void admission::throw_shut_down() {
  throw usage_error("filch: a task was submitted to a runtime that has been shut down");
}

task_id admission::count_outside() {
  const task_id made{outside_.add_made()};
  // [R9] seq_cst fence: "count it, then look whether the runtime is open" against "close, then look at the counts" in
  // shutdown() ↔ [R7]. It forbids that a task is taken in by a runtime that has seen everything done.
  std_atomics::fence(std::memory_order_seq_cst);
  return made;
}

void admission::take_back_outside() {
  outside_.add_finished();
  note_idle();
}

bool admission::is_quiescent() const {
  return is_balanced([this](auto&& visit) {
    visit(outside_);
    for (const worker& each : workers_) visit(each.totals);
  });
}

void admission::wait_for_errands() const {
  // [R21] acquire load: what the threads on errands did is done ← [R20].
  while (errands_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

}  // namespace filch::inline v0
