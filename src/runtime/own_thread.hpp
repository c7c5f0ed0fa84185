// Which runtime the calling thread belongs to, also while it holds no worker because its task blocks.
#pragma once

#include <filch/runtime/runtime.hpp>

namespace filch::inline v0 {

// The calling thread belongs to this runtime from now on. It notices its own end, for exit().
void note_own_thread(const runtime::core& home) noexcept;
[[nodiscard]] bool is_thread_of(const runtime::core& home) noexcept;
// Has a task of this runtime called exit(), on the calling thread?
[[nodiscard]] bool is_in_exit_here(const runtime::core& home) noexcept;

}  // namespace filch::inline v0
