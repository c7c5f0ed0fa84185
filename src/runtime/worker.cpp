#include "worker.hpp"

namespace filch::inline v0 {

worker::worker(const worker_setup& with, worker_id self_)
    : home{with.home},
      self{self_},
      is_only{*with.chosen.workers == 1},
      share_ready{with.share_ready},
      queues{with.chosen.deques},
      runs{with.measures_tasks},
      trace{with.chosen.trace, self_, &with.home, runs},
      point{with.host, with.chosen.demand, with.can_visit, runs.number(), this, &trace},
      search{with.search, self_, *with.chosen.workers,
             [&with](worker_id a, worker_id b) { return with.distances.between(a, b); },
             random_stream{with.chosen.seed}.split(self_.value)} {
  share_pending = with.share_pending;
  const std::uint32_t last = *with.chosen.workers - 1;
  home_part = last == 0 ? 0 : static_cast<double>(self.value) / static_cast<double>(last);
}

void worker::push(queue_entry& made) {
  const policy::priority band = made.band;
  queues.push(made);  // from here on a thief may have run and destroyed it
  counters.raise(trace::count::queue_max, queues.deque_hint(band));
}

}  // namespace filch::inline v0
