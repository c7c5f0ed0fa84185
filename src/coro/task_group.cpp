#include <filch/coro/task_group.hpp>

#include "runtime/port.hpp"

#include <filch/coro/detail/frame_memory.hpp>

#include <cstddef>

namespace filch::inline v0 {

// The queue entry of a member that has not started.
class group_ticket final : public task_base {
 public:
  group_ticket(task_group& of, coro::promise_base& child) : task_base{1}, group_{of}, child_{child} {
    ignores_shutdown = true;  // its parent waits for it
  }

  static void* operator new(std::size_t bytes) { return coro::allocate_frame(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { coro::free_frame(memory, bytes); }

 private:
  void run() noexcept override { resume_here(group_.begin(child_)); }
  void abandon() noexcept override {}

  task_group& group_;
  coro::promise_base& child_;
};

void task_group::open(coro::promise_base& parent) {
  parent_ = &parent;
  home_ = &port::here();
  context_.emplace(parent.context);
}

std::coroutine_handle<> task_group::start(std::optional<task<>>& first) noexcept {
  coro::promise_base* body = nullptr;
  if (first) {
    body = &first->release();
    adopt(*body);
  }
  (void)members_.wait(*this);  // never done yet: the body has not ended
  return body != nullptr ? body->self : end_one();
}

void task_group::adopt(coro::promise_base& child) noexcept {
  child.parent = parent_;
  child.context = &*context_;
  child.listener = this;
}

void task_group::spawn(task<> child, const char* name) {
  adopt(child.promise());
  auto* const made = new group_ticket{*this, child.promise()};
  made->name = name;
  coro::promise_base& given = child.release();
  members_.add();
  try {
    port::enqueue(*home_, *made);
  } catch (...) {
    given.self.destroy();     // enqueue() has destroyed the ticket
    (void)members_.finish();  // not the last member: the caller has not ended
    throw;
  }
}

void task_group::cancel() noexcept {
  is_cancelled_.store(true, std::memory_order_relaxed);  // ordered by [N2], the request
  context_->request_stop();
}

std::coroutine_handle<> task_group::begin(coro::promise_base& child) noexcept {
  if (!context_->is_stop_requested()) return child.self;
  child.self.destroy();
  fail(std::make_exception_ptr(task_cancelled{}));
  return end_one();
}

std::coroutine_handle<> task_group::ended(coro::promise_base& who) noexcept {
  if (who.has_failed) {
    try {
      static_cast<coro::task_promise<void>&>(who).take();
    } catch (...) {
      fail(std::current_exception());
    }
  }
  who.self.destroy();
  return end_one();
}

// Requests the stop before the failing member is counted off: until then the group exists.
void task_group::fail(std::exception_ptr why) noexcept {
  if (is_cancelled_.load(std::memory_order_relaxed)) {  // ordered by [N2], as in `cancel`
    try {
      std::rethrow_exception(why);
    } catch (const task_cancelled&) {
      return;
    } catch (...) {}
  }
  if (has_failed_.exchange(true, std::memory_order_relaxed)) return;  // ordered by [L3]: the parent reads error_ later
  error_ = std::move(why);
  context_->request_stop();
}

std::coroutine_handle<> task_group::end_one() noexcept {
  const std::coroutine_handle<> parent = parent_->self;
  return members_.finish() != nullptr ? parent : std::noop_coroutine();
}

}  // namespace filch::inline v0
