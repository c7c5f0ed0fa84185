#include "task_registry.hpp"

#include "base/escape.hpp"

#include <filch/runtime/tracking.hpp>

#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace filch::inline v0 {

constinit std::atomic<std::uint32_t> detail::tracking_runtimes{0};

namespace {

std::string show(task_id id, const std::string& name) {
  std::string text = "task " + std::to_string(id.value);
  if (!name.empty()) text.append(" (").append(escape::shown(name)).append(")");
  return text;
}

}  // namespace

// Never destroyed: tasks may end after the program's statics.
task_registry& task_registry::the_one() {
  static task_registry* const the_only = new task_registry;
  return *the_only;
}

task_registry::shard& task_registry::shard_of(const void* what) {
  const auto address = reinterpret_cast<std::uintptr_t>(what);
  return shards_[(address >> 6 ^ address >> 12) % k_shards];
}

void task_registry::add(const void* task, spawned what) noexcept {
  try {
    shard& in = shard_of(task);
    const std::lock_guard lock{in.mutex};
    in.tasks.insert_or_assign(task, std::move(what));
  } catch (const std::bad_alloc&) {}
}

void task_registry::rename(const void* task, const char* name) noexcept {
  try {
    shard& in = shard_of(task);
    const std::lock_guard lock{in.mutex};
    if (const auto at = in.tasks.find(task); at != in.tasks.end()) at->second.name = name;
  } catch (const std::bad_alloc&) {}
}

void task_registry::move(const void* task, const void* home) noexcept {
  shard& in = shard_of(task);
  const std::lock_guard lock{in.mutex};
  if (const auto at = in.tasks.find(task); at != in.tasks.end()) at->second.home = home;
}

void task_registry::remove(const void* task) noexcept {
  shard& in = shard_of(task);
  const std::lock_guard lock{in.mutex};
  in.tasks.erase(task);
}

void task_registry::add_wait(const void* who, wait what) noexcept {
  try {
    shard& in = shard_of(who);
    const std::lock_guard lock{in.mutex};
    in.waits.insert_or_assign(who, std::move(what));
  } catch (const std::bad_alloc&) {}
}

void task_registry::remove_wait(const void* who) noexcept {
  shard& in = shard_of(who);
  const std::lock_guard lock{in.mutex};
  in.waits.erase(who);
}

std::map<const void*, task_registry::spawned> task_registry::tasks_of(const void* home) const {
  std::map<const void*, spawned> found;
  for (const shard& each : shards_) {
    const std::lock_guard lock{each.mutex};
    for (const auto& [key, task] : each.tasks) {
      if (task.home == home) found.emplace(key, task);
    }
  }
  return found;
}

std::string task_registry::describe(const void* home) const {
  const std::map<const void*, spawned> tasks = tasks_of(home);
  std::map<std::uint64_t, std::vector<std::string>> waits;  // by task
  for (const shard& each : shards_) {
    const std::lock_guard lock{each.mutex};
    for (const auto& [who, one] : each.waits) {
      if (one.home != home) continue;
      std::string text = "waits for " + one.reason;
      if (const auto awaited = tasks.find(one.awaited); awaited != tasks.end()) {
        text.append(", ").append(show(awaited->second.id, awaited->second.name)).append(",");
      }
      waits[one.task.value].push_back(text.append(one.where(who)));
    }
  }
  if (tasks.empty() && waits.empty()) return {};
  std::string out = "  " + std::to_string(tasks.size()) + " spawned tasks have started and not ended\n";
  std::size_t lines = 0;
  std::size_t left_out = 0;
  const auto add_line = [&](const std::string& line) {
    if (++lines > k_most_lines) ++left_out;
    else out.append("  ").append(line).append("\n");
  };
  std::map<std::uint64_t, const spawned*> by_id;
  for (const auto& [key, task] : tasks) by_id.emplace(task.id.value, &task);
  for (const auto& [id, task] : by_id) {
    const auto found = waits.find(id);
    if (found == waits.end()) {
      add_line(show(task->id, task->name) + " runs or lies in a queue");
      continue;
    }
    for (const std::string& each : found->second) add_line(show(task->id, task->name) + " " + each);
    waits.erase(found);
  }
  for (const auto& [id, texts] : waits) {
    for (const std::string& each : texts) add_line("a task that was not spawned " + each);
  }
  if (left_out != 0) out += "  … and " + std::to_string(left_out) + " more\n";
  return out;
}

}  // namespace filch::inline v0
