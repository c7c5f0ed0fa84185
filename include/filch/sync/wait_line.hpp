// A wait line: a first-in, first-out queue of waiters, from which any waiter may be removed.
// kernel: light headers only
//
// It has no lock of its own: its owner guards it, and that lock also decides the race between serving and cancelling an
// entry. An entry is either served once or cancelled once; so exactly one of the two parties wakes the waiter.
//
// Who may call what: the thread that holds the lock of the line. The waiter itself also reads `state`, before its entry
// is in line and after it was woken.
//
// Invariants
//   I1  An entry is linked if and only if its state is `queued`.
//   I2  A state that is neither `outside` nor `queued` is final. The thread that changed it from `queued` wakes the
//       waiter, after unlocking; until then the entry stays alive.
#pragma once

#include <filch/base/atomics.hpp>

#include <cstdint>

namespace filch::inline v0::sync {

enum class wait_state : std::uint8_t {
  outside,    // not in line yet
  queued,     // in line
  granted,    // the wait succeeded
  refused,    // the wait can never succeed: the object was closed
  cancelled,  // the waiter gave up, perhaps before its entry was in line
};

// The base of a waiter's entry, which lies in the frame or on the stack of the waiter.
template <class A = std_atomics>
struct line_entry {
  typename A::template var<line_entry*> next{nullptr};
  typename A::template var<line_entry*> before{nullptr};
  typename A::template var<wait_state> state{wait_state::outside};
};

// The entries that the caller must wake, in order, linked by `next`.
template <class A = std_atomics>
class wake_list {
 public:
  void add(line_entry<A>& served) {
    served.next.set(nullptr);
    if (last_ != nullptr) last_->next.set(&served);
    else first_ = &served;
    last_ = &served;
  }
  // Calls `wake(entry)` for each entry, which may be destroyed by that.
  template <class Wake>
  void wake_each(const Wake& wake) const {
    for (line_entry<A>* each = first_; each != nullptr;) {
      line_entry<A>* const next = each->next.get();
      wake(*each);
      each = next;
    }
  }

 private:
  line_entry<A>* first_ = nullptr;
  line_entry<A>* last_ = nullptr;
};

template <class A = std_atomics>
class wait_line {
 public:
  using entry = line_entry<A>;

  [[nodiscard]] bool is_empty() const { return first_.get() == nullptr; }
  [[nodiscard]] entry* front() const { return first_.get(); }

  // Appends an entry. False: it was cancelled before.
  [[nodiscard]] bool join(entry& who) {
    if (who.state.get() == wait_state::cancelled) return false;
    who.state.set(wait_state::queued);
    entry* const last = last_.get();
    who.next.set(nullptr);
    who.before.set(last);
    if (last != nullptr) last->next.set(&who);
    else first_.set(&who);
    last_.set(&who);
    return true;
  }

  // Removes the first entry and sets its state; null: the line is empty. The caller wakes it.
  [[nodiscard]] entry* pop(wait_state as = wait_state::granted) {
    entry* const who = first_.get();
    if (who != nullptr) serve(*who, as);
    return who;
  }
  // The same for an entry that is known to be the first.
  void serve(entry& who, wait_state as = wait_state::granted) {
    unlink(who);
    who.state.set(as);
  }

  // Cancels an entry. True: it was in line, and the caller wakes it. False: it was served, or is not in line yet;
  // `join` will then refuse it.
  [[nodiscard]] bool leave(entry& who) {
    const wait_state was = who.state.get();
    if (was != wait_state::queued && was != wait_state::outside) return false;
    who.state.set(wait_state::cancelled);
    if (was == wait_state::outside) return false;
    unlink(who);
    return true;
  }

  void pop_all(wait_state as, wake_list<A>& into) {
    while (entry* const who = pop(as)) into.add(*who);
  }

 private:
  void unlink(entry& who) {
    entry* const before = who.before.get();
    entry* const next = who.next.get();
    if (before != nullptr) before->next.set(next);
    else first_.set(next);
    if (next != nullptr) next->before.set(before);
    else last_.set(before);
  }

  typename A::template var<entry*> first_{nullptr};
  typename A::template var<entry*> last_{nullptr};
};

}  // namespace filch::inline v0::sync
