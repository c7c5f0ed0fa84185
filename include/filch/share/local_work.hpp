// What a worker has at hand for the coroutines that run on it: ready ones, children that have not started, free memory
// for frames, and the budget.
//
// Children that a coroutine awaits together lie in a list of the worker, in groups, the newest group last. No other
// thread sees them: putting them there and taking them writes nothing shared and needs no fence. The same is true of
// the ready coroutines. A thief that wants work sets `requested`, and at the next fork, spawn or turn the worker moves
// children of its oldest group, or ready coroutines, into its deque. If no such moment comes for long, another thread
// visits it (share/visit.hpp) and offers one.
//
// Who may call what: the thread that holds the worker; `take_oldest_pending` also a visitor, inside `changes`;
// `requested` and `has_pending` any thread.
//
// Invariants
//   I1  A group in the list has at least one child that has not started; so its parent waits, and the group is there.
//   I2  A child is in the list, or it was taken out of it by exactly one of: its worker, a visitor. The same is true of
//       the ready coroutines.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/base/thread_local_word.hpp>
#include <filch/share/entry.hpp>
#include <filch/share/ready_list.hpp>
#include <filch/share/visit.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace filch::inline v0 {

// The children of one parent that have not started. It lies in the parent's frame.
struct pending_group {
  pending_group* older = nullptr;
  pending_group* newer = nullptr;      // meaningful while this is not the newest
  coroutine_entry* pending = nullptr;  // the first; the others follow it by their links
};

// Memory of one size that is free.
struct free_block {
  free_block* next;
};
struct free_blocks {
  static constexpr std::uint32_t k_batch = 64;  // guess

  free_blocks() = default;
  free_blocks(const free_blocks&) = delete;
  free_blocks& operator=(const free_blocks&) = delete;
  ~free_blocks();

  free_block* first = nullptr;
  free_block* reserve = nullptr;  // a whole batch, or none
  std::uint32_t count = 0;        // from `first` on, at most a batch
};

// What is requested of a worker.
enum class request_kind : std::uint8_t {
  none,
  recording,  // children shall become tasks, which the record shows
  work,       // it shall share
};

struct local_work {
  static constexpr std::uint32_t k_budget = 128;  // guess
  static constexpr std::size_t k_granule_bytes = 16;
  static constexpr std::size_t k_sizes = 64;  // larger blocks come from the heap; guess

  local_work() = default;
  local_work(const local_work&) = delete;
  local_work& operator=(const local_work&) = delete;

  std_atomics::atomic<pending_group*> newest{&bottom};
  std_atomics::atomic<request_kind> requested{request_kind::none};
  detail::owner_gate<> changes;                 // of `newest`, its groups and `ready`
  std_atomics::atomic<std::uint64_t> begun{0};  // tasks, and parts of coroutines, that have begun here
  // Operations that are ready and may still be awaited before others have a turn.
  std::uint32_t budget = k_budget;
  // Puts children into the deque of the worker: a request was seen. By the runtime.
  void (*share_pending)(local_work& mine) noexcept = nullptr;
  // Which part of something that all workers share is this one's: from 0 for the first to 1 for the last.
  double home_part = 0;
  pending_group bottom;
  ready_list ready;
  free_blocks blocks[k_sizes];  // by size in granules

  // Any thread: it shall share at the next opportunity.
  void request_work() {
    // statistic
    if (requested.load(std::memory_order_relaxed) == request_kind::work) return;
    requested.store(request_kind::work, std::memory_order_relaxed);  // statistic
  }
};

namespace detail {

// Of the worker that the calling thread holds; null: it holds none. Read by current_local_work().
FILCH_THREAD_LOCAL_WORD(local_work*, running_local_work, "filch_v0_running_local_work", nullptr)
}  // namespace detail

// After a suspension the caller may be on another thread: the compiler must not keep the address of a thread-local from
// before, so it is not told that this is one.
[[nodiscard]] inline local_work* current_local_work() noexcept { return detail::read_running_local_work(); }

// Any thread, as a hint; exact for the worker itself.
[[nodiscard]] inline bool has_pending(const local_work& of) {
  return of.newest.load(std::memory_order_relaxed) != &of.bottom;  // hint
}

// Puts a group into the list, which has children that have not started.
inline void put_pending(local_work& mine, pending_group& group) noexcept {
  mine.changes.begin();
  pending_group* const older = mine.newest.load(std::memory_order_relaxed);  // owner-only
  group.older = older;
  older->newer = &group;
  mine.newest.store(&group, std::memory_order_relaxed);  // owner-only
  mine.changes.end();
  // hint: a request that is seen late is answered late
  if (mine.requested.load(std::memory_order_relaxed) != request_kind::none) [[unlikely]]
    mine.share_pending(mine);
}

// The next child of a group that was the newest in the list; null: a visitor has just taken its last.
[[nodiscard]] inline coroutine_entry* take_pending(local_work& mine, pending_group& group) noexcept {
  mine.changes.begin();
  coroutine_entry* taken = nullptr;
  if (mine.newest.load(std::memory_order_relaxed) == &group) [[likely]] {  // owner-only
    taken = group.pending;
    // owner-only
    if (queue::link* const next = taken->next.load(std::memory_order_relaxed)) {
      group.pending = static_cast<coroutine_entry*>(next);
    } else {
      mine.newest.store(group.older, std::memory_order_relaxed);  // owner-only
    }
  }
  mine.changes.end();
  return taken;
}

// The next child of the oldest group, or null. Inside `changes`.
[[nodiscard]] inline coroutine_entry* take_oldest_pending(local_work& mine) noexcept {
  if (!has_pending(mine)) return nullptr;
  pending_group& group = *mine.bottom.newer;
  coroutine_entry* const taken = group.pending;
  // owner-only
  if (queue::link* const next = taken->next.load(std::memory_order_relaxed)) {
    group.pending = static_cast<coroutine_entry*>(next);
  } else if (mine.newest.load(std::memory_order_relaxed) == &group) {  // owner-only
    mine.newest.store(&mine.bottom, std::memory_order_relaxed);        // owner-only
  } else {
    mine.bottom.newer = group.newer;
    group.newer->older = &mine.bottom;
  }
  return taken;
}

}  // namespace filch::inline v0
