// Processes that stand in line for something: a list whose nodes lie in the frames of the waiting coroutines.
//
// (I1) A node is in at most one list. It leaves the list when it is woken, interrupted or destroyed; a list that is
//      destroyed first lets its nodes go. So environment, frames and what they wait for may end in any order.
#pragma once

#include <filch/base/assert.hpp>

#include <cstdint>
#include <exception>

namespace filch::inline v0::sim {

class process_promise;

// A place in a ring of places; a list's own head is one too.
class list_link {
 public:
  list_link() = default;
  list_link(const list_link&) = delete;
  list_link& operator=(const list_link&) = delete;
  ~list_link() { unlink(); }

  [[nodiscard]] bool is_linked() const { return next_ != this; }
  [[nodiscard]] list_link& next() const { return *next_; }

  void link_before(list_link& at) {
    FILCH_ASSERT(!is_linked());
    previous_ = at.previous_;
    next_ = &at;
    previous_->next_ = next_->previous_ = this;
  }
  void unlink() noexcept {
    previous_->next_ = next_;
    next_->previous_ = previous_;
    previous_ = next_ = this;
  }
  // Lets all others of the ring go, each by itself.
  void dissolve() noexcept {
    while (is_linked()) next_->unlink();
  }

 private:
  list_link* previous_ = this;
  list_link* next_ = this;
};

// The base of every awaitable that waits in a list. It is copied on its way to the co_await only, never while in a
// list.
class wait_node : public list_link {
 public:
  wait_node() = default;
  wait_node(const wait_node& other) : list_link{} { FILCH_ASSERT(!other.is_linked()); }
  wait_node& operator=(const wait_node&) = delete;
  virtual ~wait_node() = default;

  // Takes the node out of its list, and its process goes on; with an exception, if there is one.
  void wake(const std::exception_ptr& failure = nullptr);

  // An interrupt takes the process away from here. Overriders give back what was already granted.
  virtual void give_up() noexcept { unlink(); }

 protected:
  // In await_suspend. The process stands in line before `place`; false if an interrupt is due and comes first.
  bool stand_before(list_link& place, process_promise& who);
  // In await_resume: the wait is over. Throws the interrupt or the failure that ended it.
  void finish();
  [[nodiscard]] process_promise* who() const { return who_; }

 private:
  process_promise* who_ = nullptr;
  std::exception_ptr failure_;
};

class wait_list {
 public:
  wait_list() = default;
  wait_list(const wait_list&) = delete;
  wait_list& operator=(const wait_list&) = delete;
  ~wait_list() { head_.dissolve(); }

  [[nodiscard]] bool is_empty() const { return !head_.is_linked(); }
  // Only when not empty.
  [[nodiscard]] wait_node& first() const { return static_cast<wait_node&>(head_.next()); }
  // The place behind the last.
  [[nodiscard]] list_link& end() { return head_; }

  // Every process in line goes on, in order.
  void wake_all(const std::exception_ptr& failure = nullptr) {
    while (!is_empty()) first().wake(failure);
  }

 private:
  list_link head_;
};

}  // namespace filch::inline v0::sim
