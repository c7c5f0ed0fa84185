// The runtime that is measured.
#pragma once

#include <filch/coro/spawn.hpp>
#include <filch/coro/task.hpp>
#include <filch/runtime/runtime.hpp>

#include "shape.hpp"

namespace filch::bench {

[[nodiscard]] runtime& measured_runtime();

// From the main thread: nobody waits for it.
template <class T>
void start(task<T> what) {
  spawn(measured_runtime(), std::move(what)).detach();
}
// The same from one of its workers.
template <class T>
void start_here(task<T> what) {
  spawn(std::move(what)).detach();
}

}  // namespace filch::bench
