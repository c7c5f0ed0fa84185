// The idle protocol: the counts of searching and sleeping workers, and the wake-up of a sleeper for new work. README.md
// describes it and sketches the proof; the names of the steps there are those of the functions here.
// kernel: light headers only
//
// Who may call what: `notify`, `notify_all` and `notify_worker` any thread, after it has put work where a search looks;
// the hints any thread; the other functions the worker itself.
//
// Invariants
//   I1  counts_ = searching workers + 2^32 · sleeping workers. sleeping = the length of sleepers_, both changed in one
//       critical section; searching also changes outside of it.
//   I2  A worker is in sleepers_ at most once, from `announce_sleep` until `notify` or `retract_sleep` takes it out.
//   I3  A worker that `notify` takes out is counted as searching from that moment, so a burst of submissions wakes one
//       worker.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/base/atomics.hpp>
#include <filch/base/cache_line.hpp>
#include <filch/base/ids.hpp>
#include <filch/park/parker.hpp>

#include <cstddef>
#include <cstdint>

namespace filch::inline v0::park {

// What the caller of a state change must do next.
enum class duty : std::uint8_t {
  none,
  // The caller was the last searcher: look at all queues once, and if there is work, call `notify`.
  recheck,
};

// The default choice: the worker that is longest asleep.
struct wake_oldest {
  std::size_t operator()(const worker_id* /*sleepers*/, std::size_t /*count*/) const { return 0; }
};

template <class A = std_atomics>
class idle {
 public:
  static constexpr std::uint32_t k_max_workers = 1u << 16;

  // At most `max_searching` workers search at a time; the others fall asleep without a search.
  explicit idle(std::uint32_t workers, std::uint32_t max_searching = k_max_workers)
      : workers_{workers}, max_searching_{max_searching} {
    FILCH_ASSERT(workers >= 1 && workers <= k_max_workers, workers);
    FILCH_ASSERT(max_searching >= 1, max_searching);
    sleepers_ = A::template make_array<worker_id>(workers);
    try {
      parkers_ = A::template make_array<padded_parker>(workers);
    } catch (...) {
      A::destroy_array(sleepers_, workers_);
      throw;
    }
  }
  idle(const idle&) = delete;
  idle& operator=(const idle&) = delete;
  ~idle() {
    A::destroy_array(parkers_, workers_);
    A::destroy_array(sleepers_, workers_);
  }

  // active → searching. False: the limit of searching workers is reached; the caller stays active and should sleep.
  [[nodiscard]] bool try_start_searching() {
    std::uint64_t counts = counts_.load(std::memory_order_relaxed);  // ordered by [I2]
    while (searching(counts) < max_searching_) {
      // ordered by [I2]: entering the search needs no order of its own, leaving it does
      if (counts_.compare_exchange(counts, counts + k_one_searching, std::memory_order_relaxed,
                                   std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  // searching → active: the search found work, or the worker stops.
  [[nodiscard]] duty stop_searching() {
    const std::uint64_t before = counts_.fetch_sub(k_one_searching, std::memory_order_relaxed);  // ordered by [I2]
    FILCH_ASSERT(searching(before) >= 1, searching(before));
    if (searching(before) != 1 || sleeping(before) == 0) return duty::none;
    // [I2] seq_cst fence: "stop searching, then look at the queues" here against "push, then look for searchers" in
    // `notify` ↔ [I4]. It forbids that the last searcher misses work for which the submitter woke no sleeper because it
    // saw a searcher, or a deadline whose source relied on the keeper ↔ [Z4].
    A::fence(std::memory_order_seq_cst);
    return duty::recheck;
  }

  // active or searching → sleepy. Afterwards the caller looks at all queues once more, and then calls `sleep` or
  // `retract_sleep`.
  void announce_sleep(worker_id self, bool was_searching) {
    FILCH_ASSERT(self.value < workers_, self, workers_);
    mutex_.lock();
    for (std::size_t i = 0; i != sleeper_count_.get(); ++i) FILCH_ASSERT(sleepers_[i] != self, self);
    sleepers_[sleeper_count_.get()] = self;
    sleeper_count_.set(sleeper_count_.get() + 1);
    counts_.fetch_add(k_one_sleeping - (was_searching ? k_one_searching : 0),
                      std::memory_order_relaxed);  // ordered by [I3]
    mutex_.unlock();
    // [I3] seq_cst fence: "announce, then look at the queues" here against "push, then look for sleepers" in `notify`
    // ↔ [I4] ↔ [I5] ↔ [I6]; "announce, then request work" against "take a request, then look for sleepers" ↔ [L20];
    // and "announce, then defer the request" against "no request is deferred, then request work" ↔ [L23]. It forbids
    // that this worker misses the work while the submitter misses the sleeper. Also acquires what a keeper did before
    // it stopped searching ← [Z7].
    A::fence(std::memory_order_seq_cst);
  }

  // sleepy → searching, because the last look found work. Also valid if `notify` has already chosen this worker.
  void retract_sleep(worker_id self) {
    if (take_out(self)) return;
    // `notify` has taken this worker out and counted it as searching; waits for the token that it is about to give.
    parkers_[self.value].place.park();
  }

  // sleepy → parked → searching. Returns when `notify` has chosen this worker, or when the deadline has passed.
  park_outcome sleep(worker_id self, time_ns deadline_ns = k_never_ns) {
    if (parkers_[self.value].place.park(deadline_ns) == park_outcome::notified) return park_outcome::notified;
    retract_sleep(self);
    return park_outcome::timed_out;
  }

  // For a sleepy worker that delays its `sleep`: true if `notify` has chosen it.
  [[nodiscard]] bool is_chosen(worker_id self) const { return parkers_[self.value].place.has_token(); }

  // There is new work: wakes one sleeper if a worker sleeps and none searches. `choose(sleepers, count)` returns the
  // index of the sleeper to wake; the longest asleep comes first. Returns the worker that was woken, or none.
  template <class Choose = wake_oldest>
  worker_id notify(Choose&& choose = {}) {
    // [I4] seq_cst fence: "push, then look for searchers and sleepers", the other half of ↔ [I2] ↔ [I3].
    A::fence(std::memory_order_seq_cst);
    if (!needs_wake(counts_.load(std::memory_order_relaxed))) return worker_id::none();  // ordered by [I4]
    mutex_.lock();
    if (!needs_wake(counts_.load(std::memory_order_relaxed))) {  // ordered by [I4]
      mutex_.unlock();
      return worker_id::none();
    }
    const worker_id chosen = remove_at(choose_index(choose));
    mutex_.unlock();
    parkers_[chosen.value].place.unpark();
    return chosen;
  }

  // Wakes every sleeper: for shutdown, and to show the cost of a thundering herd. Returns the number of sleepers.
  std::uint32_t notify_all() {
    // [I6] seq_cst fence: as [I4] ↔ [I3].
    A::fence(std::memory_order_seq_cst);
    if (sleeping(counts_.load(std::memory_order_relaxed)) == 0) return 0;  // ordered by [I6]
    std::uint32_t woken = 0;
    mutex_.lock();
    while (sleeper_count_.get() != 0) {
      const worker_id sleeper = remove_at(sleeper_count_.get() - 1);
      parkers_[sleeper.value].place.unpark();
      ++woken;
    }
    mutex_.unlock();
    return woken;
  }

  // Wakes this worker if it sleeps, also while others search: for work that only it may do. True if it slept.
  bool notify_worker(worker_id worker) {
    // [I5] seq_cst fence: as [I4], for a push to the worker's own inbox ↔ [I3].
    A::fence(std::memory_order_seq_cst);
    if (sleeping(counts_.load(std::memory_order_relaxed)) == 0) return false;  // ordered by [I5]
    if (!take_out(worker)) return false;
    parkers_[worker.value].place.unpark();
    return true;
  }

  [[nodiscard]] std::uint32_t searching_hint() const {
    return searching(counts_.load(std::memory_order_relaxed));  // hint
  }
  [[nodiscard]] std::uint32_t sleeping_hint() const {
    return sleeping(counts_.load(std::memory_order_relaxed));  // hint
  }
  [[nodiscard]] std::uint32_t workers() const { return workers_; }

 private:
  static constexpr std::uint64_t k_one_searching = 1;
  static constexpr std::uint64_t k_one_sleeping = std::uint64_t{1} << 32;

  struct alignas(k_no_sharing_bytes) padded_parker {
    parker<A> place;
  };

  static std::uint32_t searching(std::uint64_t counts) { return static_cast<std::uint32_t>(counts); }
  static std::uint32_t sleeping(std::uint64_t counts) { return static_cast<std::uint32_t>(counts >> 32); }
  static bool needs_wake(std::uint64_t counts) { return sleeping(counts) != 0 && searching(counts) == 0; }

  template <class Choose>
  std::size_t choose_index(Choose& choose) {
    const std::size_t count = sleeper_count_.get();
    const std::size_t index = choose(static_cast<const worker_id*>(sleepers_), count);
    FILCH_ASSERT(index < count, index, count);
    return index;
  }

  // Takes `self` out of the sleepers and counts it as searching. False: it was not among them.
  bool take_out(worker_id self) {
    mutex_.lock();
    bool found = false;
    for (std::size_t i = 0; i != sleeper_count_.get(); ++i) {
      if (sleepers_[i] == self) {
        (void)remove_at(i);
        found = true;
        break;
      }
    }
    mutex_.unlock();
    return found;
  }

  // Called with mutex_ held: sleeping → searching for the sleeper at `index`. Keeps the order of the others.
  worker_id remove_at(std::size_t index) {
    const worker_id chosen = sleepers_[index];
    const std::size_t count = sleeper_count_.get() - 1;
    for (std::size_t i = index; i != count; ++i) sleepers_[i] = sleepers_[i + 1];
    sleeper_count_.set(count);
    counts_.fetch_add(k_one_searching - k_one_sleeping, std::memory_order_relaxed);  // ordered by [I4]
    return chosen;
  }

  // Immutable.
  std::uint32_t workers_;
  std::uint32_t max_searching_;
  padded_parker* parkers_ = nullptr;
  // Accessed by any thread.
  alignas(k_no_sharing_bytes) typename A::template atomic<std::uint64_t> counts_{0};
  // Guarded by mutex_.
  alignas(k_no_sharing_bytes) typename A::mutex mutex_;
  typename A::template var<std::size_t> sleeper_count_{0};
  worker_id* sleepers_ = nullptr;  // the longest asleep first; touched only together with sleeper_count_
};

}  // namespace filch::inline v0::park
