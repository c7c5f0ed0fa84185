// Runs that cannot go on: blocked workers wait for tasks that only blocked workers could run.
#pragma once

#include "model.hpp"

#include <algorithm>

namespace filch::inline v0::sim {

// Asked only by a worker that has found nothing: whoever is not blocked looks in vain, and nothing can come any more.
template <class Trace>
bool model<Trace>::is_stuck() const {
  if (ready_ != 0 || has_arrival_) return false;
  return std::ranges::all_of(workers_, [this](const sim_worker& w) {
    if (w.at == state::blocked) return w.awaited == k_no_ticket;
    const bool is_idle = w.at == state::looking || w.at == state::waiting || w.at == state::parked;
    return is_idle && w.inbox_size == 0 &&
           std::ranges::none_of(w.kept, [this](task_place kept) { return tasks_[kept].pending == 0; });
  });
}

template <class Trace>
void model<Trace>::explain_stuck(std::vector<stuck_join>& out) {
  for (const sim_worker& w : workers_) {
    if (w.at == state::blocked && tasks_[w.current].pending != 0) out.push_back(find_child(w));
  }
}

// One child for which a blocked worker waits, and where it is.
template <class Trace>
stuck_join model<Trace>::find_child(const sim_worker& w) {
  using place = stuck_join::place;
  stuck_join found{.worker = id_of(w), .task = id_of(tasks_[w.current]), .child = task_id::none()};
  const auto is_here = [&](const task_ring& ring, place where, worker_id holder) {
    for (std::uint32_t i = 0; i != ring.size(); ++i) {
      if (tasks_[ring[i]].parent != w.current) continue;
      found.child = id_of(tasks_[ring[i]]);
      found.where = where;
      found.holder = holder;
      return true;
    }
    return false;
  };
  for (const sim_worker& other : workers_) {
    const worker_id holder = id_of(other);
    for (const band_queues& band : other.bands) {
      if (is_here(band.own, place::queue, holder) || is_here(band.mail, place::queue, holder) ||
          is_here(band.pinned, place::pinned, holder)) {
        return found;
      }
    }
    if (other.at == state::blocked && tasks_[other.current].parent == w.current) {
      found.child = id_of(tasks_[other.current]);
      found.where = place::join;
      found.holder = holder;
      return found;
    }
  }
  for (const task_ring& injector : injectors_) {
    if (is_here(injector, place::injector, worker_id::none())) return found;
  }
  found.where = place::left;
  return found;
}

}  // namespace filch::inline v0::sim
