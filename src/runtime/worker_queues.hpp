// A worker's queues, one set per priority band: its deque, its mail (work put there by others, which may be stolen) and
// its inbox (work pinned to it, which may not).
//
// Who may call what: `push`, `pop`, `pop_pinned`, `take_newest`, `take_newest_of`, `leave_behind` and `trim` the thread
// that holds the worker; the rest any thread.
#pragma once

#include <filch/policy/names.hpp>
#include <filch/policy/steal.hpp>
#include <filch/queue/deque.hpp>
#include <filch/queue/inbox.hpp>
#include <filch/queue/injector.hpp>
#include <filch/queue/locked_deque.hpp>
#include <filch/runtime/options.hpp>
#include <filch/runtime/task.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace filch::inline v0 {

using queue::steal_status;

// A deque of either kind, chosen when it is made.
class task_deque {
 public:
  explicit task_deque(deques kind) {
    if (kind == deques::lock_free) lock_free_.emplace();
    else locked_.emplace();
  }

  void push(queue_entry* item) {
    if (lock_free_) lock_free_->owner().push(item);
    else locked_->owner().push(item);
  }
  [[nodiscard]] queue_entry* pop(policy::order order) {
    return lock_free_ ? pop_from(*lock_free_, order) : pop_from(*locked_, order);
  }
  void trim() {
    if (lock_free_) lock_free_->owner().trim();
    else locked_->owner().trim();
  }
  // Up to `count` items: one to run, the others into `own`, which is of the same kind.
  [[nodiscard]] queue::steal_batch_result<queue_entry*> rob(task_deque& own, std::uint32_t count) {
    return lock_free_ ? lock_free_->thief().steal_some(own.lock_free_->owner(), count)
                      : locked_->thief().steal_some(own.locked_->owner(), count);
  }
  [[nodiscard]] std::uint64_t size_hint() const { return lock_free_ ? lock_free_->size_hint() : locked_->size_hint(); }

 private:
  template <class Deque>
  static queue_entry* pop_from(Deque& from, policy::order order) {
    const auto item = order == policy::order::lifo ? from.owner().pop() : from.owner().pop_oldest();
    return item.value_or(nullptr);
  }

  std::optional<queue::deque<queue_entry*>> lock_free_;
  std::optional<queue::locked_deque<queue_entry*>> locked_;
};

class worker_queues {
 public:
  // What a look into a queue came to.
  // In two registers: what is written in parts and read whole would wait for the memory.
  struct look {
    constexpr look() = default;
    constexpr look(steal_status status_, queue_entry* item_, std::uint32_t moved_)
        : status{status_}, moved{moved_}, item{item_} {}

    steal_status status = steal_status::empty;
    std::uint32_t moved = 0;  // stolen beside `item`
    queue_entry* item = nullptr;
  };
  static_assert(sizeof(look) == 16);

  explicit worker_queues(deques kind) : bands_{band{kind}, band{kind}, band{kind}} {}

  void push(queue_entry& item) { of(item.band).deque.push(&item); }
  void mail(queue_entry& item) { of(item.band).mail.push(&item); }
  void pin(queue_entry& item) { of(item.band).pinned.push(&item); }

  [[nodiscard]] look pop(policy::priority which, policy::order order) {
    if (queue_entry* const item = of(which).deque.pop(order)) return {steal_status::taken, item, 0};
    return {};
  }
  [[nodiscard]] look pop_mail(policy::priority which) { return as_look(of(which).mail.pop()); }

  struct newest {
    bool is_taken = false;       // it was taken out
    bool was_disturbed = false;  // another task was out for a moment: a thief may have found nothing
  };

  // Takes `wanted` out if it is the newest task of its deque. Entries that were left behind, empty, above it or
  // directly below it are dropped, so that their number does not grow with the number of waits.
  [[nodiscard]] newest take_newest(const task_base& wanted) {
    band& b = of(wanted.band);
    newest result;
    while (!result.is_taken || b.left_behind != 0) {
      queue_entry* const item = b.deque.pop(policy::order::lifo);
      if (item == nullptr) {
        b.left_behind = 0;
        break;
      }
      if (item == &wanted) {
        result.is_taken = true;
      } else if (item->kind != entry_kind::task || static_cast<task_base*>(item)->state.is_pending()) {
        b.deque.push(item);  // cannot throw: there is room where it was
        result.was_disturbed = true;
        break;
      } else {
        static_cast<task_base*>(item)->release();
        if (b.left_behind != 0) --b.left_behind;
      }
    }
    return result;
  }
  struct newest_of_group {
    queue_entry* item = nullptr;  // null: the newest is none of the group's
    bool was_disturbed = false;   // as above
  };
  // Takes out the newest task of the deque of normal tasks, if it belongs to `group`.
  [[nodiscard]] newest_of_group take_newest_of(const void* group) {
    task_deque& deque = of(policy::priority::normal).deque;
    queue_entry* const item = deque.pop(policy::order::lifo);
    if (item == nullptr || item->group == group) return {item, false};
    deque.push(item);  // cannot throw: there is room where it was
    return {nullptr, true};
  }

  // A task was claimed by a thread that waits for it, and its entry is perhaps in this worker's deque.
  void leave_behind(const task_base& claimed) { ++of(claimed.band).left_behind; }

  [[nodiscard]] look pop_pinned(policy::priority which) { return as_look(of(which).pinned.pop()); }

  // A thief's look: at the deque, then at the mail. What is stolen beside the first goes to `own`.
  [[nodiscard]] look rob(policy::priority which, policy::steal amount, worker_queues& own) {
    band& b = of(which);
    const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(b.deque.size_hint(), UINT32_MAX));
    steal_status of_deque = steal_status::empty;
    if (size != 0) {
      const auto batch = b.deque.rob(own.of(which).deque, amount.amount(size));
      if (batch.is_taken()) return {steal_status::taken, batch.item, batch.moved};
      of_deque = batch.status;
    }
    const look of_mail = as_look(b.mail.pop());
    return of_mail.status == steal_status::empty ? look{of_deque, nullptr, 0} : of_mail;
  }

  // Hands everything of a band out. No other thread may use the queues.
  template <class Take>
  void take_all(policy::priority which, const Take& take) {
    while (queue_entry* const item = pop(which, policy::order::lifo).item) take(item);
    while (queue_entry* const item = pop_mail(which).item) take(item);
    while (queue_entry* const item = pop_pinned(which).item) take(item);
  }

  void trim() {
    for (band& b : bands_) b.deque.trim();
  }

  // The length of one deque.
  [[nodiscard]] std::uint64_t deque_hint(policy::priority which) const {
    return bands_[static_cast<std::size_t>(which)].deque.size_hint();
  }
  // What others may steal.
  [[nodiscard]] std::uint64_t stealable_hint() const {
    std::uint64_t sum = 0;
    for (const band& b : bands_) sum += b.deque.size_hint() + b.mail.size_hint();
    return sum;
  }
  [[nodiscard]] std::uint64_t pinned_hint() const {
    std::uint64_t sum = 0;
    for (const band& b : bands_) sum += b.pinned.size_hint();
    return sum;
  }

 private:
  struct band {
    explicit band(deques kind) : deque{kind} {}

    task_deque deque;
    queue::injector<> mail;
    queue::inbox<> pinned;
    std::uint64_t left_behind = 0;  // the most entries of the deque that are empty; the holder's own
  };

  static look as_look(queue::steal_result<queue::link*> result) {
    return {result.status, static_cast<queue_entry*>(result.item), 0};
  }
  [[nodiscard]] band& of(policy::priority which) { return bands_[static_cast<std::size_t>(which)]; }

  band bands_[policy::k_priorities];
};

}  // namespace filch::inline v0
