#include "worker_states.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "time_use.hpp"

namespace filch::analysis {
namespace {

using trace::event;
using trace::event_kind;

bool is_look_or_sleep(event_kind kind) {
  return kind == event_kind::steal_attempt || kind == event_kind::steal_success || kind == event_kind::steal_empty ||
         kind == event_kind::steal_lost || kind == event_kind::park || kind == event_kind::wake;
}

// The events of one worker, taken in step with its stretches.
class breaks {
 public:
  explicit breaks(std::span<const event> events) : events_{events} {}

  // The looks and sleeps from where the last call ended up to `until_ns`. Those at the very end of a break belong to
  // it.
  std::span<const event> next(time_ns until_ns) {
    const std::size_t first = next_;
    while (next_ != events_.size() && events_[next_].time_ns <= until_ns) ++next_;
    return events_.subspan(first, next_ - first);
  }
  void skip(time_ns until_ns) {
    while (next_ != events_.size() && events_[next_].time_ns < until_ns) ++next_;
  }

 private:
  std::span<const event> events_;
  std::size_t next_ = 0;
};

// Adds the states of one break, which begins awake.
class break_states {
 public:
  break_states(std::vector<state_change>& into, std::uint32_t workers)
      : into_{into}, patience_{k_looks_in_vain * workers} {}

  void see(const event& e, time_ns begin_ns) {
    const time_ns at_ns = std::max(e.time_ns, begin_ns);
    switch (e.kind) {
      case event_kind::park:
        into_.push_back({at_ns, worker_state::asleep});
        break;
      case event_kind::wake:
        into_.push_back({at_ns, worker_state::awake});
        break;
      case event_kind::steal_attempt:
        looked_ns_ = at_ns;
        break;
      case event_kind::steal_empty:
      case event_kind::steal_lost:
        looked_ns_ = -1;
        if (++failed_ == patience_) into_.push_back({at_ns, worker_state::in_vain});
        break;
      case event_kind::steal_success:
        stolen_ns_ = looked_ns_ >= 0 ? looked_ns_ : at_ns;
        break;
      default:
        break;
    }
  }

  // The break ends with this strand.
  void finish(std::uint32_t strand) {
    if (stolen_ns_ < 0) return;
    while (!into_.empty() && into_.back().at_ns > stolen_ns_) into_.pop_back();
    into_.push_back({stolen_ns_, worker_state::steal, strand});
  }

 private:
  std::vector<state_change>& into_;
  const std::uint32_t patience_;
  std::uint32_t failed_ = 0;
  time_ns looked_ns_ = -1;
  time_ns stolen_ns_ = -1;
};

std::vector<state_change> states_of_one(const std::vector<stretch_of_strands>& stretches,
                                        const std::vector<event>& events, time_ns begin_ns, std::uint32_t workers) {
  std::vector<state_change> out;
  out.reserve(2 * stretches.size() + 2);
  breaks lane{events};
  time_ns since_ns = begin_ns;
  for (std::size_t i = 0; i <= stretches.size(); ++i) {
    const bool is_last = i == stretches.size();
    const time_ns until_ns = is_last ? INT64_MAX : stretches[i].begin_ns;
    if (until_ns > since_ns) {
      const auto seen = lane.next(until_ns);
      if (i != 0 && !is_last && std::ranges::none_of(seen, is_look_or_sleep, &event::kind)) {
        const time_ns ready_ns = std::clamp(stretches[i].ready_ns, since_ns, until_ns);
        if (ready_ns > since_ns) out.push_back({since_ns, worker_state::awake});
        if (ready_ns < until_ns) out.push_back({ready_ns, worker_state::spawn, stretches[i].first});
      } else {
        // A worker that was asleep before the recording began has a wake-up first, or no event at all.
        const bool sleeps = i == 0 && (events.empty() || events.front().kind == event_kind::wake);
        out.push_back({since_ns, sleeps ? worker_state::asleep : worker_state::awake});
        break_states states{out, workers};
        for (const event& e : seen) states.see(e, since_ns);
        if (!is_last) states.finish(stretches[i].first);
      }
    }
    if (is_last) break;
    out.push_back({stretches[i].begin_ns, worker_state::work, stretches[i].first});
    since_ns = stretches[i].end_ns;
    lane.skip(since_ns);
  }
  return out;
}

// The median of the times in that state; 0: there are none.
time_ns usual_ns(const std::vector<std::vector<state_change>>& all, worker_state which) {
  std::vector<time_ns> lengths_ns;
  for (const auto& list : all) {
    for (std::size_t i = 0; i + 1 < list.size(); ++i) {
      if (list[i].now == which) lengths_ns.push_back(list[i + 1].at_ns - list[i].at_ns);
    }
  }
  if (lengths_ns.empty()) return 0;
  const auto middle = lengths_ns.begin() + static_cast<std::ptrdiff_t>(lengths_ns.size() / 2);
  std::ranges::nth_element(lengths_ns, middle);
  return *middle;
}

void cut_long_ones(std::vector<state_change>& list, time_ns spawn_ns, time_ns steal_ns) {
  std::vector<state_change> out;
  out.reserve(list.size());
  for (std::size_t i = 0; i != list.size(); ++i) {
    out.push_back(list[i]);
    const bool is_spawn = list[i].now == worker_state::spawn;
    if (i + 1 == list.size() || (!is_spawn && list[i].now != worker_state::steal)) continue;
    const time_ns most_ns = std::max<time_ns>(1, k_longest * (is_spawn ? spawn_ns : steal_ns));
    if (list[i + 1].at_ns - list[i].at_ns > most_ns) out.push_back({list[i].at_ns + most_ns, worker_state::awake});
  }
  list = std::move(out);
}

}  // namespace

std::vector<std::vector<state_change>> states_of(const std::vector<std::vector<stretch_of_strands>>& stretches,
                                                 const trace::recording& from, time_ns begin_ns) {
  std::vector<std::vector<state_change>> out;
  const auto workers = static_cast<std::uint32_t>(from.workers.size());
  for (std::size_t w = 0; w != stretches.size(); ++w) {
    out.push_back(states_of_one(stretches[w], from.workers[w], begin_ns, workers));
  }
  const time_ns spawn_ns = usual_ns(out, worker_state::spawn);
  const time_ns steal_ns = usual_ns(out, worker_state::steal);
  for (auto& list : out) cut_long_ones(list, spawn_ns, steal_ns);
  return out;
}

}  // namespace filch::analysis
