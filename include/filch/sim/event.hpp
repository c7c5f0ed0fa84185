// Something that happens once, and for which any number of processes can wait.
#pragma once

#include <filch/base/assert.hpp>
#include <filch/base/units.hpp>
#include <filch/sim/environment.hpp>
#include <filch/sim/wait_list.hpp>

#include <exception>
#include <utility>

namespace filch::inline v0::sim {

class event {
 public:
  event() = default;

  [[nodiscard]] bool has_happened() const { return has_happened_; }

  // It happens now. The waiters resume in the order in which they came, when the events already due have run; later
  // ones do not wait. Only once.
  void trigger() { happen(nullptr); }
  // The same, but waiters, and those that come later, get this exception.
  void fail(std::exception_ptr why) { happen(std::move(why)); }

  // co_await event: until it has happened.
  [[nodiscard]] auto operator co_await() { return waiting{*this}; }
  // co_await event.wait_for(delay): true, or false if it had not happened after that time.
  [[nodiscard]] auto wait_for(time_ns delay_ns) { return bounded_waiting{*this, delay_ns}; }

 private:
  class waiting : public wait_node {
   public:
    explicit waiting(event& what) : subject_{&what} {}

    [[nodiscard]] bool await_ready() const noexcept { return subject_->has_happened_; }
    void await_suspend(process::handle frame) { stand_before(subject_->line_.end(), frame.promise()); }
    void await_resume() {
      finish();
      if (who() == nullptr) subject_->rethrow();
    }

   protected:
    event* subject_;
  };

  class bounded_waiting : public waiting {
   public:
    bounded_waiting(event& what, time_ns delay_ns) : waiting{what}, delay_ns_{delay_ns} {
      FILCH_ASSERT(delay_ns >= 0, delay_ns);
    }

    void await_suspend(process::handle frame) {
      process_promise& process = frame.promise();
      if (!stand_before(subject_->line_.end(), process)) return;
      process.home().resume_at(process.slot(), process.home().now_ns() + delay_ns_);
    }
    [[nodiscard]] bool await_resume() {
      const bool happened = !is_linked();  // the trigger takes the node out
      unlink();
      waiting::await_resume();
      return happened;
    }

   private:
    time_ns delay_ns_;
  };

  void happen(std::exception_ptr failure) {
    FILCH_ASSERT(!has_happened_);
    has_happened_ = true;
    failure_ = std::move(failure);
    line_.wake_all(failure_);
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  bool has_happened_ = false;
  std::exception_ptr failure_;
  wait_list line_;
};

}  // namespace filch::inline v0::sim
