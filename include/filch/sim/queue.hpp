// A queue between processes: items come out in the order in which they went in, and a process waits while there is no
// item to take or no room to put one.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/sim/environment.hpp>
#include <filch/sim/wait_list.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace filch::inline v0::sim {

template <class T>
class queue {
 public:
  // Holds at most `capacity` items, at least 1.
  explicit queue(std::size_t capacity = SIZE_MAX) : capacity_{capacity} { FILCH_ASSERT(capacity >= 1, capacity); }

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool is_empty() const { return items_.empty(); }
  [[nodiscard]] bool is_full() const { return items_.size() >= capacity_; }

  // T item = co_await queue.get(): goes on at once when there is an item.
  [[nodiscard]] auto get() { return getting{*this}; }
  // co_await queue.put(item): goes on at once when there is room. An item that was put stays, even if the process is
  // interrupted before it goes on.
  [[nodiscard]] auto put(T item) { return putting{*this, std::move(item)}; }

  // Without waiting.
  bool try_put(T item) {
    if (is_full()) return false;
    accept(std::move(item));
    return true;
  }
  std::optional<T> try_get() {
    if (items_.empty()) return std::nullopt;
    return take();
  }

 private:
  class getting : public wait_node {
   public:
    explicit getting(queue& from) : from_{&from} {}

    [[nodiscard]] bool await_ready() {
      if (!from_->items_.empty()) item_.emplace(from_->take());
      return item_.has_value();
    }
    void await_suspend(process::handle frame) { stand_before(from_->getters_.end(), frame.promise()); }
    T await_resume() {
      finish();
      return std::move(*item_);
    }
    // The item it was given goes back to the front.
    void give_up() noexcept override {
      unlink();
      if (item_) from_->accept_first(std::move(*item_));
    }

   private:
    friend class queue;
    queue* from_;
    std::optional<T> item_;
  };

  class putting : public wait_node {
   public:
    putting(queue& to, T item) : to_{&to}, item_{std::move(item)} {}

    [[nodiscard]] bool await_ready() { return !to_->is_full() && (to_->accept(std::move(item_)), true); }
    void await_suspend(process::handle frame) { stand_before(to_->putters_.end(), frame.promise()); }
    void await_resume() { finish(); }

   private:
    friend class queue;
    queue* to_;
    T item_;
  };

  [[nodiscard]] bool hand_over(T& item) {
    if (getters_.is_empty()) return false;
    auto& first = static_cast<getting&>(getters_.first());
    first.item_.emplace(std::move(item));
    first.wake();
    return true;
  }
  void accept(T item) {
    if (!hand_over(item)) items_.push_back(std::move(item));
  }
  void accept_first(T item) {
    if (!hand_over(item)) items_.push_front(std::move(item));
  }
  T take() {
    T item = std::move(items_.front());
    items_.pop_front();
    if (!putters_.is_empty() && !is_full()) {
      auto& first = static_cast<putting&>(putters_.first());
      items_.push_back(std::move(first.item_));
      first.wake();
    }
    return item;
  }

  std::size_t capacity_;
  std::deque<T> items_;
  wait_list getters_;  // processes wait here only while there is no item
  wait_list putters_;  // processes wait here only while there is no room
};

}  // namespace filch::inline v0::sim
