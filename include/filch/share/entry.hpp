// What lies in the queues of a runtime, and what a worker knows of the work that it runs.
//
// An entry is a task, a stack that is ready, a coroutine that is ready, or one that was spawned and has not started.
// All but tasks lie in the stack or the frame that they stand for: the thread that takes one out copies what it needs
// and resumes it; from then on the entry may be gone.
#pragma once

#include <filch/base/ids.hpp>
#include <filch/policy/names.hpp>
#include <filch/queue/mpsc.hpp>

#include <coroutine>
#include <cstdint>

namespace filch::inline v0 {

enum class entry_kind : std::uint8_t { task, stack, coroutine, spawned, offer };

class queue_entry : public queue::link {
 public:
  queue_entry(const queue_entry&) = delete;
  queue_entry& operator=(const queue_entry&) = delete;

  // Written before the entry is published, constant afterwards.
  const void* group = nullptr;  // the scope or the children it belongs to; of a spawned one its start_rule
  entry_kind kind;
  policy::priority band = policy::priority::normal;

 protected:
  explicit queue_entry(entry_kind what) : kind{what} {}
  ~queue_entry() = default;
};

// A coroutine that was suspended and is ready, or that has not started.
class coroutine_entry : public queue_entry {
 public:
  coroutine_entry() : queue_entry{entry_kind::coroutine} {}

  // Written before the entry is published, constant afterwards.
  std::coroutine_handle<> self;
  task_id id = task_id::none();  // of the stretch from here to where it suspends or ends
  const char* name = nullptr;    // of that, for traces and dumps
};

// Is the entry a coroutine_entry?
[[nodiscard]] inline bool is_coroutine(const queue_entry& entry) {
  return entry.kind == entry_kind::coroutine || entry.kind == entry_kind::spawned;
}

// What a spawned coroutine does when its turn has come.
struct start_rule {
  // On a worker. False: it does not start, and the entry is gone. `is_late`: the deadline of a shutdown has passed.
  bool (*may_start)(coroutine_entry& who, bool is_late) noexcept;
};

// What runs, as waits, traces and dumps know it. It lives as long as it runs.
struct task_record {
  task_id id = task_id::none();
  const char* name = nullptr;
  const void* home = nullptr;     // the runtime it belongs to
  task_record* inside = nullptr;  // the task whose thread waits for this one and runs it meanwhile
  policy::priority priority = policy::priority::normal;
};

}  // namespace filch::inline v0
