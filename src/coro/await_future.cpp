#include <filch/coro/await_future.hpp>

#include <filch/runtime/errors.hpp>
#include <filch/runtime/runtime.hpp>

namespace filch::inline v0::coro {

bool future_wait::is_ready(task_base& awaited) {
  if (!this_worker().is_some()) detail::wait_for(awaited);
  if (!awaited.state.is_finished()) detail::require_same_process(awaited);
  return has_budget() && awaited.state.is_finished();
}

// The stop callback is registered before listen(): afterwards another thread may resume the coroutine and destroy this
// object. If the callback runs before listen(), listen() returns false.
bool future_wait::begin(task_base& awaited, std::coroutine_handle<> who, std::stop_token stop) {
  awaited_ = &awaited;
  self_.arm(who);
  if (stop.stop_possible()) on_stop_.emplace(std::move(stop), give_up{*this});
  if (awaited.state.listen(*this)) return true;
  is_given_up_ = !awaited.state.is_finished();
  return false;
}

// If the state's give_up() succeeds, the coroutine is listening: begin() wrote `awaited_` and `self_` before listen().
void future_wait::give_up::operator()() const noexcept {
  if (!who.awaited_->state.give_up()) return;
  who.is_given_up_ = true;
  who.self_.wake();
}

void future_wait::end() {
  on_stop_.reset();
  if (is_given_up_) throw task_cancelled{};
}

}  // namespace filch::inline v0::coro
