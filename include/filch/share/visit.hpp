// Visits: a visitor takes from what an owner keeps to itself, and the owner needs no fence and no lock.
// kernel: light headers only
//
// The owner changes its list, range or local work without a fence, and compares one word after each change. A visitor
// locks the share point, sets that word and executes a heavy fence, which makes the owner execute a fence wherever it
// is. So of each change either the visitor sees the result, or the owner sees the word and waits at the share point
// until the visitor has left. Forbidden is that both look past each other:
//
//   owner                                  visitor
//   change                                 set the word
//   light fence                            heavy fence
//   look at the word                       look at what was changed
//
// Who may call what: `lock`, `try_lock` and `unlock` any thread; a visitor holds the share point's lock in all that it
// does; `begin`, `end`, `link_newest` and `unlink_newest` the owner. README.md in this folder is the protocol.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>
#include <type_traits>

namespace filch::inline v0::detail {

// The given turn, from 1 on, of waiting for a visitor.
void wait_for_visitor(std::uint32_t turn) noexcept;

template <class A>
void wait_for_visit(std::uint32_t turn) {
  if constexpr (std::is_same_v<A, std_atomics>) wait_for_visitor(turn);
  else A::pause();
}

// Guards the offers of one share point, and what of its stack is changed other than by the fast path of a fork or join.
template <class A = std_atomics>
class point_lock {
 public:
  void lock() {
    for (std::uint32_t turn = 1; !try_lock(); ++turn) detail::wait_for_visit<A>(turn);
  }
  [[nodiscard]] bool try_lock() {
    // [V1] acquire exchange: what the last holder did is visible ← [V2].
    return word_.exchange(1, std::memory_order_acquire) == 0;
  }
  void unlock() {
    // [V2] release store: hands over what the holder did → [V1].
    word_.store(0, std::memory_order_release);
  }

 private:
  typename A::template atomic<std::uint32_t> word_{0};
};

// Changes that are more than one store. A visitor that comes while one is under way leaves again; an owner that begins
// one beside a visitor waits.
template <class A = std_atomics>
class owner_gate {
 public:
  void begin() {
    is_busy_.store(true, std::memory_order_relaxed);  // ordered by [V3]
    // [V3] light fence: "say that a change begins, then look for a visitor" against "visit, then look for a change" ↔
    // [V6]. unobservable: it holds the compiler, and the checker runs in the order of the program.
    A::light_fence(std::memory_order_seq_cst);
    // [V4] acquire load: what the visitor took is gone ← [V8].
    for (std::uint32_t turn = 1; is_visited_.load(std::memory_order_acquire); ++turn) [[unlikely]]
      detail::wait_for_visit<A>(turn);
  }
  void end() {
    // [V5] release store: the change is complete → [V7].
    is_busy_.store(false, std::memory_order_release);
  }

  // One at a time. False: a change is under way, or the system has no heavy fences; nothing may be looked at.
  [[nodiscard]] bool enter() {
    is_visited_.store(true, std::memory_order_relaxed);  // ordered by [V6]
    // [V6] heavy fence: "visit, then look for a change" against "say that a change begins, then look for a visitor" ↔
    // [V3].
    const bool has_fenced = A::heavy_fence(std::memory_order_seq_cst);
    // [V7] acquire load: what was changed is complete ← [V5].
    if (has_fenced && !is_busy_.load(std::memory_order_acquire)) return true;
    leave();
    return false;
  }
  void leave() {
    // [V8] release store: what was taken is gone → [V4].
    is_visited_.store(false, std::memory_order_release);
  }

 private:
  typename A::template atomic<bool> is_busy_{false};
  typename A::template atomic<bool> is_visited_{false};
};

// `frame` is complete, and the newest of its stack from now on.
template <class Word, class Frame>
void link_newest(Word& newest, Frame* frame) {
  // [V9] release store: publishes the frame → [V13].
  newest.store(frame, std::memory_order_release);
}

// `older` is the newest frame from now on. The caller looks at the stack's join limit after this.
template <class A = std_atomics, class Word, class Frame>
void unlink_newest(Word& newest, Frame* older) {
  // [V10] release store: what is older is complete → [V13].
  newest.store(older, std::memory_order_release);
  // [V11] light fence: "unlink, then look for a request" against "request, then look what is linked" ↔ [V12].
  // unobservable: it holds the compiler, and the checker runs in the order of the program.
  A::light_fence(std::memory_order_seq_cst);
}

// The newest frame, for a visitor, or null: the system has no heavy fences. Every frame from it on stays until the
// share point is unlocked: its join takes the slow path. The request stands afterwards.
template <class A = std_atomics, template <class> class Atomic, class Frame, class Asked>
[[nodiscard]] Frame* newest_for_visitor(const Atomic<Frame*>& newest, Asked& word, std::uintptr_t asked) {
  word.store(asked, std::memory_order_relaxed);  // ordered by [V12]
  // [V12] heavy fence: "request, then look what is linked or claimed" against "unlink, or claim, then look for a
  // request" ↔ [V11] ↔ [V14].
  if (!A::heavy_fence(std::memory_order_seq_cst)) return nullptr;
  // [V13] acquire load: the frames are complete ← [V9] ← [V10].
  return newest.load(std::memory_order_acquire);
}

}  // namespace filch::inline v0::detail
