// A word that its owner compares with, and by which others ask the owner for something; and a request that is put off.
// kernel: light headers only
//
// Who may call what: `post_request` and `deferred_request` any thread; the others the owner, and a signal handler on its thread.
// Invariant: a request stands until the owner takes it. Nothing else that the owner writes covers it up, but for the
// first value of a stack that begins: whoever lets it begin sees to requests that came before. Forbidden is that one
// who goes to sleep and the owner look past each other:
//
//   one who goes to sleep                  owner
//   say that it sleeps                     take the request
//   fence                                  [L20] fence
//   ask, unless somebody has               look who sleeps
//
// Then either the request stands, or the owner sees the sleeper. A request that may not be made yet was deferred, and
// whoever may make it pays. Forbidden is that the request is neither made nor owed any more:
//
//   who pays                               owner, or one who goes to sleep
//   say that nothing was deferred               take the request, or say that it sleeps
//   [L23] fence                            [L20] fence, or the sleeper's
//   ask, unless somebody has               owe it, unless it was deferred
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0 {

template <class Word>
void post_request(Word& word, std::uintptr_t asked) {
  if (word.load(std::memory_order_relaxed) == asked) return;  // ordered by [L20]
  word.store(asked, std::memory_order_relaxed);               // ordered by [L20]
}

// What the owner compares with from now on, unless somebody asks.
template <class Word>
void set_unless_requested(Word& word, std::uintptr_t asked, std::uintptr_t value) {
  std::uintptr_t before = word.load(std::memory_order_relaxed);  // ordered by [L20]
  while (before != asked) {
    // ordered by [L20]: a request comes with nothing that the owner reads without taking it
    if (word.compare_exchange(before, value, std::memory_order_relaxed, std::memory_order_relaxed)) return;
  }
}

// What the owner compares with from now on. True: somebody has asked.
template <class A = std_atomics, class Word>
[[nodiscard]] bool take_request(Word& word, std::uintptr_t asked, std::uintptr_t value) {
  // [V16] release exchange: what a visitor did before nobody asks any more is seen → [V15].
  const bool was_asked = word.exchange(value, std::memory_order_release) == asked;
  // [L20] seq_cst fence: "take the request, look who sleeps" against "sleep, ask unless somebody has" ↔ [I3],
  // and "take the request, owe unless it was deferred" against "nothing was deferred, ask unless somebody has" ↔ [L23].
  A::fence(std::memory_order_seq_cst);
  return was_asked;
}

// A request that is put off: somebody sleeps and would have asked.
template <class A = std_atomics>
class deferred_request {
 public:
  void owe() {
    if (!has_deferred()) is_deferred_.store(true, std::memory_order_relaxed);  // ordered by [L23]
  }
  [[nodiscard]] bool has_deferred() const {
    return is_deferred_.load(std::memory_order_relaxed);  // ordered by [L23]
  }
  // True: nothing was deferred any more, and the caller asks.
  [[nodiscard]] bool pay() {
    if (!has_deferred()) return false;
    is_deferred_.store(false, std::memory_order_relaxed);  // ordered by [L23]
    // [L23] seq_cst fence: "nothing was deferred, ask unless somebody has" against "take the request, owe unless it was deferred"
    // and "sleep, owe unless it was deferred" ↔ [L20] ↔ [I3].
    A::fence(std::memory_order_seq_cst);
    return true;
  }

 private:
  typename A::template atomic<bool> is_deferred_{false};
};

}  // namespace filch::inline v0
