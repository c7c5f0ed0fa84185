#include <filch/coro/task.hpp>

#include "runtime/port.hpp"

#include <filch/share/latent.hpp>

namespace filch::inline v0::coro {
namespace {

// The wait of a stack for a coroutine.
class waiting_stack final : public end_listener {
 public:
  [[nodiscard]] std::coroutine_handle<> ended(promise_base&) noexcept override {
    if (suspended_stack* const parents = unfinished_.finish()) port::resume_parents(*parents);
    return std::noop_coroutine();
  }
  void wait() noexcept {
    if (!unfinished_.is_done()) port::wait_for(unfinished_);
  }

 private:
  child_counter unfinished_{1};
};

}  // namespace

void run_to_end(promise_base& root) {
  require_stack_left();
  waiting_stack here;
  root.listener = &here;
  resume_here(root.self);
  port::resume_before_waiting();  // another stack may have waited for a coroutine that ended here
  here.wait();
}

void throw_empty_task() {
  throw usage_error("filch: this task has no coroutine: it was moved from. A task is awaited, waited for or run once");
}

}  // namespace filch::inline v0::coro
