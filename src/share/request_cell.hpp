// A word that its owner compares with, and by which other threads request work; and a request that is deferred.
// kernel: light headers only
//
// Who may call what: `post_request` and `deferred_request` any thread; the others the owner, and a signal handler on
// its thread. Invariant: a request stands until the owner takes it. Nothing else that the owner writes covers it up,
// but for the first value of a stack that begins: its owner sees to requests that came before. Forbidden is that a
// worker which goes to sleep and the owner look past each other:
//
//   worker that goes to sleep              owner
//   announce the sleep                     take the request
//   fence                                  [L20] fence
//   request, unless a request stands       look for sleepers
//
// Then either the request stands, or the owner sees the sleeper. A request that may not be made yet is deferred, and a
// thread that may make it flushes it. Forbidden is that the request is neither made nor deferred any more:
//
//   thread that flushes                    owner, or a worker that goes to sleep
//   clear the deferral                     take the request, or announce the sleep
//   [L23] fence                            [L20] fence, or the sleeper's
//   request, unless a request stands       defer it, unless it is deferred
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0 {

template <class Word>
void post_request(Word& word, std::uintptr_t asked) {
  if (word.load(std::memory_order_relaxed) == asked) return;  // ordered by [L20]
  word.store(asked, std::memory_order_relaxed);               // ordered by [L20]
}

// What the owner compares with from now on, unless a request stands.
template <class Word>
void set_unless_requested(Word& word, std::uintptr_t asked, std::uintptr_t value) {
  std::uintptr_t before = word.load(std::memory_order_relaxed);  // ordered by [L20]
  while (before != asked) {
    // ordered by [L20]: a request comes with nothing that the owner reads without taking it
    if (word.compare_exchange(before, value, std::memory_order_relaxed, std::memory_order_relaxed)) return;
  }
}

// What the owner compares with from now on. True: a request stood.
template <class A = std_atomics, class Word>
[[nodiscard]] bool take_request(Word& word, std::uintptr_t asked, std::uintptr_t value) {
  // [V16] release exchange: what a visitor did before the request was taken is seen → [V15].
  const bool was_asked = word.exchange(value, std::memory_order_release) == asked;
  // [L20] seq_cst fence: "take the request, look for sleepers" against "announce the sleep, request" ↔ [I3], and "take
  // the request, defer it" against "clear the deferral, request" ↔ [L23].
  A::fence(std::memory_order_seq_cst);
  return was_asked;
}

// A request that is put off: a worker sleeps and would have made it.
template <class A = std_atomics>
class deferred_request {
 public:
  void defer() {
    if (!is_deferred()) is_deferred_.store(true, std::memory_order_relaxed);  // ordered by [L23]
  }
  [[nodiscard]] bool is_deferred() const {
    return is_deferred_.load(std::memory_order_relaxed);  // ordered by [L23]
  }
  // True: it is deferred no longer, and the caller makes it.
  [[nodiscard]] bool take() {
    if (!is_deferred()) return false;
    is_deferred_.store(false, std::memory_order_relaxed);  // ordered by [L23]
    // [L23] seq_cst fence: "clear the deferral, request" against "take the request, defer it" and "announce the sleep,
    // defer it" ↔ [L20] ↔ [I3].
    A::fence(std::memory_order_seq_cst);
    return true;
  }

 private:
  typename A::template atomic<bool> is_deferred_{false};
};

}  // namespace filch::inline v0
