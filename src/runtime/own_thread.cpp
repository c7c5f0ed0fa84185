#include "own_thread.hpp"

namespace filch::inline v0 {
namespace {

// The runtime whose thread this is, also while it holds no worker because its task blocks.
constinit thread_local const runtime::core* home_of_thread = nullptr;

// exit() destroys what is local to its thread first, and what is static behind that.
constinit thread_local bool is_thread_ending = false;
struct notes_end_of_thread {
  ~notes_end_of_thread() { is_thread_ending = true; }
};

}  // namespace

void note_own_thread(const runtime::core& home) noexcept {
  home_of_thread = &home;
  thread_local const notes_end_of_thread at_end;
  (void)at_end;
}

bool is_thread_of(const runtime::core& home) noexcept { return home_of_thread == &home; }

bool is_in_exit_here(const runtime::core& home) noexcept { return is_thread_of(home) && is_thread_ending; }

}  // namespace filch::inline v0
