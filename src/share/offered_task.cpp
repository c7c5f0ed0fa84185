#include "offered_task.hpp"

#include "share_point.hpp"

namespace filch::inline v0 {

void offered_task::run() noexcept {
  const time_ns began_ns = monotonic_now_ns();
  if (frame_->kind->run_part != nullptr) error = frame_->kind->run_part(*frame_, part);
  else frame_->kind->run_child(*frame_);
  const time_ns now_ns = monotonic_now_ns();
  point->throttle.note(now_ns - began_ns, now_ns, point->rules);
}

}  // namespace filch::inline v0
