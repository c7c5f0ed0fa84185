#include <filch/sim/task_group.hpp>

#include <filch/base/assert.hpp>

#include <algorithm>
#include <utility>

namespace filch::inline v0::sim {

// ---- lengths --------------------------------------------------------------------------------------------------------

time_ns lengths::draw(std::uint64_t which, random_stream& random) const {
  switch (what) {
    case kind::constant:
      break;
    case kind::uniform:
      return low_ns + static_cast<time_ns>(random.below(static_cast<std::uint64_t>(high_ns - low_ns) + 1));
    case kind::exponential:
      return static_cast<time_ns>(random.exponential(static_cast<double>(low_ns)));
    case kind::listed:
      return listed_ns[which];
  }
  return low_ns;
}

// ---- grouped_tasks --------------------------------------------------------------------------------------------------

grouped_tasks::grouped_tasks(std::vector<task_group> groups, std::uint64_t seed) {
  sources_.reserve(groups.size());
  for (task_group& group : groups) {
    const arrival_times& arrives = group.arrives;
    FILCH_ASSERT(group.length.low_ns >= 0 && group.length.low_ns <= group.length.high_ns, group.length.low_ns);
    FILCH_ASSERT(arrives.first_ns >= 0 && arrives.gap_ns >= 0 && arrives.size >= 1, arrives.first_ns, arrives.gap_ns);
    FILCH_ASSERT(group.length.what != lengths::kind::listed || group.length.listed_ns.size() == group.count,
                 group.count);
    FILCH_ASSERT(arrives.what != arrival_times::kind::listed || arrives.times_ns.size() == group.count, group.count);
    random_stream random = random_stream{seed}.split(sources_.size());
    sources_.push_back({.group = std::move(group), .random = random});
    schedule_next(sources_.back());
  }
}

// Called before the first task and after each.
void grouped_tasks::schedule_next(source& of) {
  const arrival_times& arrives = of.group.arrives;
  if (of.given == of.group.count) return;
  switch (arrives.what) {
    case arrival_times::kind::at_once:
      of.next_ns = arrives.first_ns;
      break;
    case arrival_times::kind::every:
      of.next_ns = of.given == 0 ? arrives.first_ns : of.next_ns + arrives.gap_ns;
      break;
    case arrival_times::kind::poisson:
      if (of.given == 0) of.next_ns = arrives.first_ns;
      of.next_ns += static_cast<time_ns>(of.random.exponential(static_cast<double>(arrives.gap_ns)));
      break;
    case arrival_times::kind::bursts:
      if (of.given == 0) of.next_ns = arrives.first_ns;
      if (of.given != 0 && of.given % arrives.size == 0) of.next_ns += arrives.gap_ns;
      break;
    case arrival_times::kind::listed:
      of.next_ns = arrives.times_ns[of.given];
      break;
  }
}

// words: length.
bool grouped_tasks::next_arrival(arrival& out) {
  source* first = nullptr;
  for (source& one : sources_) {
    if (one.given != one.group.count && (first == nullptr || one.next_ns < first->next_ns)) first = &one;
  }
  if (first == nullptr) return false;
  const time_ns work_ns = first->group.length.draw(first->given, first->random);
  out = {first->next_ns, first->group.where, {static_cast<std::uint64_t>(work_ns), 0}, first->group.band};
  ++first->given;
  schedule_next(*first);
  return true;
}

next_step grouped_tasks::resume(task& self, task_context&) {
  return self.stage == 0 ? next_step::work(static_cast<time_ns>(self.words[0])) : next_step::end();
}

// ---- divisible_load -------------------------------------------------------------------------------------------------

bool divisible_load::next_arrival(arrival& out) {
  if (std::exchange(has_come_, true)) return false;
  FILCH_ASSERT(options_.work_ns >= 0 && options_.grain_ns >= 1, options_.work_ns, options_.grain_ns);
  out = {0, target::at(worker_id{0}), {static_cast<std::uint64_t>(options_.work_ns), 0}, policy::priority::normal};
  return true;
}

// words: what is left.
next_step divisible_load::resume(task& self, task_context& with) {
  const auto grain = static_cast<std::uint64_t>(options_.grain_ns);
  std::uint64_t& left = self.words[0];
  if (left == 0) return next_step::end();
  if (left >= 2 * grain && with.queue_size() == 0) {
    with.release(left / 2);
    left -= left / 2;
  }
  const std::uint64_t now = std::min(left, grain);
  left -= now;
  return next_step::work(static_cast<time_ns>(now));
}

}  // namespace filch::inline v0::sim
