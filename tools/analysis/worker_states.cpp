#include "worker_states.hpp"

#include <algorithm>
#include <cstddef>

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

  // The looks and sleeps from where the last call ended up to `until_ns`. Those at the very end of a break belong to it.
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

}  // namespace

time_ns usual_break_ns(const std::vector<std::vector<stretch_of_strands>>& stretches, const trace::recording& from) {
  std::vector<time_ns> lengths_ns;
  for (std::size_t w = 0; w != stretches.size(); ++w) {
    breaks events{from.workers[w]};
    for (std::size_t i = 0; i + 1 < stretches[w].size(); ++i) {
      events.skip(stretches[w][i].end_ns);
      const auto seen = events.next(stretches[w][i + 1].begin_ns);
      if (std::ranges::none_of(seen, is_look_or_sleep, &event::kind)) {
        lengths_ns.push_back(stretches[w][i + 1].begin_ns - stretches[w][i].end_ns);
      }
    }
  }
  if (lengths_ns.empty()) return 0;
  const auto middle = lengths_ns.begin() + static_cast<std::ptrdiff_t>(lengths_ns.size() / 2);
  std::ranges::nth_element(lengths_ns, middle);
  return *middle;
}

std::vector<state_change> states_of(std::span<const stretch_of_strands> stretches, std::span<const event> events,
                                    time_ns begin_ns, time_ns longest_break_ns, std::uint32_t workers) {
  std::vector<state_change> out;
  out.reserve(2 * stretches.size() + 2);
  breaks lane{events};
  time_ns since_ns = begin_ns;
  for (std::size_t i = 0; i <= stretches.size(); ++i) {
    const bool is_last = i == stretches.size();
    const time_ns until_ns = is_last ? INT64_MAX : stretches[i].begin_ns;
    if (until_ns > since_ns) {
      const auto seen = lane.next(until_ns);
      const bool is_break = i != 0 && !is_last && std::ranges::none_of(seen, is_look_or_sleep, &event::kind);
      if (is_break) {
        out.push_back({since_ns, worker_state::spawn, stretches[i].first});
        if (until_ns - since_ns > longest_break_ns) out.push_back({since_ns + longest_break_ns, worker_state::awake});
      } else {
        // Who was asleep before the recording began shows it by waking up, or by nothing at all.
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

}  // namespace filch::analysis
