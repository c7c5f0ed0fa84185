#include <filch/sim/sharing_program.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

namespace filch::inline v0::sim {
namespace {

[[noreturn]] void refuse_part(std::string_view field, const std::string& value, std::string_view allowed) {
  throw std::invalid_argument{
      std::string{"program."}.append(field).append(" = ").append(value).append(": allowed is ").append(allowed)};
}

void require_time(std::string_view field, time_ns value) {
  if (value < 0 || value > sharing_program::k_longest_ns) {
    refuse_part(field, std::to_string(value), "a time from 0 ns to 10^15 ns");
  }
}

// No more than the longest, so that nothing overflows: what comes to more is refused.
time_ns times(time_ns each_ns, std::uint64_t count) {
  __extension__ using wide = unsigned __int128;
  const wide all = static_cast<wide>(each_ns) * count;
  const wide most = static_cast<wide>(sharing_program::k_longest_ns) + 1;
  return static_cast<time_ns>(std::min(all, most));
}

}  // namespace

const sharing_program::sums& sharing_program::sums_of(part_id which) const {
  if (which.value >= sums_.size()) {
    refuse_part("part", std::to_string(which.value), "the number of a part that was added before");
  }
  return sums_[which.value];
}

part_id sharing_program::add(const program_part& made, sums all) {
  require_time("work_ns", all.work_ns);
  if (all.leaves > k_most) refuse_part("leaves", std::to_string(all.leaves), "at most 2^40");
  const part_id fresh{static_cast<std::uint32_t>(parts_.size())};
  parts_.push_back(made);
  sums_.push_back(all);
  return fresh;
}

part_id sharing_program::add_work(time_ns work_ns) {
  require_time("work_ns", work_ns);
  return add({.what = program_part::kind::work, .before_ns = work_ns}, {work_ns, work_ns, 1});
}

part_id sharing_program::add_join(part_id first, part_id second, time_ns before_ns, time_ns after_ns) {
  require_time("before_ns", before_ns);
  require_time("after_ns", after_ns);
  const sums& a = sums_of(first);
  const sums& b = sums_of(second);
  const time_ns own_ns = before_ns + after_ns;
  return add({.what = program_part::kind::join,
              .before_ns = before_ns,
              .after_ns = after_ns,
              .first = first,
              .second = second},
             {own_ns + a.work_ns + b.work_ns, own_ns + std::max(a.span_ns, b.span_ns), a.leaves + b.leaves});
}

part_id sharing_program::add_loop(std::uint64_t count, time_ns elements_ns) {
  require_time("elements_ns", elements_ns);
  if (count < 1 || count > k_most) refuse_part("count", std::to_string(count), "a number from 1 to 2^40");
  const auto of = static_cast<time_ns>(count);
  return add({.what = program_part::kind::loop, .count = count, .elements_ns = elements_ns},
             {elements_ns, (elements_ns + of - 1) / of, count});
}

part_id sharing_program::add_loop(std::uint64_t count, part_id element) {
  if (count < 1 || count > k_most) refuse_part("count", std::to_string(count), "a number from 1 to 2^40");
  const sums& each = sums_of(element);
  if (each.leaves > k_most / count) refuse_part("leaves", "more", "at most 2^40");
  return add({.what = program_part::kind::loop, .element = element, .count = count},
             {times(each.work_ns, count), each.span_ns, each.leaves * count});
}

part_id sharing_program::add_tree(std::uint32_t depth, time_ns leaf_ns, time_ns before_ns, time_ns after_ns) {
  part_id tree = add_work(leaf_ns);
  for (std::uint32_t i = 0; i != depth; ++i) tree = add_join(tree, tree, before_ns, after_ns);
  return tree;
}

part_id sharing_program::add_nest(std::uint32_t levels, std::uint64_t count, time_ns leaf_ns) {
  if (levels < 1) refuse_part("levels", "0", "a number from 1 on");
  require_time("leaf_ns", leaf_ns);
  part_id nest = add_loop(count, times(leaf_ns, count));
  for (std::uint32_t i = 1; i != levels; ++i) nest = add_loop(count, nest);
  return nest;
}

void sharing_program::add_phase(part_id what, time_ns pause_ns) {
  (void)sums_of(what);
  require_time("pause_ns", pause_ns);
  phases_.push_back({what, pause_ns});
}

time_ns sharing_program::work_ns() const {
  time_ns sum = 0;
  for (const program_phase& each : phases_) sum += work_ns(each.what);
  return sum;
}

time_ns sharing_program::span_ns() const {
  time_ns sum = 0;
  for (const program_phase& each : phases_) sum += span_ns(each.what);
  return sum;
}

std::uint64_t sharing_program::leaves() const {
  std::uint64_t sum = 0;
  for (const program_phase& each : phases_) sum += leaves(each.what);
  return sum;
}

}  // namespace filch::inline v0::sim
