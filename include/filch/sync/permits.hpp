// The kernel of semaphores: a number of permits, and a line of those who want more than there are.
// kernel: light headers only
//
// A reader-writer lock is the same with many permits: a reader takes one, a writer all of them. The first in line is
// served before those behind it, also if it wants more than there is and they would be content with less: nobody
// starves.
//
// Who may call what: any thread; `cancel` as long as the entry lives.
//
// Invariants
//   I1  If somebody is in line, there are fewer permits than the first of them wants.
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

  // True: `self` is in line, and somebody wakes it. False: its state says whether it has its permits or has given up
  // before.
  [[nodiscard]] bool take_or_queue(permit_entry<A>& self) {
    const short_guard<A> guard{lock_};
    if (self.state.get() != wait_state::cancelled && take(self.wanted)) {
      self.state.set(wait_state::granted);
      return false;
    }
    return line_.join(self);
  }

  // The caller wakes those in the list. There will not be more than `most` permits.
  [[nodiscard]] wake_list<A> give(std::uint64_t more, std::uint64_t most = UINT64_MAX) {
    const short_guard<A> guard{lock_};
    const std::uint64_t count = count_.get() + more;
    count_.set(count < most ? count : most);
    return serve();
  }

  // It gives up. The caller wakes those in the list: itself, and those it stood in the way of.
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
