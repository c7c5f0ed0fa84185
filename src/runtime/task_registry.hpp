// The tasks that were spawned and have not ended, and what coroutines wait for: for dumps. Only runtimes with
// options::track_tasks write here.
//
// One for the process, because a coroutine may go from one runtime to another while it is listed. Sharded by address,
// so that its shard follows from the address and workers seldom meet.
//
// Who may call what: any thread. A coroutine that is listed as waiting is suspended, and so are those that await it,
// until it has taken itself out: so they can be looked at under the lock.
#pragma once

#include <filch/base/ids.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

namespace filch::inline v0 {

class task_registry {
 public:
  struct spawned {
    const void* home;  // its runtime
    task_id id;
    std::string name;
  };
  struct wait {
    const void* home;
    task_id task;                           // of the spawned task it belongs to; none: of one that a stack waits for
    std::string reason;                     // what it waits for
    const void* awaited;                    // the spawned task that it waits for, if it is one
    std::string (*where)(const void* who);  // the chain of those that await each other
  };

  [[nodiscard]] static task_registry& the_one();

  // Without memory nothing is listed.
  void add(const void* task, spawned what) noexcept;
  void rename(const void* task, const char* name) noexcept;
  // To another runtime.
  void move(const void* task, const void* home) noexcept;
  void remove(const void* task) noexcept;
  void add_wait(const void* who, wait what) noexcept;
  void remove_wait(const void* who) noexcept;

  // One line per task of that runtime and per wait of it. Empty if there is none.
  [[nodiscard]] std::string describe(const void* home) const;

 private:
  static constexpr std::size_t k_shards = 64;       // guess
  static constexpr std::size_t k_most_lines = 200;  // guess

  struct shard {
    mutable std::mutex mutex;
    // Guarded by mutex.
    std::unordered_map<const void*, spawned> tasks;
    std::unordered_map<const void*, wait> waits;
  };

  shard& shard_of(const void* what);
  [[nodiscard]] std::map<const void*, spawned> tasks_of(const void* home) const;

  shard shards_[k_shards];
};

}  // namespace filch::inline v0
