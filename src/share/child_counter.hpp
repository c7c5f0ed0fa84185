// The counter of a parent whose stack is suspended while it waits. What suspends and resumes stacks lies in the
// runtime.
#pragma once

#include <filch/share/join_counter.hpp>

namespace filch::inline v0 {

class suspended_stack;
using child_counter = join_counter<suspended_stack>;

}  // namespace filch::inline v0
