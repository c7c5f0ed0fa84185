// How a thread waits for children, for tasks, and for anything else, without keeping its worker from others.
//
// Who may call what: any thread, for `wait_for_children`; the others the thread that holds a worker.
#pragma once

#include "share/child_counter.hpp"

#include <filch/base/units.hpp>
#include <filch/runtime/task.hpp>

#include <functional>

namespace filch::inline v0 {

// The caller waits for its children. On a worker this suspends the stack, unless they have ended; elsewhere, or if the
// stack must stay on its thread, the thread sleeps.
void wait_for_children(child_counter& children) noexcept;

// The thread of the crew waits, and another one stands in for it: `nap(k_never_ns)` returns when `is_over()`. Where
// none may, it runs others until then, and naps when there are none. A stack that stays on its thread gets a stand-in
// beyond the bound, too.
void wait_on_worker(const std::function<bool()>& is_over, const std::function<void(time_ns)>& nap);

}  // namespace filch::inline v0
