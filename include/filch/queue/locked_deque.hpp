// The baseline: the deque's interface over a mutex and a std::deque. The owner locks; a thief only tries to lock and
// reports `lost` if it fails. It exists for comparisons with the lock-free deque, in the runtime and in the benchmarks.
//
// Who may call what: as in deque.hpp.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/base/atomics.hpp>
#include <filch/queue/steal_result.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <type_traits>

namespace filch::inline v0::queue {

template <class Item, class A = std_atomics>
class locked_deque {
  static_assert(std::is_trivially_copyable_v<Item>, "an item of a deque must be trivially copyable");

 public:
  class owner_handle;
  class thief_handle;

  locked_deque() = default;
  // The capacity is a hint that this class ignores.
  explicit locked_deque(std::uint32_t /*capacity*/) {}

  [[nodiscard]] owner_handle owner() { return owner_handle{*this}; }
  [[nodiscard]] thief_handle thief() { return thief_handle{*this}; }

  [[nodiscard]] std::uint64_t size_hint() const {
    return size_.load(std::memory_order_relaxed);  // hint
  }

 private:
  void update_size() {
    size_.store(items_.size(), std::memory_order_relaxed);  // hint
  }

  typename A::mutex mutex_;
  // Guarded by mutex_; front is the oldest.
  std::deque<Item> items_;
  // Written under mutex_, read by any thread.
  typename A::template atomic<std::uint64_t> size_{0};
};

template <class Item, class A>
class locked_deque<Item, A>::owner_handle {
 public:
  void push(Item item) {
    std::lock_guard guard{deque_->mutex_};
    deque_->items_.push_back(item);
    deque_->update_size();
  }

  [[nodiscard]] std::optional<Item> pop() {
    return take([](auto& items) {
      const Item item = items.back();
      items.pop_back();
      return item;
    });
  }

  [[nodiscard]] std::optional<Item> pop_oldest() {
    return take([](auto& items) {
      const Item item = items.front();
      items.pop_front();
      return item;
    });
  }

  // Frees the memory of an empty deque. True if it was empty.
  bool trim() {
    std::lock_guard guard{deque_->mutex_};
    if (!deque_->items_.empty()) return false;
    deque_->items_.shrink_to_fit();
    return true;
  }

  [[nodiscard]] std::uint64_t size_hint() const { return deque_->size_hint(); }

 private:
  friend locked_deque;
  explicit owner_handle(locked_deque& d) : deque_{&d} {}

  template <class Take>
  std::optional<Item> take(Take from) {
    std::lock_guard guard{deque_->mutex_};
    if (deque_->items_.empty()) return std::nullopt;
    const Item item = from(deque_->items_);
    deque_->update_size();
    return item;
  }

  locked_deque* deque_;
};

template <class Item, class A>
class locked_deque<Item, A>::thief_handle {
 public:
  [[nodiscard]] steal_result<Item> steal() {
    std::unique_lock guard{deque_->mutex_, std::try_to_lock};
    if (!guard) return {steal_status::lost, {}};
    if (deque_->items_.empty()) return {steal_status::empty, {}};
    return {steal_status::taken, take_front()};
  }

  // Steals half of the items at once, at most `limit` and at least one: under the locks a batch can be claimed as a
  // whole. The thief waits for its own lock while it holds no other and only tries the victim's, so two workers that
  // steal from each other cannot deadlock. An exception has no effect: nothing is taken.
  [[nodiscard]] steal_batch_result<Item> steal_half(owner_handle into, std::uint32_t limit) {
    return steal_batch(into, [limit](std::uint64_t size) { return std::min<std::uint64_t>((size + 1) / 2, limit); });
  }

  // The same for up to `count` items.
  [[nodiscard]] steal_batch_result<Item> steal_some(owner_handle into, std::uint32_t count) {
    return steal_batch(into, [count](std::uint64_t size) { return std::min<std::uint64_t>(size, count); });
  }

  [[nodiscard]] std::uint64_t size_hint() const { return deque_->size_hint(); }

 private:
  friend locked_deque;
  explicit thief_handle(locked_deque& d) : deque_{&d} {}

  template <class Amount>
  steal_batch_result<Item> steal_batch(owner_handle into, Amount amount) {
    FILCH_ASSERT(into.deque_ != deque_, "a deque cannot be robbed by its own owner");
    locked_deque& own = *into.deque_;
    std::lock_guard own_guard{own.mutex_};
    std::unique_lock guard{deque_->mutex_, std::try_to_lock};
    if (!guard) return {steal_status::lost, {}, 0};
    if (deque_->items_.empty()) return {steal_status::empty, {}, 0};
    const std::uint64_t wanted = amount(deque_->items_.size());
    const std::uint64_t moved = wanted > 1 ? wanted - 1 : 0;
    const auto first = deque_->items_.begin();
    const auto behind = first + 1 + static_cast<std::ptrdiff_t>(moved);
    own.items_.insert(own.items_.end(), first + 1, behind);
    own.update_size();
    const Item oldest = *first;
    deque_->items_.erase(first, behind);
    deque_->update_size();
    return {steal_status::taken, oldest, static_cast<std::uint32_t>(moved)};
  }

  Item take_front() {
    const Item item = deque_->items_.front();
    deque_->items_.pop_front();
    deque_->update_size();
    return item;
  }

  locked_deque* deque_;
};

}  // namespace filch::inline v0::queue
