// Coroutines of one worker that are ready: those that came last before the others, but not for ever.
//
// The newest lies in the hot place and resumes first: what it needs is still in the caches. After `k_hand_overs` turns
// of hot ones in a row the oldest of the others has a turn, so two that wake each other starve no other.
//
// Who may call what: the owner, one call at a time; `size` any thread, as a hint.
#pragma once

#include <filch/base/atomics.hpp>
#include <filch/share/entry.hpp>

#include <cstdint>
#include <utility>

namespace filch::inline v0 {

class ready_list {
 public:
  static constexpr std::uint32_t k_hand_overs = 3;

  // It resumes next.
  void put(coroutine_entry& entry) noexcept {
    if (hot_ != nullptr) append(*hot_);
    hot_ = &entry;
    count(+1);
  }
  // It resumes after all that are there.
  void put_behind(coroutine_entry& entry) noexcept {
    append(entry);
    count(+1);
  }

  // The one that resumes now; null: there is none.
  [[nodiscard]] coroutine_entry* take() noexcept {
    if (hot_ == nullptr || (hand_overs_ >= k_hand_overs && first_ != nullptr)) {
      hand_overs_ = 0;
      return take_oldest();
    }
    ++hand_overs_;
    count(-1);
    return std::exchange(hot_, nullptr);
  }
  // The one that would wait longest, for others.
  [[nodiscard]] coroutine_entry* take_oldest() noexcept {
    coroutine_entry* taken = first_;
    if (taken != nullptr) {
      first_ = static_cast<coroutine_entry*>(taken->next.load(std::memory_order_relaxed));  // owner-only
    } else if (hot_ != nullptr) {
      taken = std::exchange(hot_, nullptr);
    } else {
      return nullptr;
    }
    count(-1);
    return taken;
  }

  [[nodiscard]] std::uint32_t size() const {
    return size_.load(std::memory_order_relaxed);  // hint
  }

 private:
  void append(coroutine_entry& entry) noexcept {
    entry.next.store(nullptr, std::memory_order_relaxed);  // owner-only
    if (first_ == nullptr) first_ = &entry;
    else last_->next.store(&entry, std::memory_order_relaxed);  // owner-only
    last_ = &entry;
  }
  void count(std::int32_t change) noexcept {
    size_.store(size() + static_cast<std::uint32_t>(change), std::memory_order_relaxed);  // owner-only
  }

  coroutine_entry* hot_ = nullptr;
  coroutine_entry* first_ = nullptr;  // the oldest of the others; the rest follow it by their links
  coroutine_entry* last_ = nullptr;   // meaningful while there is a first
  std::uint32_t hand_overs_ = 0;      // hot ones taken in a row
  std_atomics::atomic<std::uint32_t> size_{0};
};

}  // namespace filch::inline v0
