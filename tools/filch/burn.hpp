// Work that takes a known amount of processor time.
#pragma once

#include <filch/base/units.hpp>

namespace filch::tool {

// Computes until the calling thread has used `cpu_ns` more of CPU time. The clock is the thread's own: while the thread
// is preempted it stands still, so a task has its exact cost even when threads share a CPU. The clock is read every few
// microseconds, so a shorter burn takes longer than requested.
void burn_cpu(time_ns cpu_ns);

}  // namespace filch::tool
