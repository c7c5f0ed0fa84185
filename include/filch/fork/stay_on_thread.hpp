// For code that must stay on its thread across a join, because it holds a std::mutex or refers to a thread_local.
//
//   const filch::stay_on_thread here;
//   const std::lock_guard lock{some_std_mutex};
//   filch::join(f, g);                             // if g was taken, this thread waits and a spare thread replaces it
//
// Without it the code after a join may run on another thread, which must not unlock a std::mutex of the first thread.
// For a lock that is held across joins prefer filch::mutex, which is not bound to a thread.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace filch::inline v0 {

// Any thread; in a plain function, not across a co_await. While the object lives, every wait returns on the thread
// where it began. A spare thread replaces the waiting one, also beyond options::max_spare_threads, by up to 256. If no
// spare thread is available, the waiting thread runs other tasks meanwhile.
class stay_on_thread {
 public:
  stay_on_thread();
  stay_on_thread(const stay_on_thread&) = delete;
  stay_on_thread& operator=(const stay_on_thread&) = delete;
  ~stay_on_thread();
};

namespace detail {
// Compilers treat std::this_thread::get_id() as constant within a function; across a join it is not.
[[nodiscard]] std::thread::id thread_here() noexcept;
[[noreturn]] void fail_foreign_unlock(std::thread::id locked_by);
[[noreturn]] void fail_second_lock();
}  // namespace detail

// A std::mutex that reports an error and ends the program if it is unlocked by another thread than the one that locked
// it, or locked again by its holder. It serves to find locks that are held across joins and co_awaits.
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
  // A thread reads its own id only if it has written it itself.
  [[nodiscard]] bool is_mine() const { return holder() == detail::thread_here(); }
  [[nodiscard]] std::thread::id holder() const {
    return locked_by_.load(std::memory_order_relaxed);  // owner-only
  }
  void set_holder(std::thread::id who) {
    locked_by_.store(who, std::memory_order_relaxed);  // owner-only
  }

  std::mutex mutex_;
  std::atomic<std::thread::id> locked_by_{};  // written by the holder of mutex_
};

}  // namespace filch::inline v0
