#include "wait_graph.hpp"

#include "base/escape.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <set>
#include <utility>

namespace filch::inline v0 {
namespace {

using party = wait_graph::party;

// What a task is known by.
using key = std::pair<const void*, task_id>;

party party_of(const task_record& task) { return {task.id, task.home, task.name != nullptr ? task.name : ""}; }
key key_of(const party& who) { return {who.home, who.id}; }

std::string show(const party& who, const void* here) {
  std::string text = "task ";
  text += std::to_string(who.id.value);
  if (who.home != here) text += " of another runtime";
  if (!who.name.empty()) text.append(" (").append(escape::shown(who.name)).append(")");
  return text;
}

}  // namespace

std::optional<wait_graph::ticket> wait_graph::begin_wait(const task_record* waiting,
                                                         const task_record& awaited) noexcept {
  try {
    wait entry{{}, party_of(awaited)};
    for (const task_record* task = waiting; task != nullptr; task = task->inside)
      entry.waiting.push_back(party_of(*task));
    const std::lock_guard lock{mutex_};
    return waits_.insert(waits_.end(), std::move(entry));
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

void wait_graph::end_wait(const std::optional<ticket>& of) noexcept {
  if (!of) return;
  const std::lock_guard lock{mutex_};
  waits_.erase(*of);
}

std::string wait_graph::describe() const {
  const std::lock_guard lock{mutex_};
  std::string text;
  std::map<key, party> waits_for;  // each task waits for at most one other
  std::map<key, party> known;
  const void* here = nullptr;
  for (const wait& each : waits_) {
    const party* next = &each.awaited;
    known.emplace(key_of(*next), *next);
    for (const party& who : each.waiting) {
      here = who.home;  // a task that waits here is of this runtime
      text.append("  ").append(show(who, here)).append(" waits for ").append(show(*next, here)).append("\n");
      waits_for.emplace(key_of(who), *next);
      known.emplace(key_of(who), who);
      next = &who;
    }
  }
  std::set<key> told;
  for (const auto& [start, ignored] : waits_for) {
    std::vector<key> path;
    for (key at = start; waits_for.contains(at); at = key_of(waits_for.at(at))) {
      if (told.insert(at).second) {
        path.push_back(at);
        continue;
      }
      // Where it is not on this path, it was told before.
      if (const auto seen = std::find(path.begin(), path.end(), at); seen != path.end()) {
        text += "  deadlock: ";
        for (auto it = seen; it != path.end(); ++it) text.append(show(known.at(*it), here)).append(" → ");
        text.append(show(known.at(at), here)).append("\n");
      }
      break;
    }
  }
  return text;
}

}  // namespace filch::inline v0
