// Registers coroutines and their waits with the task registry, for dumps.
#include <filch/coro/detail/tracked_awaiter.hpp>
#include <filch/coro/detail/promise.hpp>
#include <filch/coro/this_task.hpp>

#include "runtime/port.hpp"
#include "runtime/task_registry.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace filch::inline v0::coro {
namespace {

constexpr int k_most_frames = 30;  // guess

// Removes the result type, unnamed namespaces and the arguments, and the "()::" of g++, whose name of a coroutine is
// that of the function that runs its frame.
std::string name_of_function(std::string pretty) {
  for (const std::string_view unnamed : {"(anonymous namespace)::", "{anonymous}::"}) {
    for (std::size_t at = pretty.find(unnamed); at != std::string::npos; at = pretty.find(unnamed)) {
      pretty.erase(at, unnamed.size());
    }
  }
  for (std::size_t at = pretty.find("()::"); at != std::string::npos; at = pretty.find("()::")) pretty.erase(at, 2);
  pretty.erase(std::min(pretty.find('('), pretty.size()));
  return pretty.substr(pretty.rfind(' ') + 1);
}
std::string_view name_of_file(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string chain_of(const void* who) {
  std::string text;
  int frames = 0;
  for (const auto* each = static_cast<const promise_base*>(who); each != nullptr; each = each->parent) {
    if (++frames > k_most_frames) return text + " ← …";
    const std::source_location& at = each->awaits_at;
    text.append(frames == 1 ? " in " : " ← ").append(name_of_function(at.function_name())).append(" at ");
    text.append(name_of_file(at.file_name())).append(":").append(std::to_string(at.line()));
  }
  return text;
}

}  // namespace

bool register_wait(const promise_base& who, std::string_view reason, const void* awaited) noexcept {
  const port::home* const home = port::current_home();
  if (home == nullptr || !port::tracks_tasks(*home)) return false;
  try {
    const task_id task = who.context == nullptr ? task_id::none() : who.context->id();
    task_registry::the_one().add_wait(&who, {home, task, std::string{reason}, awaited, &chain_of});
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

void rename_task(const promise_base& who, const char* name) noexcept {
  if (detail::is_tracking() && who.context != nullptr) task_registry::the_one().rename(&who.context->of_task(), name);
}

void unregister_wait(const promise_base& who) noexcept { task_registry::the_one().remove_wait(&who); }

}  // namespace filch::inline v0::coro
