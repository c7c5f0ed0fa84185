#include "wait_graph.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace filch::inline v0 {
namespace {

using party = wait_graph::party;

party party_of(const task_base& task) { return {task.id, task.name != nullptr ? task.name : ""}; }

std::string show(const party& who) {
  std::string text = "task ";
  text += std::to_string(who.id.value);
  if (!who.name.empty()) text.append(" (").append(who.name).append(")");
  return text;
}

}  // namespace

wait_graph::ticket wait_graph::begin_wait(const task_base* waiting, const task_base& awaited) {
  wait entry{{}, party_of(awaited)};
  for (const task_base* task = waiting; task != nullptr; task = task->inside) entry.waiting.push_back(party_of(*task));
  const std::lock_guard lock{mutex_};
  return waits_.insert(waits_.end(), std::move(entry));
}

void wait_graph::end_wait(ticket of) {
  const std::lock_guard lock{mutex_};
  waits_.erase(of);
}

std::string wait_graph::describe() const {
  const std::lock_guard lock{mutex_};
  std::string text;
  std::map<task_id, party> waits_for;  // each task waits for at most one other
  std::map<task_id, party> known;
  for (const wait& each : waits_) {
    const party* next = &each.awaited;
    known.emplace(next->id, *next);
    for (const party& who : each.waiting) {
      text.append("  ").append(show(who)).append(" waits for ").append(show(*next)).append("\n");
      waits_for.emplace(who.id, *next);
      known.emplace(who.id, who);
      next = &who;
    }
  }
  std::set<task_id> told;
  for (const auto& [start, ignored] : waits_for) {
    std::vector<task_id> path;
    for (task_id at = start; waits_for.contains(at) && !told.contains(at); at = waits_for.at(at).id) {
      if (const auto seen = std::find(path.begin(), path.end(), at); seen != path.end()) {
        text += "  deadlock: ";
        for (auto it = seen; it != path.end(); ++it) text.append(show(known.at(*it))).append(" → ");
        text.append(show(known.at(at))).append("\n");
        break;
      }
      path.push_back(at);
    }
    told.insert(path.begin(), path.end());
  }
  return text;
}

}  // namespace filch::inline v0
