// Runs that cannot go on: blocked workers wait for tasks that only blocked workers could run.
#pragma once

#include "model.hpp"

#include <algorithm>
#include <unordered_map>

namespace filch::inline v0::sim {

// Called only by a worker that has found nothing: all workers that are not blocked look in vain, and no task can
// arrive.
template <class Trace>
bool model<Trace>::is_stuck() const {
  if (ready_ != 0 || has_arrival_ || busy_ != 0) return false;
  return std::ranges::all_of(workers_, [this](const sim_worker& w) {
    if (w.at == state::blocked) return true;
    return w.inbox_size == 0 &&
           std::ranges::none_of(w.kept, [this](task_place kept) { return tasks_[kept].pending == 0; });
  });
}

template <class Trace>
void model<Trace>::explain_stuck(std::vector<stuck_join>& out) {
  const std::unordered_map<task_place, stuck_join> children = find_children();
  for (const sim_worker& w : workers_) {
    if (w.at != state::blocked || tasks_[w.current].pending == 0) continue;
    const auto found = children.find(w.current);
    stuck_join one =
        found != children.end()
            ? found->second
            : stuck_join{.worker = {}, .task = {}, .child = task_id::none(), .where = stuck_join::place::left};
    one.worker = id_of(w);
    one.task = id_of(tasks_[w.current]);
    out.push_back(one);
  }
}

// By parent: the first of its children that is found in a queue or in a join, and where.
template <class Trace>
std::unordered_map<task_place, stuck_join> model<Trace>::find_children() const {
  using place = stuck_join::place;
  std::unordered_map<task_place, stuck_join> found;
  const auto note = [&](task_place child, place where, worker_id holder) {
    const task& subject = tasks_[child];
    if (subject.parent == k_no_place) return;
    found.emplace(subject.parent,
                  stuck_join{.worker = {}, .task = {}, .child = id_of(subject), .where = where, .holder = holder});
  };
  const auto note_all = [&](const task_ring& ring, place where, worker_id holder) {
    for (std::uint32_t i = 0; i != ring.size(); ++i) note(ring[i], where, holder);
  };
  for (const sim_worker& w : workers_) {
    for (const band_queues& band : w.bands) {
      note_all(band.own, place::queue, id_of(w));
      note_all(band.mail, place::queue, id_of(w));
      note_all(band.pinned, place::pinned, id_of(w));
    }
    if (w.at == state::blocked) note(w.current, place::join, id_of(w));
  }
  for (const task_ring& injector : injectors_) note_all(injector, place::injector, worker_id::none());
  return found;
}

}  // namespace filch::inline v0::sim
