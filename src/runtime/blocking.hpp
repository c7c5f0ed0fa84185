// A thread of the crew whose task blocks gives its worker away and takes one back later.
//
// Who may call what: the thread that holds the worker, and the same thread afterwards.
#pragma once

#include "crew.hpp"

#include <filch/runtime/runtime.hpp>
#include <filch/share/entry.hpp>

namespace filch::inline v0 {

// False: it must keep it, since the bound of spare threads is reached or no thread could be started.
[[nodiscard]] bool leave_worker(stand_in how = stand_in::within_bound);
// Waits for one of the runtime's workers, and continues the task there.
void return_to_worker(runtime::core& home, task_record& running);

// The calling thread, which holds no worker, is about to wait or to block: inside an external section a worker may take
// its place until come_back() with what this has returned. Null: it is in no section.
[[nodiscard]] external_slot* leave_place() noexcept;
void come_back(external_slot* slot) noexcept;

// While it lives, the calling external thread waits.
class external_wait {
 public:
  external_wait() noexcept : slot_{leave_place()} {}
  external_wait(const external_wait&) = delete;
  external_wait& operator=(const external_wait&) = delete;
  ~external_wait() { come_back(slot_); }

 private:
  external_slot* const slot_;
};

}  // namespace filch::inline v0
