// The kernel of semaphores: a number of permits, and the line of waiters that requested more than are available.
// kernel: light headers only
//
// A reader-writer lock is the same with many permits: a reader takes one, a writer all of them. Waiters are served
// strictly in order, also if the first requests more than is available and later ones request less: so no waiter
// starves.
//
// Who may call what: any thread; `cancel` as long as the entry lives.
//
// Invariants
//   I1  If the line is not empty, there are fewer permits than its first waiter requests.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/sync/short_lock.hpp>
#include <filch/sync/wait_line.hpp>

#include <cstdint>

namespace filch::inline v0::sync {

template <class A = std_atomics>
struct permit_entry : line_entry<A> {
  explicit permit_entry(std::uint64_t wants) : wanted{wants} {}

  const std::uint64_t wanted;
};

template <class A = std_atomics>
class permits {
 public:
  explicit permits(std::uint64_t count) : count_{count} {}

  [[nodiscard]] bool try_take(std::uint64_t wanted) {
    const short_guard<A> guard{lock_};
    return take(wanted);
  }

  // True: `self` is in line, and will be woken. False: its state tells whether it has its permits or was cancelled
  // before.
  [[nodiscard]] bool take_or_queue(permit_entry<A>& self) {
    const short_guard<A> guard{lock_};
    if (self.state.get() != wait_state::cancelled && take(self.wanted)) {
      self.state.set(wait_state::granted);
      return false;
    }
    return line_.join(self);
  }

  // Adds permits, up to `most` in total. The caller wakes the entries of the list.
  [[nodiscard]] wake_list<A> give(std::uint64_t more, std::uint64_t most = UINT64_MAX) {
    const short_guard<A> guard{lock_};
    const std::uint64_t count = count_.get() + more;
    count_.set(count < most ? count : most);
    return serve();
  }

  // The waiter gives up. The caller wakes the entries of the list: the waiter itself, and the waiters behind it that
  // can be served now.
  [[nodiscard]] wake_list<A> cancel(permit_entry<A>& who) {
    const short_guard<A> guard{lock_};
    wake_list<A> woken;
    if (!line_.leave(who)) return woken;
    woken = serve();
    woken.add(who);
    return woken;
  }

  [[nodiscard]] std::uint64_t available() {
    const short_guard<A> guard{lock_};
    return count_.get();
  }

 private:
  bool take(std::uint64_t wanted) {
    if (!line_.is_empty() || count_.get() < wanted) return false;
    count_.set(count_.get() - wanted);
    return true;
  }
  wake_list<A> serve() {
    wake_list<A> served;
    while (line_entry<A>* const first = line_.front()) {
      const std::uint64_t wanted = static_cast<permit_entry<A>*>(first)->wanted;
      if (wanted > count_.get()) break;
      count_.set(count_.get() - wanted);
      line_.serve(*first);
      served.add(*first);
    }
    return served;
  }

  short_lock<A> lock_;
  // Guarded by lock_.
  typename A::template var<std::uint64_t> count_;
  wait_line<A> line_;
};

}  // namespace filch::inline v0::sync
