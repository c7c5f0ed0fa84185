// Code that must stay on its thread across a join: it holds a std::mutex, or refers to a thread_local.
//
//   const filch::stay_on_thread here;
//   const std::lock_guard lock{some_std_mutex};
//   filch::join(f, g);                             // if g was taken, this thread waits, and another one stands in
//
// Without it the code after a join may be on another thread, which may not unlock what the first one has locked.
// A lock that is held across joins is better a filch::mutex, which belongs to nobody's thread.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace filch::inline v0 {

// Any thread; in a plain function, not across a co_await. As long as it lives, the code comes back on its thread from
// all that it waits for. A spare thread stands in for the one that waits, also beyond options::max_spare_threads, by up
// to 256. If there is none to be had, other tasks run meanwhile on this thread.
class stay_on_thread {
 public:
  stay_on_thread();
  stay_on_thread(const stay_on_thread&) = delete;
  stay_on_thread& operator=(const stay_on_thread&) = delete;
  ~stay_on_thread();
};

namespace detail {
// Compilers take std::this_thread::get_id() for a constant of the function it stands in; across a join it is none.
[[nodiscard]] std::thread::id thread_here() noexcept;
[[noreturn]] void fail_foreign_unlock(std::thread::id locked_by);
[[noreturn]] void fail_second_lock();
}  // namespace detail

// A std::mutex that notices when it is unlocked on another thread than it was locked on, or locked again by the thread
// that holds it, says so and ends the program: for finding locks that are held across joins and co_awaits.
class thread_mutex {
 public:
  void lock() {
    if (is_mine()) detail::fail_second_lock();
    mutex_.lock();
    set_holder(detail::thread_here());
  }
  [[nodiscard]] bool try_lock() {
    if (is_mine() || !mutex_.try_lock()) return false;
    set_holder(detail::thread_here());
    return true;
  }
  void unlock() {
    if (!is_mine()) detail::fail_foreign_unlock(holder());
    set_holder({});
    mutex_.unlock();
  }

 private:
  // A thread finds its own id there only if it has written it itself.
  [[nodiscard]] bool is_mine() const { return holder() == detail::thread_here(); }
  [[nodiscard]] std::thread::id holder() const {
    return locked_by_.load(std::memory_order_relaxed);  // owner-only
  }
  void set_holder(std::thread::id who) {
    locked_by_.store(who, std::memory_order_relaxed);  // owner-only
  }

  std::mutex mutex_;
  std::atomic<std::thread::id> locked_by_{};  // written by who holds mutex_
};

}  // namespace filch::inline v0
